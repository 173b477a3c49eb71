// SPDX-License-Identifier: Apache-2.0
// nvmlab down: takes a machine down. Tests: tests/tool/machines_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {

int run_down(const Arguments& arguments) {
  const std::string name = arguments.one("NAME").value_or(std::string(kDefaultMachine));
  const auto path = machine_path(name);
  if (!path) return misused(path.error());
  const FileProblem problem = remove_store(path->c_str());
  if (problem.error == FileError::bad_store)
    return complain("{}: {}, so it is left alone", *path, describe(problem.store));
  if (problem) return complain(explain(problem, name, *path));
  print("{} is down\n", name);
  return kGood;
}

}  // namespace nvmlab::tool
