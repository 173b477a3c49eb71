// SPDX-License-Identifier: Apache-2.0
#include "control/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "compiler/values.hpp"
#include "control/fields.hpp"
#include "control/places.hpp"

namespace nvmlab::control {
namespace {

using compiler::FieldRef;
using compiler::Style;

const std::byte* bytes_of(const Gpu& gpu) { return reinterpret_cast<const std::byte*>(&gpu); }
const std::byte* bytes_of(const Node& node) { return reinterpret_cast<const std::byte*>(&node); }

using control::told;
std::unique_ptr<Node> told(const Node& stored, std::uint64_t) { return std::make_unique<Node>(stored); }

// The names of all fields that a GPU of either snapshot has, or that the node has.
std::vector<FieldRef> all_fields(bool of_node, const Snapshot& before, const Snapshot& after) {
  const auto longest = [&](const FieldRef& list) {
    std::uint32_t count = 0;
    for (const Snapshot* each : {&before, &after}) {
      const auto take = [&](const std::byte* owner) {
        count = std::max(count, compiler::list_count(*list.field, owner + list.offset));
      };
      if (of_node) take(bytes_of(*each->node));
      for (std::size_t i = 0; !of_node && i < each->gpus.size(); ++i)
        take(bytes_of(each->gpus[i]));
    }
    return count;
  };
  std::vector<FieldRef> fields;
  for (const Topic& topic : topics()) {
    if (topic.of_node == of_node) std::ranges::move(fields_of(topic, longest), std::back_inserter(fields));
  }
  return fields;
}

std::string value_of(const FieldRef& ref, const std::byte* owner) {
  return compiler::format_field(ref, owner, Style::people).value_or("none");
}

// Of the node, or of one GPU.
template <class State>
class Comparison {
 public:
  Comparison(std::optional<std::uint32_t> gpu, std::vector<Difference>& found) : gpu_(gpu), found_(found) {}

  struct At {
    const State& state;
    std::uint64_t now_ns;
  };
  void states(const At& at_before, const At& at_after, const std::vector<FieldRef>& fields) {
    const State& before = at_before.state;
    const State& after = at_after.state;
    const auto told_before = told(before, at_before.now_ns);
    const auto told_after = told(after, at_after.now_ns);
    for (const FieldRef& ref : fields) {
      if (!same_field(ref, bytes_of(*told_before), bytes_of(*told_after))) {
        add(ref.name, value_of(ref, bytes_of(*told_before)), value_of(ref, bytes_of(*told_after)), ref);
      } else if (!same_field(ref, bytes_of(before), bytes_of(after))) {
        add("residue of " + ref.name, value_of(ref, bytes_of(before)), value_of(ref, bytes_of(after)));
      }
    }
  }

  void pins(const std::vector<Pin>& before, const std::vector<Pin>& after) {
    for (const Pin& pin : before)
      compare_pin(&pin, find(after, pin.offset));
    for (const Pin& pin : after)
      if (find(before, pin.offset) == nullptr) compare_pin(nullptr, &pin);
  }

  void presence(bool before, bool after) {
    const auto text = [](bool present) { return present ? "present" : "removed"; };
    if (before != after) add("presence", text(before), text(after));
  }

 private:
  static const Pin* find(const std::vector<Pin>& pins, std::uint32_t offset) {
    const auto found = std::ranges::find(pins, offset, &Pin::offset);
    return found == pins.end() ? nullptr : &*found;
  }

  void compare_pin(const Pin* before, const Pin* after) {
    if (before != nullptr && after != nullptr && std::memcmp(before, after, sizeof *before) == 0) return;
    const std::uint32_t offset = (before != nullptr ? before : after)->offset;
    for (const PlacedField& place : fields_at(!gpu_, offset, 1))
      add("pin of " + place.path, text_of_pin(before, place), text_of_pin(after, place));
  }

  static std::string text_of_pin(const Pin* pin, const PlacedField& place) {
    if (pin == nullptr) return "none";
    const auto text = [&place](const std::uint64_t(&words)[2]) {
      return compiler::format_value(*place.field, reinterpret_cast<const std::byte*>(words), Style::people);
    };
    const bool derived = *place.field->derived_from != '\0';
    return fmt::format("{} over {}{}", text(pin->value), derived ? "residue " : "", text(pin->under));
  }

  void add(std::string what, std::string before, std::string after, std::optional<FieldRef> field = {}) {
    found_.push_back({gpu_, std::move(what), std::move(before), std::move(after), std::move(field)});
  }

  std::optional<std::uint32_t> gpu_;
  std::vector<Difference>& found_;
};

}  // namespace

std::vector<Difference> differences(const Snapshot& before, const Snapshot& after) {
  std::vector<Difference> found;
  Comparison<Node> node(std::nullopt, found);
  node.states({*before.node, before.time_ns}, {*after.node, after.time_ns}, all_fields(true, before, after));
  node.pins(before.beside_node.pins, after.beside_node.pins);
  const std::vector<FieldRef> fields = all_fields(false, before, after);
  for (std::uint32_t i = 0; i < std::min(before.gpu_count(), after.gpu_count()); ++i) {
    Comparison<Gpu> gpu(i, found);
    gpu.presence(before.beside_gpus[i].present, after.beside_gpus[i].present);
    gpu.states({before.gpus[i], before.time_ns}, {after.gpus[i], after.time_ns}, fields);
    gpu.pins(before.beside_gpus[i].pins, after.beside_gpus[i].pins);
  }
  return found;
}

}  // namespace nvmlab::control
