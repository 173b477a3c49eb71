// SPDX-License-Identifier: Apache-2.0
// CPUs or NUMA nodes: a set of small numbers. Covered by tests/binding/affinity_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "nvmlab/loader/lean_std.hpp"

namespace nvml::inline v1 {

/// A look at a set that lies in words of somebody else's: what methods answer that were lent them.
class IndexView {
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
      at_ = next(words_, at_ + 1);
      return *this;
    }
    /// On to the next number; what it was.
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

   private:
    friend class IndexView;
    Iterator(std::span<const unsigned long> words, unsigned at) : words_(words), at_(at) {}
    std::span<const unsigned long> words_;
    unsigned at_ = 0;
  };

  IndexView() = default;

  /// Bit 0 of the first word is 0. Words of zeros at the end say nothing.
  explicit IndexView(std::span<const unsigned long> words) noexcept : words_(words) {
    while (!words_.empty() && words_.back() == 0)
      words_ = words_.first(words_.size() - 1);
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

  Iterator begin() const noexcept { return {words_, next(words_, 0)}; }  ///< at the lowest number
  Iterator end() const noexcept { return {words_, limit(words_)}; }      ///< behind the highest

  /// As NVML has it.
  std::span<const unsigned long> words() const noexcept { return words_; }

  friend bool operator==(IndexView a, IndexView b) noexcept {
    if (a.words_.size() != b.words_.size()) return false;
    for (std::size_t i = 0; i < a.words_.size(); ++i)
      if (a.words_[i] != b.words_[i]) return false;
    return true;
  }

 private:
  static unsigned limit(std::span<const unsigned long> words) noexcept {
    return static_cast<unsigned>(words.size()) * kBits;
  }
  static unsigned next(std::span<const unsigned long> words, unsigned from) noexcept {
    for (; from < limit(words); from = (from / kBits + 1) * kBits) {
      if (const unsigned long rest = words[from / kBits] >> from % kBits; rest != 0)
        return from + static_cast<unsigned>(std::countr_zero(rest));
    }
    return limit(words);
  }

  std::span<const unsigned long> words_;
};

/// A set of small numbers: CPUs or NUMA nodes, say.
class IndexSet {
 public:
  static constexpr unsigned kBits = IndexView::kBits;  ///< of a word
  using Iterator = IndexView::Iterator;                ///< visits the numbers in the set, lowest first

  IndexSet() = default;

  /// Bit 0 of the first word is 0. Words of zeros at the end say nothing.
  explicit IndexSet(std::span<const unsigned long> words) : IndexSet(IndexView{words}) {}
  /// A copy of what is looked at.
  explicit IndexSet(IndexView view) : words_(view.words().begin(), view.words().end()) {}

  /// A look at it, for as long as it lives.
  operator IndexView() const noexcept { return IndexView{words_}; }  // NOLINT(google-explicit-constructor): a view

  /// Whether a number is in it.
  bool contains(unsigned index) const noexcept { return IndexView{*this}.contains(index); }
  bool empty() const noexcept { return words_.empty(); }  ///< whether no number is

  /// How many there are, which is not the highest one.
  std::size_t size() const noexcept { return IndexView{*this}.size(); }

  Iterator begin() const noexcept { return IndexView{*this}.begin(); }  ///< at the lowest number
  Iterator end() const noexcept { return IndexView{*this}.end(); }      ///< behind the highest

  /// As NVML has it.
  std::span<const unsigned long> words() const noexcept { return words_; }

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  std::vector<unsigned long> words_;
};

}  // namespace nvml::inline v1
