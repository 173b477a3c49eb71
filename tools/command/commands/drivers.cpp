// SPDX-License-Identifier: Apache-2.0
// nvmlab drivers: what --driver takes. Tests: tests/command/profiles_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/driver_branches.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"

namespace nvmlab::tool {
namespace {

struct Drivers {
  bool json = false;

  void declare(CommandLine& line) { add_json(line, json); }
  int run() const;
};

int Drivers::run() const {
  Json all = Json::array();
  Table table({"BRANCH", "VERSION", "CUDA"});
  for (const DriverRelease* branch : driver_branches()) {
    const std::string cuda = fmt::format("{}.{}", branch->cuda / 1000, branch->cuda % 1000 / 10);
    all.push_back({{"branch", branch->major}, {"version", branch->release}, {"cuda", cuda}});
    table.add({std::to_string(branch->major), branch->release, cuda});
  }
  print(std::string_view(json ? text_of(all) : table.text()));
  return kGood;
}

constexpr Example kDriversExamples[] = {
    {"nvmlab drivers", "what `nvmlab run --driver 535 -- nvidia-smi` may name"},
};

}  // namespace

extern const Command kDrivers{
    .name = "drivers",
    .summary = "List the driver branches that can be simulated",
    .about =
        "Lists the driver branches that --driver takes, the release that each stands for and its CUDA version. A full "
        "version of any of these branches can be simulated too.",
    .examples = kDriversExamples,
    .declare = declared<Drivers>,
};

}  // namespace nvmlab::tool
