// SPDX-License-Identifier: Apache-2.0
//
// Memory for the output of one call: it ends where a page begins that nobody may touch, so that one byte too many is a
// crash, and everything before it is filled with a pattern, so that a byte too early is seen.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace nvmlab::driver_test {

class GuardedPage {
 public:
  explicit GuardedPage(std::size_t capacity = std::size_t{64} << 10);
  ~GuardedPage();
  GuardedPage(GuardedPage&& other) noexcept;
  GuardedPage& operator=(GuardedPage&&) = delete;

  // Room for `size` bytes at the end of the page, filled with the pattern as all the rest is.
  std::byte* place(std::size_t size);
  std::byte* data() { return placed_; }
  const std::byte* data() const { return placed_; }
  std::size_t size() const { return size_; }

  // From here on, changes() tells what is different.
  void remember();
  bool changed() const;                                          // anywhere
  bool changed_outside(std::size_t from, std::size_t to) const;  // bytes of the placed room that may change
  // The first byte of the placed room that changed, and the one after the last; equal where none did.
  std::pair<std::size_t, std::size_t> changed_range() const;

 private:
  std::byte* start_ = nullptr;
  std::size_t capacity_ = 0;
  std::byte* placed_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte> remembered_;  // of the last kWatched bytes
  static constexpr std::size_t kWatched = 16384;
  std::size_t watched() const;
};

}  // namespace nvmlab::driver_test
