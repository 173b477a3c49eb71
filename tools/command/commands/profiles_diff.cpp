// SPDX-License-Identifier: Apache-2.0
// nvmlab profiles diff: how far a profile agrees with a capture. Tests: tests/command/compare_test.cpp.
#include <cmath>

#include <fmt/format.h>

#include "compare/leaf_agreement.hpp"

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/compare/json.hpp"
#include "command/compare/leaves_left.hpp"
#include "command/compare/options.hpp"
#include "command/compare/source.hpp"

namespace nvmlab::tool {
namespace {

using compare::Class;

std::string fields_text(const compare::Report& report) {
  if (report.steady_compared == 0) return "Agreement: the capture has no field that could be compared\n";
  return fmt::format("Agreement: {:.2f} %, {} of {} fields that the capture tells and that do not move by themselves\n",
                     report.agreement(), report.steady_equal, report.steady_compared);
}

std::string agreement_text(const compare::Report& report, const compare::LeafAgreement& leaves) {
  if (leaves.total == 0) return fields_text(report);  // no log of nvidia-smi is among the inputs
  std::string text = fmt::format(
      "Agreement: {:.2f} %, {} of {} leaves of the capture that do not move by themselves ({} of {} fields)\n",
      leaves.percent(), leaves.equal, leaves.comparable(), report.steady_equal, report.steady_compared);
  text += fmt::format(
      "Leaves: {} in the capture; {} agree, {} differ, {} are not in the profile, {} move or name a unit, {} are not "
      "carried\n",
      leaves.total, leaves.equal, leaves.different, leaves.missing, leaves.moving, leaves.left);
  for (const auto& left : leaves.not_carried)
    text += fmt::format("  {}\n", line_of(left));
  return text;
}

Json json_of(const compare::LeafAgreement& leaves) {
  Json out = {{"total", leaves.total},
              {"equal", leaves.equal},
              {"different", leaves.different},
              {"missing", leaves.missing},
              {"moving", leaves.moving},
              {"not_carried", leaves.left},
              {"percent", std::floor(leaves.percent() * 100) / 100}};
  out["reasons"] = Json::array();
  for (const auto& left : leaves.not_carried) {
    out["reasons"].push_back({{"file", left.file},
                              {"line", left.line},
                              {"path", left.path},
                              {"times", left.times},
                              {"reason", left.reason}});
  }
  return out;
}

struct ProfilesDiff {
  std::string profile_word;
  std::string capture_word;
  ComparisonOptions comparison;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void ProfilesDiff::declare(CommandLine& line) {
  line.argument("PROFILE", profile_word, "A shipped profile, a .yaml file or a .machine file")
      .required()
      .complete(Complete::profile);
  line.argument("CAPTURE", capture_word,
                "What nvidia-smi -q -x or nvidia-smi -q printed on such a board or machine, or a recording of it")
      .required()
      .complete(Complete::file);
  add_comparison_options(line, comparison);
  add_json(line, json);
}

int ProfilesDiff::run() const {
  Shown otherwise;
  otherwise.add(Class::value);
  otherwise.add(Class::code);
  otherwise.names_of_missing = false;  // a capture never tells all that a profile says
  otherwise.origins = true;
  const auto shown = shown_classes(comparison, otherwise);
  if (!shown) return misused(shown.error());
  const auto profile = open_compare_source(profile_word);
  if (!profile) return trouble(profile.error());
  const auto capture = open_compare_source(capture_word);
  if (!capture) return trouble(capture.error());
  if (!profile->told_fields) return trouble({fmt::format("{}: is a capture; a profile comes first", profile->name)});
  if (capture->told_fields) {
    return trouble({fmt::format("{}: is a {}; a capture comes second (`nvmlab compare` compares anything)",
                                capture->name, capture->kind)});
  }
  const auto a = fields_of(*profile);
  if (!a) return trouble(a.error());
  importer::LeafLedger ledger;
  const auto b = fields_of(*capture, &ledger);
  if (!b) return trouble(b.error());
  const auto options = chosen_pairs(comparison, *a, *b);
  if (!options) return misused(options.error());
  const compare::Report report = compare::compare(*a, *b, *options);
  const compare::LeafAgreement leaves = compare::leaf_agreement(ledger, report);
  const TwoSides two{&*a, &*b, "field"};
  if (json) {
    Json out = json_of(two, report, *shown);
    if (leaves.total > 0) out["leaves"] = json_of(leaves);
    print(std::string_view(text_of(out)));
  } else {
    print("{}{}", comparison_text(two, report, *shown, columns()), agreement_text(report, leaves));
  }
  for (const Class which : {Class::value, Class::code, Class::missing, Class::identifier, Class::noise}) {
    const bool decisive = comparison.only ? shown->has(which) : otherwise.has(which);
    if (decisive && report.count(which) > 0) return kDifferent;
  }
  return kSame;
}

constexpr Example kProfilesDiffExamples[] = {
    {"nvmlab profiles diff h100-sxm5-80gb capture.xml", "the board with every GPU of the capture"},
    {"nvmlab profiles diff ./my-node.yaml capture.xml --json", "for scripts; exit code 1 where they differ"},
};

}  // namespace

extern const Command kProfilesDiff{
    .name = "profiles diff",
    .summary = "Show how far a profile agrees with a capture",
    .about =
        "Compares a profile with a capture of such a board or machine, field by field: both values, where the "
        "profile's comes from, and the share of fields that agree. What changes by itself and what identifies one unit "
        "is counted separately, and what the capture does not have is no difference. The profile of a board is "
        "compared with every GPU of the capture.\n\n"
        "The agreement counts every leaf that nvidia-smi printed: what no profile carries is listed with the reason, "
        "and "
        "counts against it.\n\n"
        "Exit code: 0 if all fields agree, 1 if some differ, 2 on error.",
    .examples = kProfilesDiffExamples,
    .declare = declared<ProfilesDiff>,
    .trouble = kTrouble,
};

}  // namespace nvmlab::tool
