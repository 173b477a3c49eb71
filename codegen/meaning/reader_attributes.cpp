// SPDX-License-Identifier: Apache-2.0
// Attributes of verdicts that read.
#include "codegen/meaning/reader.hpp"

namespace nvmlab::codegen {

using yaml::Node;

// What stands beside a `read`, an `item` or a `list`.
Result<bool> VerdictReader::reading_attribute(const Node& name, const Node& content, Verdict& verdict) {
  Result<void> read;
  if (name.scalar == "by") {
    nodes_.by = &content;
  } else if (name.scalar == "choices") {
    nodes_.choices = &content;
  } else if (name.scalar == "supported") {
    read = fields(content, verdict, verdict.supported_by);
  } else if (name.scalar == "enabled") {
    read = fields(content, verdict, verdict.enabled_by);
  } else if (name.scalar == "any") {
    nodes_.any = &content;
  } else if (name.scalar == "disabled") {
    verdict.disabled = return_code(content.scalar);
  } else if (name.scalar == "newer_than") {
    verdict.newer_than = content.scalar;
    read = parameter(content, verdict);
  } else if (name.scalar == "layouts") {
    read = pair_of(content, "{flag of the driver: layout}", verdict.entry_flag, verdict.entry_layout);
  } else if (name.scalar == "permission") {
    verdict.root_only = content.scalar == "root";
    verdict.mig_only = content.scalar == "mig";
    if (!verdict.root_only && !verdict.mig_only) read = fail_at(content, "`permission` is root or mig, or is not said");
  } else if (name.scalar == "in" || name.scalar == "below") {
    for (const auto& [argument, values] : content.entries) {
      if (read = parameter(argument, verdict); !read) break;
      Allowed allowed{argument.scalar, {}, name.scalar == "below" ? values.scalar : ""};
      for (const Node& value : values.items)
        allowed.values.push_back(value.scalar);
      if (allowed.below.empty() && allowed.values.empty())
        read = fail_at(values, "a list of the values that '" + argument.scalar + "' may have was expected");
      const bool of_subject = verdict.subject.given() && !allowed.below.empty() &&
                              std::isupper(static_cast<unsigned char>(allowed.below[0])) == 0;
      if (const auto known = check_path(vocabulary_, verdict.subject, allowed.below); of_subject && !known)
        read = fail_at(values, known.error().message);
      verdict.allowed.push_back(allowed);
    }
  } else if (name.scalar == "protocol") {
    verdict.protocol = content.scalar;
  } else if (name.scalar == "count") {
    verdict.count = content.scalar;
    read = parameter(content, verdict);
  } else if (name.scalar == "empty") {
    verdict.empty = verdict.item.empty = return_code(content.scalar);
  } else if (name.scalar == "missing") {
    verdict.item.missing = return_code(content.scalar);
  } else if (name.scalar == "having") {
    read = pair_of(content, "{field: bits}", verdict.mask_field, verdict.mask_bits);
  } else if (name.scalar == "where") {
    read = pair_of(content, "{field: parameter}", verdict.where_field, verdict.where_value);
    if (read) read = parameter(content.entries[0].second, verdict);
  } else if (name.scalar == "at" || name.scalar == "key" || name.scalar == "visible" || name.scalar == "inner" ||
             name.scalar == "inner_at") {
    read = item_attribute(name, content, verdict);
  } else {
    return false;
  }
  if (!read) return std::unexpected(read.error());
  return true;
}

Result<void> VerdictReader::item_attribute(const Node& name, const Node& content, Verdict& verdict) {
  if (name.scalar == "key") {
    if (auto read = pair_of(content, "{field: parameter}", verdict.item.key, verdict.item.value); !read) return read;
    return parameter(content.entries[0].second, verdict);
  }
  if (name.scalar == "visible")
    return pair_of(content, "{field: number of the driver}", verdict.item.visible, verdict.item.limit);
  if (name.scalar == "inner") {
    verdict.item.inner = content.scalar;
    return {};
  }
  if (name.scalar == "inner_at") {
    verdict.item.inner_at = content.scalar;
    return parameter(content, verdict);
  }
  verdict.item.by = content.scalar;
  if (whole_number(content)) return {};
  return parameter(content, verdict);
}

}  // namespace nvmlab::codegen
