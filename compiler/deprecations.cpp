// SPDX-License-Identifier: Apache-2.0
#include "compiler/deprecations.hpp"

#include <memory>
#include <set>
#include <string>

#include "compiler/return_codes.hpp"
#include "engine/machine/driver_version.hpp"
#include "engine/machine/generated/driver_releases.hpp"

namespace nvmlab::compiler {
namespace {

const std::set<std::string, std::less<>>& deprecated_fields() {
  static const auto all = [] {
    std::set<std::string, std::less<>> names;
    const auto scratch = std::make_unique<Gpu>();
    visit_deprecations(*scratch, [&](const char* name, const auto&, std::uint32_t) { names.insert(name); });
    return names;
  }();
  return all;
}

// Calls visit(mark, fact, whether that driver refuses it).
template <class Visit>
void visit_marks(const Text<80>& driver, GpuDraft& gpu, const Visit& visit) {
  visit_deprecations(*gpu.state, [&, row = driver_row(driver.data)](const char* name, auto& fact, std::uint32_t from) {
    visit(gpu.marks[leaf_of(*find_field(name))], fact, row >= from);
  });
}

}  // namespace

bool answers_deprecated(const yaml::Node& value) {
  const yaml::Node* code = value.is_mapping() ? value.find("answer") : nullptr;
  return code != nullptr && code->is_scalar() && find_return_code(code->scalar) == kDeprecatedCode;
}

bool is_deprecation(const yaml::Node& value, std::string_view field) {
  return deprecated_fields().contains(field) && answers_deprecated(value) && value.entries.size() == 1;
}

void keep_unexplained_deprecations(const Text<80>& driver, GpuDraft& gpu) {
  visit_marks(driver, gpu, [](const Mark& mark, auto& fact, bool refused) {
    if (!refused && mark.node != nullptr && answers_deprecated(*mark.node)) fact.set_error(kDeprecatedCode);
  });
}

void mark_deprecated(const Text<80>& driver, GpuDraft& gpu) {
  visit_marks(driver, gpu, [](Mark& mark, const auto&, bool refused) {
    const bool said = mark.node != nullptr && answers_deprecated(*mark.node);
    if (refused && !said) mark.source = &derived_source();
  });
}

}  // namespace nvmlab::compiler
