// SPDX-License-Identifier: Apache-2.0
// The meaning vocabulary run backwards, for recordings: which output of which call tells which field of the state. The
// driver answers a `read` verdict from a field; an importer that sees the answer knows the field. Likewise of items and
// lists (recorded_lists.cpp). What hooks answer is inverted by hand, in import/replay/.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/emit/exports.hpp"
#include "codegen/emit/id_tables.hpp"
#include "codegen/emit/recorded_parts.hpp"

namespace nvmlab::codegen {
namespace {

// Whether a function answers from fields alone, so that any code that it gives is the field's.
bool is_direct(const Verdict& verdict) {
  const bool open = !verdict.root_only && verdict.supported_by.empty() && verdict.enabled_by.empty() &&
                    verdict.allowed.empty() && verdict.by.size() < 2 &&
                    (verdict.by.empty() || verdict.by[0].find('.') == std::string::npos);
  return open && std::ranges::all_of(verdict.cases, [](const Case& each) {
           return std::ranges::all_of(each.bindings, [](const Binding& binding) { return binding.plain(); });
         });
}

class OutputRows {
 public:
  OutputRows(const Inputs& inputs, const Vocabulary& vocabulary, const Verdicts& verdicts)
      : inputs_(inputs), vocabulary_(vocabulary), verdicts_(verdicts) {}

  // One row for each output of each function that a `read` verdict answers, also by its other names.
  std::string table(const char* name, bool direct) const {
    std::string text = fmt::format("inline constexpr OutputRow {}[] = {{\n", name);
    for (const auto& [function, own] : verdicts_) {
      const Verdict& verdict = resolved(verdicts_, own);
      if (verdict.kind == VerdictKind::read && !verdict.subject.given() && is_direct(verdict) == direct)
        text += rows(function, verdict);
    }
    return text + "};\n\n";
  }

 private:
  std::string rows(const std::string& name, const Verdict& verdict) const {
    const Function target = declared(inputs_, verdict.function);
    const Function function = declared(inputs_, name);
    std::string text;
    for (const Case& each : verdict.cases) {
      const std::string head = fmt::format(R"(    {{"{}", "{}")", name, condition(verdict, each, target, function));
      for (const Binding& binding : each.bindings) {
        const std::string output = renamed(target, function, binding.target);
        for (const auto& [member, field] : binding.tells)
          text += fmt::format("{}, \"{}.{}\", \"{}\"}},\n", head, output, member, field);
        if (binding.source != ValueSource::field || binding.path.empty() || binding.told == "nothing") continue;
        text += fmt::format("{}, \"{}\", \"{}\"{}}},\n", head, output, binding.path, form(binding, function, output));
      }
    }
    return text;
  }

  // ", 1000" and ", 1, As::text": how the output stands for the field, where it is not the same.
  std::string form(const Binding& binding, const Function& function, const std::string& output) const {
    if (!binding.told.empty()) return ", 1, As::" + binding.told;
    const auto found = find_field(vocabulary_, binding.path);
    const Field* member = member_of(inputs_, function, output);
    if (found->field->type == FieldType::text && member != nullptr && member->type.base == "unsigned char")
      return ", 1, As::text";
    if (binding.instead == "0" && found->field->type <= FieldType::u64)
      return fmt::format(", {}, As::or_zero", binding.times.empty() ? "1" : binding.times);
    return binding.times.empty() ? "" : ", " + binding.times;
  }

  const Inputs& inputs_;
  const Vocabulary& vocabulary_;
  const Verdicts& verdicts_;
};

template <class Row>
std::string paths_of(const Row& row, std::size_t room) {
  std::string text;
  for (std::size_t i = 0; i < room; ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", i < row.paths.size() ? row.paths[i] : "");
  return text;
}

// By name: recordings name ids, because drivers do not agree on all numbers.
std::string field_ids_of(std::vector<FieldIdRow> rows) {
  std::string text = "inline constexpr FieldIdRow kFieldIds[] = {\n";
  std::ranges::sort(rows, {}, &FieldIdRow::name);
  std::map<std::string, std::uint64_t> drivers;  // that have the id, by whatever number
  for (const FieldIdRow& row : rows)
    drivers[row.name] |= row.drivers;
  std::string last;
  for (const FieldIdRow& row : rows) {
    if (row.name == last || row.source == "refused") continue;
    last = row.name;
    text += fmt::format("    {{\"{}\", FieldSource::{}, {:#x}, {}, {}, {{{}}}}},\n", row.name, row.source,
                        drivers[row.name], row.times, row.number, paths_of(row, 3));
  }
  return text + "};\n\n";
}

std::string gpm_ids_of(std::vector<GpmIdRow> rows) {
  std::string text = "inline constexpr GpmRow kGpmMetrics[] = {\n";
  std::ranges::sort(rows, {}, &GpmIdRow::name);
  for (const GpmIdRow& row : rows) {
    text += fmt::format("    {{\"NVML_GPM_METRIC_{}\", GpmSource::{}, {}, {{{}}}}},\n", row.name, row.source,
                        row.number, paths_of(row, 2));
  }
  return text + "};\n\n";
}

std::string functions_of(const Inputs& inputs) {
  const std::vector<std::string> exported = exported_functions(inputs);
  std::string text = "inline constexpr KnownFunction kFunctions[] = {\n";
  for (const std::string& name : all_function_names(inputs.registry, inputs.drivers))
    text += fmt::format("    {{\"{}\", {}}},\n", name, std::ranges::binary_search(exported, name));
  return text + "};\n\n";
}

}  // namespace

std::expected<void, Error> emit_recorded(const Inputs& inputs, Output& output) {
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return std::unexpected(vocabulary.error());
  const auto verdicts = load_meaning(inputs, *vocabulary);
  if (!verdicts) return std::unexpected(verdicts.error());
  auto fields = read_field_ids(inputs, *vocabulary);
  if (!fields) return std::unexpected(fields.error());
  auto metrics = read_gpm_ids(inputs, *vocabulary);
  if (!metrics) return std::unexpected(metrics.error());
  const OutputRows outputs(inputs, *vocabulary, *verdicts);
  output.add("tools/import/replay/generated/recorded.hpp",
             kRecordedHead + outputs.table("kReadOutputs", true) + outputs.table("kCheckedOutputs", false) +
                 field_ids_of(std::move(*fields)) + gpm_ids_of(std::move(*metrics)) + functions_of(inputs) +
                 "}  // namespace nvmlab::importer::replay\n");
  output.add("tools/import/replay/generated/recorded_lists.hpp",
             kRecordedHead + recorded_lists(inputs, *verdicts) + "}  // namespace nvmlab::importer::replay\n");
  return {};
}

}  // namespace nvmlab::codegen
