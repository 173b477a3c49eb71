// SPDX-License-Identifier: Apache-2.0
//
// The GPUs that a machine lists, in the making. One differs from the profile that it begins as in little more than its
// names, and takes a hundred kilobytes of which most are zero; so what is kept of a profile is what is not zero, and of
// a GPU what differs from its profile, and one place serves all of them in turn. Tests:
// tests/unit/compiler/gpu_drafts_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

class GpuDrafts {
 public:
  // What GPUs begin as.
  class Start {
   public:
    const Marks& marks() const { return marks_; }

   private:
    friend GpuDrafts;
    struct Word {
      std::uint32_t at;  // its offset
      std::uint64_t value;
    };
    explicit Start(Marks marks) : marks_(std::move(marks)) {}

    std::vector<Word> words_;  // that are not zero
    Marks marks_;
  };

  // One that tells nothing, for a start to be made of it.
  GpuDraft& blank();
  const Start& keep_start();

  // A GPU that begins so. What is laid over it is kept with keep(), for `count` GPUs.
  GpuDraft& begin(const Start& start);
  void keep(std::uint32_t count, const yaml::Place& place);

  std::uint32_t size() const { return static_cast<std::uint32_t>(gpus_.size()); }
  // As it was kept, to be changed at will. Good until another is asked for; what was changed is forgotten then.
  GpuDraft& load(std::uint32_t index);

  // Where GPU `index` is listed, as what it began, and how many of that item are in front of it.
  const yaml::Place& place(std::uint32_t index) const { return *gpus_[index].item->place; }
  const Start& start(std::uint32_t index) const { return *gpus_[index].item->start; }
  std::uint32_t repetition(std::uint32_t index) const { return gpus_[index].repetition; }

 private:
  struct Change {
    std::uint32_t at;  // its offset
    std::uint64_t before;
    std::uint64_t value;
  };
  struct Item {
    const Start* start;
    const yaml::Place* place;
    std::vector<Change> changes;
    Marks marks;
  };
  struct Kept {
    const Item* item;
    std::uint32_t repetition;
  };

  void write(std::uint32_t at, std::uint64_t value);
  void go_back_to(const Start& start);
  template <class Visit>
  void each_change(const Start& start, const Visit& visit);

  std::deque<Start> starts_;
  std::deque<Item> items_;
  std::vector<Kept> gpus_;
  GpuDraft desk_;
  const Start* on_desk_ = nullptr;  // as which the GPU on the desk began
  const Item* known_ = nullptr;     // what it differs in from that, where nobody had it since
};

}  // namespace nvmlab::compiler
