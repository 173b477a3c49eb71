// SPDX-License-Identifier: Apache-2.0
#include "compiler/gpu_drafts.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlab::compiler {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlock = 64 * kWord;  // bytes that are compared at once
constexpr std::byte kZeros[kBlock] = {};

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

// Calls visit(offset, what was there at the start, what is there now).
template <class Visit>
void GpuDrafts::each_change(const Start& start, const Visit& visit) {
  const std::byte* const now = desk_.bytes();
  auto word = start.words_.begin();
  for (std::size_t block = 0; block < sizeof(Gpu); block += kBlock) {
    const std::size_t end = std::min(block + kBlock, sizeof(Gpu));
    std::byte filled[kBlock];
    const std::byte* before = kZeros;
    if (word != start.words_.end() && word->at < end) {
      std::memset(filled, 0, sizeof filled);
      for (; word != start.words_.end() && word->at < end; ++word)
        std::memcpy(filled + (word->at - block), &word->value, kWord);
      before = filled;
    }
    if (std::memcmp(before, now + block, end - block) == 0) continue;
    for (std::size_t at = block; at < end; at += kWord) {
      const std::uint64_t was = word_at(before + (at - block));
      if (const std::uint64_t is = word_at(now + at); is != was) visit(static_cast<std::uint32_t>(at), was, is);
    }
  }
}

void GpuDrafts::write(std::uint32_t at, std::uint64_t value) { std::memcpy(desk_.bytes() + at, &value, sizeof value); }

GpuDraft& GpuDrafts::blank() {
  if (on_desk_ != nullptr) {
    go_back_to(*on_desk_);
    for (const auto& word : on_desk_->words_)
      write(word.at, 0);
  }
  on_desk_ = nullptr;
  desk_.marks = Marks(desk_.marks.size());
  return desk_;
}

const GpuDrafts::Start& GpuDrafts::keep_start() {
  const Start nothing(Marks(0));
  Start& start = starts_.emplace_back(Start(desk_.marks));
  each_change(nothing, [&](std::uint32_t at, std::uint64_t, std::uint64_t is) { start.words_.push_back({at, is}); });
  on_desk_ = &start;
  return start;
}

// The start that is on the desk.
void GpuDrafts::go_back_to(const Start& start) {
  if (known_ != nullptr) {
    for (const Change& change : known_->changes)
      write(change.at, change.before);
  } else {
    each_change(start, [&](std::uint32_t at, std::uint64_t was, std::uint64_t) { write(at, was); });
  }
  known_ = nullptr;
}

GpuDraft& GpuDrafts::begin(const Start& start) {
  if (on_desk_ == &start) {
    go_back_to(start);
  } else {
    blank();
    for (const auto& word : start.words_)
      write(word.at, word.value);
  }
  on_desk_ = &start;
  desk_.marks = start.marks_;
  return desk_;
}

void GpuDrafts::keep(std::uint32_t count, const yaml::Place& place) {
  Item& item = items_.emplace_back(Item{on_desk_, &place, {}, desk_.marks});
  each_change(*on_desk_, [&](std::uint32_t at, std::uint64_t was, std::uint64_t is) {
    item.changes.push_back({at, was, is});
  });
  known_ = &item;
  for (std::uint32_t i = 0; i < count; ++i)
    gpus_.push_back({&item, i});
}

GpuDraft& GpuDrafts::load(std::uint32_t index) {
  const Item& item = *gpus_[index].item;
  begin(*item.start);
  for (const Change& change : item.changes)
    write(change.at, change.value);
  desk_.marks = item.marks;
  return desk_;
}

}  // namespace nvmlab::compiler
