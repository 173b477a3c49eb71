// SPDX-License-Identifier: Apache-2.0
#include "compiler/deprecations.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/return_codes.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/generated/driver_releases.hpp"

namespace nvmlab::compiler {
namespace {

const std::set<std::string, std::less<>>& deprecated_fields() {
  static const auto all = [] {
    std::set<std::string, std::less<>> names;
    const Zeroed<Gpu> scratch;
    visit_deprecations(*scratch, [&](const char* name, const auto&, std::uint32_t) { names.insert(name); });
    return names;
  }();
  return all;
}

// Of the fields in the order in which they are visited.
const std::vector<std::uint32_t>& deprecated_leaves() {
  static const auto all = [] {
    std::vector<std::uint32_t> leaves;
    const Zeroed<Gpu> scratch;
    visit_deprecations(
        *scratch, [&](const char* name, const auto&, std::uint32_t) { leaves.push_back(leaf_of(*find_field(name))); });
    return leaves;
  }();
  return all;
}

// Calls visit(leaf, fact, whether that driver refuses it).
template <class Visit>
void visit_leaves(const Text<80>& driver, Gpu& gpu, const Visit& visit) {
  const std::uint32_t* leaf = deprecated_leaves().data();
  visit_deprecations(gpu, [&, row = driver_row(driver.data)](const char*, auto& fact, std::uint32_t from) {
    visit(*leaf++, fact, row >= from);
  });
}

}  // namespace

bool answers_deprecated(const yaml::Node& value) {
  const yaml::Node* code = value.is_mapping() ? value.find("answer") : nullptr;
  return code != nullptr && code->is_scalar() && find_return_code(code->scalar) == kDeprecatedCode;
}

bool can_be_deprecated(std::string_view field) { return deprecated_fields().contains(field); }

bool is_deprecation(const yaml::Node& value, std::string_view field) {
  return answers_deprecated(value) && value.entries.size() == 1 && can_be_deprecated(field);
}

void keep_unexplained_deprecations(const Text<80>& driver, GpuDraft& gpu) {
  visit_leaves(driver, *gpu.state, [&marks = std::as_const(gpu.marks)](std::uint32_t leaf, auto& fact, bool refused) {
    if (!refused && marks[leaf].deprecated) fact.set_error(kDeprecatedCode);
  });
}

void mark_deprecated(const Text<80>& driver, GpuDraft& gpu) {
  visit_leaves(driver, *gpu.state, [&marks = gpu.marks](std::uint32_t leaf, const auto&, bool refused) {
    if (refused && !std::as_const(marks)[leaf].deprecated) marks[leaf].source = &derived_source();
  });
}

}  // namespace nvmlab::compiler
