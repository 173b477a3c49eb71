// SPDX-License-Identifier: Apache-2.0
// nvmlab compare: what differs between two captures, profiles or machines. Tests: tests/command/compare_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/compare/json.hpp"
#include "command/compare/options.hpp"
#include "command/compare/source.hpp"

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

struct Compare {
  std::string word_a;
  std::string word_b;
  ComparisonOptions comparison;
  bool by_fields = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void Compare::declare(CommandLine& line) {
  line.argument("A", word_a,
                "A capture, a recording, a profile, a .machine file, a machine that is up (machine:NAME) or a "
                "libnvidia-ml.so (library: is the installed one)")
      .required()
      .complete(Complete::profile);
  line.argument("B", word_b, "The same, for the other side").required().complete(Complete::profile);
  add_comparison_options(line, comparison);
  line.flag("--no-identifiers", comparison.no_identifiers,
            "Leave out what identifies one unit: UUIDs, serial numbers, PCI addresses");
  line.flag(
      "--fields", by_fields,
      "Compare two captures or recordings by the state of the machine that they describe, not by what was printed");
  add_json(line, json);
}

int Compare::run() const {
  Shown otherwise;
  for (const Class which : {Class::value, Class::code, Class::identifier})
    otherwise.add(which);
  const auto shown = shown_classes(comparison, otherwise);
  if (!shown) return misused(shown.error());
  const auto a = open_compare_source(word_a);
  if (!a) return trouble(a.error());
  const auto b = open_compare_source(word_b);
  if (!b) return trouble(b.error());
  const auto sides = sides_of(*a, *b, by_fields);
  if (!sides) return trouble(sides.error());
  const auto options = chosen_pairs(comparison, sides->a, sides->b);
  if (!options) return misused(options.error());
  const compare::Report report = compare::compare(sides->a, sides->b, *options);
  const TwoSides two{&sides->a, &sides->b, sides->level};
  if (json) {
    Shown told = *shown;
    if (told.names_of_missing) told.add(Class::missing);
    print(std::string_view(text_of(json_of(two, report, told))));
  } else {
    print(std::string_view(comparison_text(two, report, *shown, columns())));
  }
  Shown decisive = otherwise;
  decisive.add(Class::missing);
  if (comparison.only) decisive = *shown;
  return differs(report, decisive) ? kDifferent : kSame;
}

constexpr Example kCompareExamples[] = {
    {"nvmlab compare before.xml after.xml", "two captures, leaf by leaf"},
    {"nvmlab compare dgx-h100 capture.xml", "a profile with a capture, field by field of the state"},
    {"nvmlab compare 'corpus.txt#idle' 'corpus.txt#load' --only noise",
     "two logs in one file: what changed between them"},
    {"nvmlab compare yesterday.gz library:", "a recording with what the installed driver returns now"},
    {"nvmlab compare --gpu 0:3 capture.xml capture.xml --no-identifiers", "two GPUs of one machine"},
};

}  // namespace

extern const Command kCompare{
    .name = "compare",
    .summary = "Show what differs between captures, recordings, profiles and machines",
    .about =
        "Compares any two of: captures, recordings, profiles, machine files, machines that are up, live libraries. Two "
        "captures of the same format are compared leaf by leaf, as nvidia-smi printed them, and two recordings call by "
        "call; everything else field by field, captures as `nvmlab import` reads them. FILE#2 is the second log in a "
        "file, FILE#load the first one with that word in its heading.\n\n"
        "Each difference has a class. value: two values; code: a value and a return code, or two codes; missing: only "
        "one side has it (what would be assumed is in parentheses); identifier: identifies one unit; noise: changes by "
        "itself. Noise is only counted, unless --all or --only asks for it. GPUs are matched by UUID if every GPU of "
        "the smaller side is on the other one, else likewise by PCI address, else by index; the profile of a board is "
        "compared with every GPU of the other side.\n\n"
        "Exit code, as of diff: 0 if they are equal except for noise, 1 if they differ, 2 on error.",
    .examples = kCompareExamples,
    .declare = declared<Compare>,
    .trouble = kTrouble,
};

}  // namespace nvmlab::tool
