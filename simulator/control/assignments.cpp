// SPDX-License-Identifier: Apache-2.0
#include "control/assignments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/nearest.hpp"
#include "control/board_ranges.hpp"
#include "control/refusals.hpp"
#include "engine/change/change.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::control {
namespace {

using compiler::FieldRef;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

bool is_scalar(const FieldRef& ref) {
  if (ref.item) return false;
  const FieldType type = ref.field->type;
  return type == FieldType::u32 || type == FieldType::u64 || type == FieldType::i32 || type == FieldType::flag;
}

bool has_value(const FieldRef& ref, const std::byte* owner) {
  std::uint32_t stored = 0;
  const std::size_t code_at = ref.field->type == FieldType::u64 ? 8 : 4;
  std::memcpy(&stored, owner + ref.offset + code_at, sizeof stored);
  return (stored ^ kNotSupported) == kSuccess;
}

// The inputs that a derived field follows from on this GPU; none where it stands for itself.
std::vector<std::string> inputs_of(const FieldRef& ref, const std::byte* owner) {
  std::vector<std::string> known;
  for (const std::string& name : words_of(ref.field->derived_from)) {
    const auto input = compiler::find_field(path_beside(ref, name));
    if (input && input->name != ref.name && has_value(*input, owner)) known.push_back(input->name);
  }
  return known;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// A GPU, or the node: what is stored, and what NVML tells of it.
template <class State>
struct StoredAndTold {
  std::unique_ptr<State> stored;
  std::unique_ptr<State> told;
};

void tell(const Gpu& stored, Gpu& told) {
  told = stored;
  derived::compute(told);
}
void tell(const Node& stored, Node& told) { told = stored; }

StoredAndTold<Gpu> subject_of(const GpuSlot& slot, std::uint64_t now_ns) {
  StoredAndTold<Gpu> subject{std::make_unique<Gpu>(consistent(slot, [](const Gpu& gpu) { return load(gpu); })),
                             nullptr};
  resolve(*subject.stored, now_ns);
  subject.told = std::make_unique<Gpu>();
  tell(*subject.stored, *subject.told);
  return subject;
}

StoredAndTold<Node> subject_of(const NodeSlot& slot) {
  StoredAndTold<Node> subject{std::make_unique<Node>(consistent(slot, [](const Node& node) { return load(node); })),
                              nullptr};
  subject.told = std::make_unique<Node>(*subject.stored);
  return subject;
}

void hold(Gpu& stored, const Gpu& told, std::uint32_t offset) {
  derived::hold(stored, offset, reinterpret_cast<const std::byte*>(&told) + offset);
}
void hold(Node&, const Node&, std::uint32_t) {}

// Puts what differs between two states, and the place that was named in any case.
template <class State>
void put_differences(const State& before, const State& after, const FieldRef& ref, ChangeTarget target,
                     std::vector<Change>& changes) {
  const auto* const old_bytes = reinterpret_cast<const std::byte*>(&before);
  const auto* const new_bytes = reinterpret_cast<const std::byte*>(&after);
  const std::uint32_t begin = ref.topic->offset;
  const std::uint32_t end = begin + ref.topic->table.size;
  const bool named = is_scalar(ref);
  constexpr std::uint32_t kWord = 8;
  for (std::uint32_t at = begin; at < end;) {
    const auto wanted = [&](std::uint32_t word) {
      return (named && word >= ref.offset && word < ref.offset + ref.field->size) ||
             std::memcmp(old_bytes + word, new_bytes + word, kWord) != 0;
    };
    if (!wanted(at)) {
      at += kWord;
      continue;
    }
    PutBytes put{at, 0, {}};
    while (at < end && put.size + kWord <= sizeof put.bytes && wanted(at)) {
      std::memcpy(put.bytes + put.size, new_bytes + at, kWord);
      put.size += kWord;
      at += kWord;
    }
    changes.push_back(make_change(target, put));
  }
}

template <class State>
class Assigner {
 public:
  Assigner(StoredAndTold<State> subject, ChangeTarget target, std::string owner)
      : subject_(std::move(subject)), target_(target), owner_(std::move(owner)) {}

  void assign(const Assignment& assignment, Force force, std::vector<Change>& changes, Complaints& complaints) {
    const auto problem = force == Force::yes ? pin(assignment, changes) : put(assignment, changes);
    // Lists differ from GPU to GPU; the values that a field can hold do not.
    if (problem) complain(assignment, (assignment.ref.steps.empty() ? "" : owner_) + *problem, complaints);
  }

  // Once all are assigned, because one may move the range of another.
  void check_range(const Assignment& assignment, Complaints& complaints) const {
    const auto problem = outside_board_range(assignment.ref, reinterpret_cast<const std::byte*>(subject_.stored.get()));
    if (problem) complain(assignment, owner_ + *problem, complaints);
  }

 private:
  static void complain(const Assignment& assignment, const std::string& text, Complaints& complaints) {
    std::string complaint = assignment.place + text;
    if (std::ranges::find(complaints, complaint) == complaints.end()) complaints.push_back(std::move(complaint));
  }

  std::optional<std::string> put(const Assignment& assignment, std::vector<Change>& changes) {
    const FieldRef& ref = assignment.ref;
    const auto before = std::make_unique<State>(*subject_.stored);
    if (*ref.field->derived_from == '\0') {
      if (auto done = write(assignment, bytes(*subject_.stored)); !done) return done.error();
      tell(*subject_.stored, *subject_.told);
    } else if (auto problem = put_derived(assignment)) {
      return problem;
    }
    put_differences(*before, *subject_.stored, ref, target_, changes);
    return std::nullopt;
  }

  // A field that follows from others can be given the value that it has, and any while nothing of those is known.
  std::optional<std::string> put_derived(const Assignment& assignment) {
    const FieldRef& ref = assignment.ref;
    const auto told = std::make_unique<State>(*subject_.told);
    if (auto done = write(assignment, bytes(*subject_.told)); !done) return done.error();
    const auto* const now = reinterpret_cast<const std::byte*>(told.get()) + ref.offset;
    if (std::memcmp(now, bytes(*subject_.told) + ref.offset, ref.field->size) == 0) return std::nullopt;
    if (const auto inputs = inputs_of(ref, bytes(*subject_.told)); !inputs.empty()) {
      *subject_.told = *told;
      return fmt::format("{} follows from {}: set {}, or pin {} with --force", ref.name, joined(inputs),
                         inputs.size() > 1 ? "one of them" : "that", ref.name);
    }
    hold(*subject_.stored, *subject_.told, ref.offset);
    return std::nullopt;
  }

  std::optional<std::string> pin(const Assignment& assignment, std::vector<Change>& changes) {
    const FieldRef& ref = assignment.ref;
    if (!is_scalar(ref)) return fmt::format("{} is a {}; only numbers can be pinned", ref.name, kind_of(ref));
    if (auto done = write(assignment, bytes(*subject_.told)); !done) return done.error();
    PinField change{ref.offset, ref.field->size, {}};
    std::memcpy(change.value, bytes(*subject_.told) + ref.offset,
                std::min<std::size_t>(ref.field->size, sizeof change.value));
    changes.push_back(make_change(target_, change));
    return std::nullopt;
  }

  static const char* kind_of(const FieldRef& ref) {
    if (ref.item) return "part of a list";
    switch (ref.field->type) {
      case FieldType::text:
        return "text";
      case FieldType::bytes:
        return "row of bytes";
      case FieldType::record:
        return "record";
      default:
        return "list";
    }
  }

  static std::expected<void, std::string> write(const Assignment& assignment, std::byte* owner) {
    return assignment.node ? compiler::assign_field(assignment.ref, *assignment.node, owner)
                           : compiler::assign_field(assignment.ref, assignment.value, owner);
  }

  static std::byte* bytes(State& state) { return reinterpret_cast<std::byte*>(&state); }

  StoredAndTold<State> subject_;
  ChangeTarget target_;
  std::string owner_;
};

Complaints make(Store& store, StoreFile& file, const WriteLock& lock, const std::vector<Change>& changes,
                const std::string& what) {
  MachineAccess machine{store, file, true};
  const Applied applied = apply(machine, lock, changes.data(), static_cast<std::uint32_t>(changes.size()));
  if (applied.code == kSuccess) return {};
  return {refusal(applied.code, changes[applied.failed], what)};
}

}  // namespace

Complaints assign(Store& store, StoreFile& file, const std::vector<Assignment>& assignments,
                  const std::vector<std::uint32_t>& gpus, Force force) {
  const WriteLock lock(&file);  // nothing changes between reading, checking and publishing
  if (lock.code() != kSuccess || taken_down(store)) return {not_locked(lock.code())};
  Complaints complaints;
  std::vector<Change> changes;
  const auto any = [&](bool node) {
    return std::ranges::any_of(assignments, [&](const Assignment& each) { return each.ref.topic->of_node == node; });
  };
  const auto assign_to = [&](auto assigner, bool node) {
    for (const Assignment& each : assignments)
      if (each.ref.topic->of_node == node) assigner.assign(each, force, changes, complaints);
    if (force == Force::yes) return;
    for (const Assignment& each : assignments)
      if (each.ref.topic->of_node == node) assigner.check_range(each, complaints);
  };
  if (any(true)) assign_to(Assigner<Node>(subject_of(store.node), MachinePart::node, ""), true);
  for (const std::uint32_t index : gpus) {
    if (!any(false)) break;
    assign_to(Assigner<Gpu>(subject_of(store.gpus()[index], machine_time_ns(store.clock)), index,
                            fmt::format("GPU {}: ", index)),
              false);
  }
  if (!complaints.empty() || changes.empty()) return complaints;
  return make(store, file, lock, changes, assignments.size() == 1 ? assignments.front().ref.name : "the assignments");
}

Complaints release(Store& store, StoreFile& file, const std::vector<FieldRef>& paths,
                   const std::vector<std::uint32_t>& gpus) {
  const WriteLock lock(&file);
  if (lock.code() != kSuccess || taken_down(store)) return {not_locked(lock.code())};
  std::vector<Change> changes;
  const auto let_go = [&](const Pins& pins, bool node, ChangeTarget target) {
    for (std::uint32_t i = 0; i < pins.size(); ++i) {
      const std::uint32_t offset = pins.items[i].offset;
      const bool named = std::ranges::any_of(
          paths, [&](const FieldRef& ref) { return ref.topic->of_node == node && ref.offset == offset; });
      if (!named && !paths.empty()) continue;
      changes.push_back(make_change(target, ReleaseField{offset}));
    }
  };
  let_go(store.node.pins, true, MachinePart::node);
  for (const std::uint32_t index : gpus)
    let_go(store.gpus()[index].pins, false, index);
  if (!changes.empty()) return make(store, file, lock, changes, "the release");
  if (paths.empty()) return {};
  return {fmt::format("{} is not pinned", paths.front().name)};
}

}  // namespace nvmlab::control
