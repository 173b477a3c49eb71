// SPDX-License-Identifier: Apache-2.0
// What a getter with one argument answered to each value that the argument may have: the members of a Snapshot that
// need more than the device. Covered by tests/binding/snapshot_test.cpp.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nvmlab/loader/error.hpp"

namespace nvml::inline v1 {

namespace detail {

// What stands where nobody asked.
inline Error not_asked() {
  return {static_cast<Return>(abi::NVML_ERROR_NO_DATA), Origin::binding, "", "not among the members that were chosen"};
}

}  // namespace detail

/// The answers of a getter with one argument, each with its argument.
template <class Key, class T>
class ByKey {
 public:
  using key_type = Key;                          ///< an enumeration
  using value_type = std::pair<Key, Result<T>>;  ///< the argument, and what was answered

  /// What `ask(key)` answers, of each of these.
  template <class Ask>
  ByKey(std::span<const Key> keys, Ask&& ask) {
    answers_.reserve(keys.size());
    for (const Key key : keys)
      answers_.emplace_back(key, ask(key));
  }

  /// What it answered to this one; NO_DATA of origin binding where it was not asked.
  Result<T> operator[](Key key) const {
    for (const value_type& each : answers_) {
      if (each.first == key) return each.second;
    }
    return unexpected(detail::not_asked());
  }

  auto begin() const noexcept { return answers_.begin(); }       ///< the first, by value
  auto end() const noexcept { return answers_.end(); }           ///< behind the last
  std::size_t size() const noexcept { return answers_.size(); }  ///< how many were asked; 0 of one that was not chosen

 private:
  std::vector<value_type> answers_;
};

}  // namespace nvml::inline v1
