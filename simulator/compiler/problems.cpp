// SPDX-License-Identifier: Apache-2.0
#include "compiler/problems.hpp"

#include <map>
#include <set>
#include <tuple>

namespace nvmlab::compiler {

Problems in_file_order(Problems problems) {
  // What was found first at one place stays first. (Not stable_sort: libstdc++ 12's uses what clang calls deprecated.)
  std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t>, Problem> ordered;
  std::set<std::string> seen;
  for (Problem& problem : problems) {
    if (!seen.insert(problem.text()).second) continue;
    auto key = std::tuple(problem.file, problem.line, problem.column, ordered.size());
    ordered.emplace(std::move(key), std::move(problem));
  }
  Problems out;
  for (auto& [key, problem] : ordered)
    out.push_back(std::move(problem));
  return out;
}

std::string describe(const Problems& problems) {
  std::string out;
  for (const Problem& problem : problems)
    out += problem.text() + "\n";
  return out;
}

}  // namespace nvmlab::compiler
