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
  const auto add = [&](const char* gate, const std::string& path, const std::string& code = "") -> Result<void> {
    if (subject.verdict.subject.given()) {
      const auto place = writer.at(scope_of_subject(subject), path);
      if (!place) return std::unexpected(place.error());
      parts.push_back(fmt::format("{}({})", gate, *place));
      return {};
    }
    const auto found = find_field(subject.vocabulary, path);
    if (!found) return std::unexpected(found.error());
    const bool list = found->field->type == FieldType::list_record;
    parts.push_back(fmt::format("{}(At<{}>{{offsetof({}, {})}}{})", list ? "has_items" : gate,
                                cpp_type(*found->topic, *found->field), found->topic->of_node ? "Node" : "Gpu", path,
                                list ? ", NVML_ERROR_NOT_SUPPORTED" : code));
    return {};
  };
  for (const std::string& path : subject.verdict.supported_by) {
    if (auto added = add("supported", path); !added) return std::unexpected(added.error());
  }
  const std::string& disabled = subject.verdict.disabled;
  const std::string code = disabled == "NVML_ERROR_NOT_SUPPORTED" ? "" : ", " + disabled;
  for (const std::string& path : subject.verdict.enabled_by) {
    if (auto added = add("enabled", path, code); !added) return std::unexpected(added.error());
  }
  // An item of a list that the board does not have is not supported, whatever else is asked.
  const Selection& item = subject.verdict.item;
  const bool by_handle = !subject.function.parameters.empty() && item.by == subject.function.parameters[0].name;
  if (subject.verdict.kind == VerdictKind::item && !subject.verdict.by.empty() && !by_handle) {
    const std::string& path = subject.verdict.cases.front().list;
    const auto found = find_field(subject.vocabulary, path);
    parts.push_back(fmt::format("has_items(At<{}>{{offsetof({}, {})}}, {})", cpp_type(*found->topic, *found->field),
                                found->topic->of_node ? "Node" : "Gpu", path, item.empty));
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
