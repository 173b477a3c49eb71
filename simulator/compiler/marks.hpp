// SPDX-License-Identifier: Apache-2.0
//
// During compilation: who set each leaf of a GPU or node, and where. A machine lists up to thousands of GPUs that share
// a profile, so that a copy shares what it does not change. Tests: tests/unit/compiler/gpu_drafts_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/yaml/tree.hpp"

namespace nvmlab::compiler {

struct Source;

// Source and place outlive the compilation of one machine only.
struct Mark {
  const Source* source = nullptr;
  const yaml::Place* place = nullptr;  // null if nothing states the value
  // The distance from the GPU that an identifier names, counted in GPUs (derive.hpp).
  std::uint32_t behind = 0;
  bool deprecated = false;  // stated as {answer: DEPRECATED} (deprecations.hpp)
};

class Marks {
 public:
  explicit Marks(std::size_t leaves) : parts_((leaves + kPart - 1) / kPart), size_(leaves) {}

  std::size_t size() const { return size_; }

  const Mark& operator[](std::size_t leaf) const {
    static constexpr Mark kNone;
    const auto& part = parts_[leaf / kPart];
    return part == nullptr ? kNone : (*part)[leaf % kPart];
  }

  // To be changed; parts with the copies that share it.
  Mark& operator[](std::size_t leaf) {
    auto& part = parts_[leaf / kPart];
    if (part == nullptr) {
      part = std::make_shared<Part>();
    } else if (part.use_count() > 1) {
      part = std::make_shared<Part>(*part);
    }
    return (*part)[leaf % kPart];
  }

 private:
  static constexpr std::size_t kPart = 16;
  using Part = std::array<Mark, kPart>;

  std::vector<std::shared_ptr<Part>> parts_;  // null where nothing was ever set
  std::size_t size_;
};

}  // namespace nvmlab::compiler
