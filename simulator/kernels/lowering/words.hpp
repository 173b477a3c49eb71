// SPDX-License-Identifier: Apache-2.0
// The modifiers of an instruction, taken one by one: what is left at the end is a form that nobody knows.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ptx/type.hpp"

namespace nvmlab::kernels {

class Words {
 public:
  explicit Words(const std::vector<std::string_view>& all) : left_(all) {}

  bool take(std::string_view word) {
    const auto found = std::ranges::find(left_, word);
    if (found == left_.end()) return false;
    left_.erase(found);
    return true;
  }

  // The first of these that is there; empty: none is.
  std::string_view take_one(std::initializer_list<std::string_view> words) {
    for (const std::string_view each : words) {
      if (take(each)) return each;
    }
    return {};
  }

  // The types in their order.
  ptx::Type take_type() {
    for (auto at = left_.begin(); at != left_.end(); ++at) {
      const ptx::Type type = ptx::type_of(*at);
      if (type == ptx::Type::none) continue;
      left_.erase(at);
      return type;
    }
    return ptx::Type::none;
  }

  // What orders memory and hints at caches: executed as the strongest order there is.
  void drop_memory_hints() {
    std::erase_if(left_, [](std::string_view word) {
      for (const std::string_view hint :
           {"volatile", "relaxed", "acquire", "release", "acq_rel", "weak",   "mmio", "cta",
            "cluster",  "gpu",     "sys",     "ca",      "cg",      "cs",     "lu",   "cv",
            "wb",       "wt",      "nc",      "sc",      "noftz",   "unified"}) {
        if (word == hint) return true;
      }
      return word.starts_with("L1::") || word.starts_with("L2::");
    });
  }

  bool empty() const { return left_.empty(); }
  const std::vector<std::string_view>& left() const { return left_; }

 private:
  std::vector<std::string_view> left_;
};

}  // namespace nvmlab::kernels
