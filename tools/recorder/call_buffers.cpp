// SPDX-License-Identifier: Apache-2.0
#include "recorder/call_buffers.hpp"

#include <cstring>

namespace nvmlab::recorder {
namespace {

constexpr std::size_t kTextRoom = 1024;
constexpr std::uint32_t kBlockRoom = 64 * 1024;

}  // namespace

const Version& CallBuffers::version_of(const Parameter& parameter) const {
  return parameter.versions[version_ < parameter.versions.size() ? version_ : parameter.versions.size() - 1];
}

Word CallBuffers::word(std::size_t place, std::uint32_t items) {
  const Parameter& each = function_.parameters[place];
  items_ = items;
  const auto allocate = [&](std::size_t size) { return reinterpret_cast<Word>(outputs_[place].allocate(size)); };
  switch (each.role) {
    case Role::receiver:
      return receiver_;
    case Role::peer:
      return peer_;
    case Role::input:
    case Role::text_in:
      return 0;  // given below
    case Role::output:
      return allocate(each.what.size < 8 ? 8 : each.what.size);
    case Role::structure:
      return pass_structure(version_of(each), place, items);
    case Role::items:
      if (capacity() > 0) return allocate(std::size_t{each.what.size} * each.room);
      return items == 0 ? (outputs_[place].allocate(0), 0) : allocate(std::size_t{each.what.size} * items);
    case Role::count: {
      const Word memory = allocate(8);
      std::memcpy(outputs_[place].get(), &items, sizeof items);
      return memory;
    }
    case Role::capacity:
      return each.passed;
    case Role::text:
      return allocate(kTextRoom);
    case Role::length:
      return kTextRoom;
    case Role::size: {
      const Word memory = allocate(8);
      const std::uint32_t size = kBlockRoom;
      std::memcpy(outputs_[place].get(), &size, sizeof size);
      return memory;
    }
  }
  return 0;
}

Word CallBuffers::pass_structure(const Version& version, std::size_t place, std::uint32_t items) {
  std::size_t size = version.record->size;
  for (const Parameter& each : function_.parameters)
    size = each.role == Role::size && size < kBlockRoom ? kBlockRoom : size;
  std::byte* const memory = outputs_[place].allocate(size);
  if (version.number != 0) std::memcpy(memory, &version.word, sizeof version.word);
  std::size_t behind = 0;
  for (const Field& field : version.record->fields) {
    if (!field.behind || field.counted_by == kUncounted) continue;
    const Field& counter = version.record->fields[static_cast<std::size_t>(field.counted_by)];
    std::memcpy(memory + counter.offset, &items, sizeof items);
    const Word pointer =
        items == 0 ? 0 : reinterpret_cast<Word>(behind_[behind].allocate(std::size_t{field.size} * items));
    std::memcpy(memory + field.offset, &pointer, sizeof pointer);
    behind = behind + 1 < kParameters ? behind + 1 : behind;
  }
  return reinterpret_cast<Word>(memory);
}

std::uint32_t CallBuffers::capacity() const {
  for (const Parameter& each : function_.parameters) {
    if (each.role == Role::capacity) return each.passed;
  }
  return 0;
}

bool CallBuffers::has_list() const {
  for (const Parameter& each : function_.parameters) {
    if (each.role == Role::count) return true;
    if (each.role != Role::structure) continue;
    for (const Field& field : version_of(each).record->fields) {
      if (field.behind && field.counted_by != kUncounted) return true;
    }
  }
  return false;
}

std::uint32_t CallBuffers::counted_items() const {
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const Parameter& each = function_.parameters[i];
    std::uint32_t told = 0;
    if (each.role == Role::count) {
      std::memcpy(&told, outputs_[i].get(), sizeof told);
      return told;
    }
    if (each.role != Role::structure) continue;
    const Record& record = *version_of(each).record;
    for (const Field& field : record.fields) {
      if (!field.behind || field.counted_by == kUncounted) continue;
      std::memcpy(&told, outputs_[i].get() + record.fields[static_cast<std::size_t>(field.counted_by)].offset,
                  sizeof told);
      return told;
    }
  }
  return 0;
}

std::uint64_t CallBuffers::listed(std::size_t place, std::uint32_t told) const {
  const Parameter& each = function_.parameters[place];
  if (capacity() > 0) return each.room;
  const std::uint64_t room = each.what.size == 0 ? 0 : outputs_[place].size() / each.what.size;
  return told < room ? told : room;
}

void CallBuffers::limit_counts() {
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    if (function_.parameters[i].role != Role::structure) continue;
    const Record& record = *version_of(function_.parameters[i]).record;
    for (const Field& field : record.fields) {
      if (!field.behind || field.counted_by == kUncounted) continue;
      std::byte* const counter = memory(i) + record.fields[static_cast<std::size_t>(field.counted_by)].offset;
      std::uint32_t told = 0;
      std::memcpy(&told, counter, sizeof told);
      if (told > items_) std::memcpy(counter, &items_, sizeof items_);
    }
  }
}

}  // namespace nvmlab::recorder
