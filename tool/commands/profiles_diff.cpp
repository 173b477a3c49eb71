// SPDX-License-Identifier: Apache-2.0
// nvmlab profiles diff: how far a profile agrees with a capture. Tests: tests/tool/compare_test.cpp.
#include <fmt/format.h>

#include "tool/commands/run_functions.hpp"
#include "tool/compare_json.hpp"
#include "tool/compare_options.hpp"
#include "tool/compare_source.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

using compare::Class;

std::string agreement_text(const compare::Report& report) {
  if (report.steady_compared == 0) return "Agreement: the capture tells no field that could be compared\n";
  return fmt::format("Agreement: {:.2f} %, {} of {} fields that the capture tells and that do not move by themselves\n",
                     report.agreement(), report.steady_equal, report.steady_compared);
}

}  // namespace

int run_profiles_diff(const Arguments& arguments) {
  Shown otherwise;
  otherwise.add(Class::value);
  otherwise.add(Class::code);
  otherwise.names_of_missing = false;  // a capture never tells all that a profile says
  otherwise.origins = true;
  const auto shown = shown_classes(arguments, otherwise);
  if (!shown) return misused(shown.error());
  const auto profile = open_compare_source(*arguments.one("PROFILE"));
  if (!profile) return trouble(profile.error());
  const auto capture = open_compare_source(*arguments.one("CAPTURE"));
  if (!capture) return trouble(capture.error());
  if (!profile->told_fields) return trouble({fmt::format("{}: is a capture; a profile comes first", profile->name)});
  if (capture->told_fields) {
    return trouble({fmt::format("{}: is a {}; a capture comes second (`nvmlab compare` compares anything)",
                                capture->name, capture->kind)});
  }
  const auto a = fields_of(*profile);
  if (!a) return trouble(a.error());
  const auto b = fields_of(*capture);
  if (!b) return trouble(b.error());
  const auto options = chosen_pairs(arguments, *a, *b);
  if (!options) return misused(options.error());
  const compare::Report report = compare::compare(*a, *b, *options);
  const TwoSides two{&*a, &*b, "field"};
  if (arguments.flag("--json")) {
    print(std::string_view(text_of(json_of(two, report, *shown))));
  } else {
    print("{}{}", comparison_text(two, report, *shown, columns()), agreement_text(report));
  }
  for (const Class which : {Class::value, Class::code, Class::missing, Class::identifier, Class::noise}) {
    const bool decisive = arguments.option("--only") ? shown->has(which) : otherwise.has(which);
    if (decisive && report.count(which) > 0) return kDifferent;
  }
  return kSame;
}

}  // namespace nvmlab::tool
