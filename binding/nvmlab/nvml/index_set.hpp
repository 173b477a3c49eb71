// SPDX-License-Identifier: Apache-2.0
// CPUs or NUMA nodes: a set of small numbers. Covered by tests/binding/affinity_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

namespace nvml::inline v1 {

/// A set of small numbers: CPUs or NUMA nodes, say.
class IndexSet {
 public:
  static constexpr unsigned kBits = sizeof(unsigned long) * 8;  ///< of a word

  /// Visits the numbers in the set, lowest first.
  class Iterator {
   public:
    using value_type = unsigned;                          ///< a number
    using difference_type = std::ptrdiff_t;               ///< as iterators have it
    using iterator_category = std::forward_iterator_tag;  ///< may be walked again

    Iterator() = default;
    unsigned operator*() const noexcept { return at_; }  ///< the number
    /// On to the next number.
    Iterator& operator++() noexcept {
      at_ = set_->next(at_ + 1);
      return *this;
    }
    /// On to the next number; what it was.
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    friend class IndexSet;
    Iterator(const IndexSet* set, unsigned at) : set_(set), at_(at) {}
    const IndexSet* set_ = nullptr;
    unsigned at_ = 0;
  };

  IndexSet() = default;

  /// Bit 0 of the first word is 0. Words of zeros at the end say nothing.
  explicit IndexSet(std::span<const unsigned long> words) {
    while (!words.empty() && words.back() == 0)
      words = words.first(words.size() - 1);
    words_.assign(words.begin(), words.end());
  }

  /// Whether a number is in it.
  bool contains(unsigned index) const noexcept {
    return index / kBits < words_.size() && (words_[index / kBits] >> index % kBits & 1) != 0;
  }
  bool empty() const noexcept { return words_.empty(); }  ///< whether none is

  /// How many there are, which is not the highest one.
  std::size_t size() const noexcept {
    std::size_t many = 0;
    for (const unsigned long word : words_)
      many += static_cast<std::size_t>(std::popcount(word));
    return many;
  }

  Iterator begin() const noexcept { return {this, next(0)}; }  ///< at the lowest number
  Iterator end() const noexcept { return {this, limit()}; }    ///< behind the highest

  /// As NVML has it.
  std::span<const unsigned long> words() const noexcept { return words_; }

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  unsigned limit() const noexcept { return static_cast<unsigned>(words_.size()) * kBits; }
  unsigned next(unsigned from) const noexcept {
    for (; from < limit(); from = (from / kBits + 1) * kBits) {
      if (const unsigned long rest = words_[from / kBits] >> from % kBits; rest != 0)
        return from + static_cast<unsigned>(std::countr_zero(rest));
    }
    return limit();
  }

  std::vector<unsigned long> words_;
};

}  // namespace nvml::inline v1
