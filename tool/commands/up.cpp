// SPDX-License-Identifier: Apache-2.0
//
// nvmlab up: compiles a profile and shares the machine with every process of the user. Tests:
// tests/tool/machines_test.cpp.
#include <algorithm>
#include <map>

#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/machine/machines.hpp"
#include "tool/profile/chosen.hpp"
#include "tool/profile/summary.hpp"

namespace nvmlab::tool {
namespace {

struct Up {
  std::string name{kDefaultMachine};
  std::optional<std::string> profile;
  compiler::CompileOptions options;

  void declare(CommandLine& line);
  int run() const;
};

void Up::declare(CommandLine& line) {
  line.argument("NAME", name, "Name of the machine (default: 'default')");
  add_profile(line, profile);
  add_compile_options(line, options);
}

int Up::run() const {
  const auto path = machine_path(name);
  if (!path) return misused(path.error());
  const auto chosen = load_chosen_machine(profile, options);
  if (!chosen) return complain_all(chosen.error());
  const compiler::Machine* const machine = &chosen->machine;
  complain_all(chosen->notes);

  sweep_machines_folder();
  Image image;
  if (const ImageError error = open_image(machine->image.data(), machine->image.size(), &image);
      error != ImageError::none) {
    return complain("{}: {}", machine->name, describe(error));
  }
  const FileProblem problem = create_store(path->c_str(), image, image.header->gpu_count, name.c_str());
  if (problem.error == FileError::not_found) return complain("{}: its folder does not exist; create it first", *path);
  if (problem) return complain(explain(problem, name, *path));
  print("{} is up: {}\n", name, summary_of(*machine));
  return kGood;
}

constexpr Example kUpExamples[] = {
    {"nvmlab up --profile dgx-h100", "a machine 'default' for get, set and `run --machine default`"},
    {"nvmlab up ci --profile ./my-node.yaml --gpus 2", "two GPUs of a profile of your own, as machine 'ci'"},
};

}  // namespace

extern const Command kUp{
    .name = "up",
    .summary = "Bring up a machine that processes share",
    .about =
        "Compiles a profile and keeps the machine in a file that all processes of the user map: what one sets, the "
        "others see. It stays up until `nvmlab down` or the next boot. Without --profile it "
        "is what NVMLAB_PROFILE or MOCK_NVML_CONFIG names, else a DGX A100; NVMLAB_GPUS and NVMLAB_DRIVER count as "
        "--gpus and --driver.",
    .examples = kUpExamples,
    .declare = declared<Up>,
};

}  // namespace nvmlab::tool
