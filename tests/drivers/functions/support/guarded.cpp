// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>

namespace nvmlab::driver_test {
namespace {

constexpr unsigned char kPattern = 0xA5;

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedPage::GuardedPage(std::size_t capacity) : capacity_((capacity + page_size() - 1) / page_size() * page_size()) {
  void* memory = ::mmap(nullptr, capacity_ + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  start_ = static_cast<std::byte*>(memory) + page_size();
  EXPECT_EQ(::mprotect(start_, capacity_, PROT_READ | PROT_WRITE), 0);
  place(0);
}

GuardedPage::~GuardedPage() {
  if (start_ != nullptr) ::munmap(start_ - page_size(), capacity_ + 2 * page_size());
}

GuardedPage::GuardedPage(GuardedPage&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      capacity_(other.capacity_),
      placed_(other.placed_),
      size_(other.size_),
      remembered_(std::move(other.remembered_)) {}

std::byte* GuardedPage::place(std::size_t size) {
  EXPECT_LE(size, capacity_);
  size_ = std::min(size, capacity_);
  placed_ = start_ + capacity_ - size_;
  const std::size_t fill = std::min(capacity_, std::max(watched(), size_));
  std::memset(start_ + capacity_ - fill, kPattern, fill);
  remember();
  return placed_;
}

std::size_t GuardedPage::watched() const { return std::min(kWatched, capacity_); }

void GuardedPage::remember() {
  const std::byte* end = start_ + capacity_;
  remembered_.assign(end - watched(), end);
}

bool GuardedPage::changed() const { return changed_outside(0, 0); }

bool GuardedPage::changed_outside(std::size_t from, std::size_t to) const {
  const std::byte* first = start_ + capacity_ - watched();
  const auto inside = [&](std::size_t offset) {  // a large room begins before what is watched
    const auto at = placed_ - first + static_cast<std::ptrdiff_t>(offset);
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, static_cast<std::ptrdiff_t>(watched())));
  };
  const std::size_t begin = inside(from);
  const std::size_t end = inside(to);
  if (begin >= end) return std::memcmp(first, remembered_.data(), watched()) != 0;
  return std::memcmp(first, remembered_.data(), begin) != 0 ||
         std::memcmp(first + end, remembered_.data() + end, watched() - end) != 0;
}

std::pair<std::size_t, std::size_t> GuardedPage::changed_range() const {
  if (!changed()) return {0, 0};
  const std::size_t watched_size = std::min(size_, watched());
  const std::byte* now = start_ + capacity_ - watched_size;
  const std::byte* then = remembered_.data() + remembered_.size() - watched_size;
  std::size_t from = 0;
  std::size_t to = watched_size;
  while (from < to && now[from] == then[from])
    ++from;
  while (to > from && now[to - 1] == then[to - 1])
    --to;
  return {from + size_ - watched_size, to + size_ - watched_size};
}

}  // namespace nvmlab::driver_test
