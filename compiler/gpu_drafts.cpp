// SPDX-License-Identifier: Apache-2.0
#include "compiler/gpu_drafts.hpp"

#include <cstring>

namespace nvmlab::compiler {

GpuDraft& GpuDrafts::begin(const GpuDraft& start) {
  if (known_ != nullptr && on_desk_ == &start) {
    for (const Word& word : known_->words)
      std::memcpy(desk_.bytes() + word.at, start.bytes() + word.at, sizeof word.value);
  } else {
    copy_differences(*start.state, *desk_.state);
  }
  known_ = nullptr;
  on_desk_ = &start;
  desk_.marks = start.marks;
  return desk_;
}

void GpuDrafts::keep(std::uint32_t count, const yaml::Node& place) {
  Item& item = items_.emplace_back(Item{on_desk_, &place, {}, desk_.marks});
  each_difference(desk_.bytes(), on_desk_->bytes(), sizeof(Gpu), [&](std::size_t at) {
    Word& word = item.words.emplace_back(Word{static_cast<std::uint32_t>(at), 0});
    std::memcpy(&word.value, desk_.bytes() + at, sizeof word.value);
  });
  known_ = &item;
  for (std::uint32_t i = 0; i < count; ++i)
    gpus_.push_back({&item, i});
}

GpuDraft& GpuDrafts::load(std::uint32_t index) {
  const Item& item = *gpus_[index].item;
  begin(*item.start);
  for (const Word& word : item.words)
    std::memcpy(desk_.bytes() + word.at, &word.value, sizeof word.value);
  desk_.marks = item.marks;
  return desk_;
}

}  // namespace nvmlab::compiler
