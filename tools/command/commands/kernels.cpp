// SPDX-License-Identifier: Apache-2.0
// nvmlab kernels: which CUDA kernels a program launched. Tests: tests/command/kernels_test.cpp.
#include <fmt/ranges.h>

#include <map>

#include "base/duration.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "command/machine/kernel_launches.hpp"

namespace nvmlab::tool {
namespace {

std::string shape_text(const std::vector<std::uint32_t>& sizes) { return fmt::format("{}", fmt::join(sizes, " x ")); }

std::string result_text(int code) { return code == 0 ? "done" : fmt::format("error {}", code); }

struct CountedKernel {
  std::uint64_t launches = 0;
  std::uint64_t failed = 0;
  std::uint64_t ns = 0;
  std::uint64_t instructions = 0;
};

std::map<std::string, CountedKernel> counted_kernels(const std::vector<KernelLaunch>& launches) {
  std::map<std::string, CountedKernel> all;
  for (const KernelLaunch& each : launches) {
    CountedKernel& of = all[each.kernel];
    ++of.launches;
    of.failed += each.code == 0 ? 0 : 1;
    of.ns += each.ns;
    of.instructions += each.instructions;
  }
  return all;
}

std::string table_of_kernels(const std::vector<KernelLaunch>& launches) {
  Table table({"KERNEL", "LAUNCHES", "FAILED", "TIME", "INSTRUCTIONS"});
  for (const auto& [name, of] : counted_kernels(launches))
    table.add({name, std::to_string(of.launches), std::to_string(of.failed), duration_text(of.ns),
               std::to_string(of.instructions)});
  return table.text();
}

std::string table_of_launches(const std::vector<KernelLaunch>& launches) {
  Table table({"PROCESS", "KERNEL", "GRID", "BLOCK", "SHARED", "TIME", "INSTRUCTIONS", "RESULT"});
  for (const KernelLaunch& each : launches)
    table.add({std::to_string(each.pid), each.kernel, shape_text(each.grid), shape_text(each.block),
               std::to_string(each.shared), duration_text(each.ns), std::to_string(each.instructions),
               result_text(each.code)});
  return table.text();
}

Json json_of_kernels(const std::vector<KernelLaunch>& launches, bool each_launch) {
  Json all = Json::array();
  if (each_launch) {
    for (const KernelLaunch& each : launches)
      all.push_back({{"pid", each.pid},
                     {"kernel", each.kernel},
                     {"grid", each.grid},
                     {"block", each.block},
                     {"shared", each.shared},
                     {"ns", each.ns},
                     {"instructions", each.instructions},
                     {"code", each.code}});
    return all;
  }
  for (const auto& [name, of] : counted_kernels(launches))
    all.push_back({{"kernel", name},
                   {"launches", of.launches},
                   {"failed", of.failed},
                   {"ns", of.ns},
                   {"instructions", of.instructions}});
  return all;
}

struct KernelsCommand {
  std::string file;
  bool each = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void KernelsCommand::declare(CommandLine& line) {
  line.argument("FILE", file, "What `nvmlab run --record-kernels FILE` recorded").required().complete(Complete::file);
  line.flag("--each", each, "Each launch with its grid and block, in their order");
  add_json(line, json);
}

int KernelsCommand::run() const {
  const auto launches = read_launches(file);
  if (!launches) return complain(launches.error());
  print(std::string_view(json   ? text_of(json_of_kernels(*launches, each))
                         : each ? table_of_launches(*launches)
                                : table_of_kernels(*launches)));
  return kGood;
}

constexpr Example kKernelsExamples[] = {
    {"nvmlab kernels launches", "how often each kernel ran, for how long, and how many instructions its threads made"},
    {"nvmlab kernels launches --each",
     "what `nvmlab run --record-kernels launches -- ./program` has recorded, one by one"},
};

}  // namespace

extern const Command kKernels{
    .name = "kernels",
    .summary = "Show recorded launches of CUDA kernels",
    .about =
        "Reads what `nvmlab run --record-kernels FILE` recorded: each kernel that a program launched, its grid and "
        "block, "
        "the shared memory of a block in bytes, how long it ran, and how many instructions all its threads made. With "
        "`nvmlab run --kernels skip` kernels are launched and not executed: they take no time and make no "
        "instructions.",
    .examples = kKernelsExamples,
    .declare = declared<KernelsCommand>,
};

}  // namespace nvmlab::tool
