// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-bench-exports JSON: every getter of the simulated driver, by the recorder's walk of one GPU: what each call
// costs and how much stack it takes. `make bench` runs it. Test: tests/unit/bench/bench_test.cpp.
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "recorder/walk.hpp"
#include "tests/bench/driver.hpp"
#include "tests/bench/exports/timed_library.hpp"

namespace nvmlab::bench {
namespace {

// The walk's lines are of no interest here.
class NoLines final : public recorder::Lines {
 public:
  void line(std::string_view) override {}
};

// How a function hands over what it tells.
const char* group_of(const recorder::Function& function) {
  if (function.protocol != 0) return "list";
  const char* group = "number";
  for (const recorder::Parameter& each : function.parameters) {
    if (each.role == recorder::Role::items) return "list";
    if (each.role == recorder::Role::text) group = "text";
    if (each.role == recorder::Role::structure || each.what.kind == recorder::Kind::record) group = "struct";
  }
  return group;
}

nlohmann::ordered_json walk_exports() {
  use_node(2);  // pairs of GPUs have functions of their own
  TimedLibrary library(driver_library());
  recorder::Objects objects = recorder::find_objects(library);
  recorder::Masker keep(false);
  NoLines lines;
  recorder::walk(library, objects, keep, lines, {});

  nlohmann::ordered_json all;
  const Cost empty = TimedLibrary::empty_call();
  all["empty"] = {{"ns", empty.ns}, {"stack", empty.stack}};
  all["functions"] = nlohmann::ordered_json::array();
  for (const recorder::Function& function : recorder::functions) {
    const auto found = library.costs().find(function.name);
    if (found == library.costs().end()) continue;
    const Cost& cost = found->second;
    all["functions"].push_back({{"name", function.name},
                                {"group", cost.code == recorder::kSuccess ? group_of(function) : "refused"},
                                {"ns", cost.ns},
                                {"stack", cost.stack},
                                {"calls", cost.calls}});
  }
  return all;
}

}  // namespace
}  // namespace nvmlab::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: nvmlab-bench-exports JSON\n", stderr);
    return 2;
  }
  try {
    nvmlab::bench::forget_settings();
    std::ofstream out(arguments[1], std::ios::trunc);
    out << nvmlab::bench::walk_exports().dump(1) << '\n';
    return out.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvmlab-bench-exports: %s\n", error.what());
    return 1;
  }
}
