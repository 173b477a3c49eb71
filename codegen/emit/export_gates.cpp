// SPDX-License-Identifier: Apache-2.0
// What stands before the outputs of a read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/emit/export_parts.hpp"

namespace nvmlab::codegen {

Result<std::vector<std::string>> gates_before(const ExportSubject& subject) {
  const Case none;
  PartWriter writer(subject, subject.function, none, false);
  std::vector<std::string> parts;
  const Scope scope = scope_of_subject(subject);
  const auto add = [&](const char* gate, const std::string& path, const std::string& code = "") -> Result<void> {
    const auto place = writer.at(scope, path);
    if (!place) return std::unexpected(place.error());
    const auto found = find_field(subject.vocabulary, path);
    const bool list = !subject.verdict.subject.given() && found->field->type == FieldType::list_record;
    const bool supported = gate == std::string_view("supported");
    parts.push_back(list        ? fmt::format("has_items({})", *place)
                    : supported ? output_call(gate, "", {}, *place)
                                : fmt::format("{}{}({})", gate, code, *place));
    return {};
  };
  for (const std::string& path : subject.verdict.supported_by) {
    if (auto added = add("supported", path); !added) return std::unexpected(added.error());
  }
  const std::string& disabled = subject.verdict.disabled;
  const std::string code = disabled == "NVML_ERROR_NOT_SUPPORTED" ? "" : "<" + disabled + ">";
  for (const std::string& path : subject.verdict.enabled_by) {
    if (auto added = add("enabled", path, code); !added) return std::unexpected(added.error());
  }
  // An item of a list that the board does not have is not supported, whatever else is asked.
  const Selection& item = subject.verdict.item;
  const bool by_handle = !subject.function.parameters.empty() && item.by == subject.function.parameters[0].name;
  if (subject.verdict.kind == VerdictKind::item && !subject.verdict.by.empty() && !by_handle) {
    const auto list = writer.at({}, subject.verdict.cases.front().list);
    if (!list) return std::unexpected(list.error());
    parts.push_back(fmt::format("has_items{}({})", codes_text(item.empty, Selection{}.missing), *list));
  }
  return parts;
}

std::vector<std::string> allowed_arguments(const ExportSubject& subject, const Function& function) {
  std::vector<std::string> parts;
  for (const Allowed& each : subject.verdict.allowed) {
    const std::string argument = input_text(subject, function, each.argument);
    if (each.below.empty()) {
      parts.push_back(fmt::format("one_of({}, {})", argument, fmt::join(each.values, ", ")));
    } else if (std::isupper(static_cast<unsigned char>(each.below[0])) != 0) {
      parts.push_back(fmt::format("below({}, {})", argument, each.below));
    } else if (subject.verdict.subject.given()) {
      parts.push_back(fmt::format("below({}, Made<&{}::{}>())", argument, subject.verdict.subject.type, each.below));
    } else {
      parts.push_back(fmt::format("below({}, simulated_driver().{})", argument, each.below));
    }
  }
  return parts;
}

}  // namespace nvmlab::codegen
