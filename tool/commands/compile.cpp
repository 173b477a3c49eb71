// SPDX-License-Identifier: Apache-2.0
//
// nvmlab compile: a profile as a machine file, which the driver maps without knowing YAML. Tests:
// tests/tool/profiles_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/output.hpp"
#include "tool/sources.hpp"
#include "tool/summary.hpp"

namespace nvmlab::tool {

int run_compile(const Arguments& arguments) {
  const auto options = compile_options(arguments);
  if (!options) return misused(options.error());
  const auto output = arguments.option("--output");
  if (!output) return misused("'compile' needs --output FILE.machine");
  if (!is_machine_file(*output)) {
    return misused(fmt::format(
        "--output {}: a name that ends in .machine was expected, by which the driver knows such a file", *output));
  }
  const auto machine = load_machine(as_profile(*arguments.one("PROFILE")), *options);
  if (!machine) return complain_all(machine.error());
  if (const auto written = write_file(*output, machine->image, 0644); !written) return complain(written.error());
  print("{}: {}\n", *output, summary_of(*machine));
  return kGood;
}

}  // namespace nvmlab::tool
