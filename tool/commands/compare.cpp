// SPDX-License-Identifier: Apache-2.0
// nvmlab compare: what differs between two captures, profiles or machines. Tests: tests/tool/compare_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/compare_json.hpp"
#include "tool/compare_options.hpp"
#include "tool/compare_source.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

using compare::Class;

struct Sides {
  compare::Side a;
  compare::Side b;
  std::string level;
};

std::expected<Sides, Complaints> sides_of(const CompareSource& a, const CompareSource& b, bool by_fields) {
  if (!by_fields && a.log && b.log && a.log->format == b.log->format) return Sides{leaves_of(a), leaves_of(b), "leaf"};
  if (!by_fields && a.calls && b.calls) {
    auto [left, right] = calls_of(a, b);
    return Sides{std::move(left), std::move(right), "call"};
  }
  auto left = fields_of(a);
  if (!left) return std::unexpected(left.error());
  auto right = fields_of(b);
  if (!right) return std::unexpected(right.error());
  return Sides{std::move(*left), std::move(*right), "field"};
}

bool differs(const compare::Report& report, const Shown& decisive) {
  for (const Class which : {Class::value, Class::code, Class::missing, Class::identifier, Class::noise}) {
    if (decisive.has(which) && report.count(which) > 0) return true;
  }
  if (report.matching.how == compare::Matched::board) return false;
  return decisive.has(Class::missing) && !(report.matching.only_a.empty() && report.matching.only_b.empty());
}

}  // namespace

int run_compare(const Arguments& arguments) {
  Shown otherwise;
  for (const Class which : {Class::value, Class::code, Class::identifier})
    otherwise.add(which);
  const auto shown = shown_classes(arguments, otherwise);
  if (!shown) return misused(shown.error());
  const auto a = open_compare_source(*arguments.one("A"));
  if (!a) return trouble(a.error());
  const auto b = open_compare_source(*arguments.one("B"));
  if (!b) return trouble(b.error());
  const auto sides = sides_of(*a, *b, arguments.flag("--fields"));
  if (!sides) return trouble(sides.error());
  const auto options = chosen_pairs(arguments, sides->a, sides->b);
  if (!options) return misused(options.error());
  const compare::Report report = compare::compare(sides->a, sides->b, *options);
  const TwoSides two{&sides->a, &sides->b, sides->level};
  if (arguments.flag("--json")) {
    Shown told = *shown;
    if (told.names_of_missing) told.add(Class::missing);
    print(std::string_view(text_of(json_of(two, report, told))));
  } else {
    print(std::string_view(comparison_text(two, report, *shown, columns())));
  }
  Shown decisive = otherwise;
  decisive.add(Class::missing);
  if (arguments.option("--only")) decisive = *shown;
  return differs(report, decisive) ? kDifferent : kSame;
}

}  // namespace nvmlab::tool
