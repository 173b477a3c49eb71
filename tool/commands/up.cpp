// SPDX-License-Identifier: Apache-2.0
//
// nvmlab up: compiles a profile and shares the machine with every process of the user. Tests:
// tests/tool/machines_test.cpp.
#include <algorithm>
#include <map>

#include "tool/commands/run_functions.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"
#include "tool/sources.hpp"
#include "tool/summary.hpp"

namespace nvmlab::tool {

int run_up(const Arguments& arguments) {
  const auto options = compile_options(arguments);
  if (!options) return misused(options.error());
  const std::string name = arguments.one("NAME").value_or(std::string(kDefaultMachine));
  const auto path = machine_path(name);
  if (!path) return misused(path.error());
  const auto machine = load_machine(arguments.option_or("--profile", kDefaultProfile), *options);
  if (!machine) return complain_all(machine.error());

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

}  // namespace nvmlab::tool
