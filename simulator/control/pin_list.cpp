// SPDX-License-Identifier: Apache-2.0
#include "control/pin_list.hpp"

#include <algorithm>
#include <utility>

#include "compiler/canonical.hpp"
#include "control/places.hpp"

namespace nvmlab::control {
namespace {

// The field that a pin holds, or null.
const Field* field_of(bool of_node, const Pin& pin) {
  for (const PlacedField& place : fields_at(of_node, pin.offset, 1)) {
    const FieldType type = place.field->type;
    const bool number =
        type == FieldType::u32 || type == FieldType::u64 || type == FieldType::i32 || type == FieldType::flag;
    if (number && place.offset == pin.offset && place.field->size == pin.size) return place.field;
  }
  return nullptr;
}

}  // namespace

bool make_canonical(bool of_node, std::vector<Pin>& pins) {
  std::vector<std::pair<bool, Pin>> ordered;  // whether it follows from others
  for (const Pin& pin : pins) {
    const Field* const field = field_of(of_node, pin);
    if (field == nullptr) return false;
    ordered.emplace_back(*field->derived_from != '\0', compiler::canonical(pin));
  }
  std::ranges::sort(ordered, {}, [](const auto& each) { return std::pair(each.first, each.second.offset); });
  std::ranges::transform(ordered, pins.begin(), [](const auto& each) { return each.second; });
  return std::ranges::adjacent_find(pins, {}, &Pin::offset) == pins.end();
}

}  // namespace nvmlab::control
