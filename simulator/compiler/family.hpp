// SPDX-License-Identifier: Apache-2.0
//
// What a board has that inherits shipped families and says nothing of its own.
// Tests: tests/unit/compiler/families_test.cpp.
#pragma once

#include <span>
#include <string>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// Shipped profiles, each read once.
class Families {
 public:
  // Lays the profiles over drafts, the later over the earlier. Marks point into this object.
  void lay(std::span<const std::string> names, GpuDraft& gpu, NodeDraft& node);

 private:
  Problems problems_;  // shipped profiles have none
  Documents documents_{problems_};
  Layers layers_{documents_, problems_};
};

// The families laid over one another, the later over the earlier. Marks are those of no file.
GpuDraft inherited(std::span<const std::string> families);

}  // namespace nvmlab::compiler
