// SPDX-License-Identifier: Apache-2.0
//
// nvmlab compile: a profile as a machine file, which the driver maps without knowing YAML. Tests:
// tests/command/profiles_test.cpp.
#include "base/write_file.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/profile/sources.hpp"
#include "command/profile/summary.hpp"

namespace nvmlab::tool {
namespace {

struct Compile {
  std::string profile;
  std::string output;
  compiler::CompileOptions options;

  void declare(CommandLine& line);
  int run() const;
};

void Compile::declare(CommandLine& line) {
  line.argument("PROFILE", profile, "A shipped profile or a .yaml file").required().complete(Complete::profile);
  add_output(line, output, "Write to FILE, whose name ends in .machine");
  add_compile_options(line, options);
}

int Compile::run() const {
  if (output.empty()) return misused("'compile' needs --output FILE.machine");
  if (!is_machine_file(output)) {
    return misused(fmt::format(
        "--output {}: a name that ends in .machine was expected; the driver tells such files by it", output));
  }
  const auto machine = load_machine(as_profile(profile), options);
  if (!machine) return complain_all(machine.error());
  if (const auto written = write_file(output, machine->image, 0644); !written) return complain(written.error());
  print("{}: {}\n", output, summary_of(*machine));
  return kGood;
}

constexpr Example kCompileExamples[] = {
    {"nvmlab compile ./my-node.yaml -o my-node.machine",
     "for a container with the driver but without nvmlab: NVMLAB_PROFILE=/my-node.machine"}};

}  // namespace

extern const Command kCompile{
    .name = "compile",
    .summary = "Compile a profile to a machine file",
    .about =
        "Compiles a profile to a machine file, which the simulated driver maps as it is and which needs no YAML "
        "compiler. Only the build of nvmlab that wrote it reads it.",
    .examples = kCompileExamples,
    .declare = declared<Compile>,
};

}  // namespace nvmlab::tool
