// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/exports/painted_stack.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nvmlab::bench {
namespace {

constexpr std::uint64_t kPaint = 0xA5A5'5A5A'C3C3'3C3C;
constexpr std::size_t kWords = std::size_t{256} * 1024 / sizeof(std::uint64_t);

const std::function<void()>* body = nullptr;

void run_body() { (*body)(); }

std::uint64_t bytes_of(const std::function<void()>& call) {
  static std::vector<std::uint64_t> stack(kWords);
  static std::size_t touched = kWords;  // words from the end on; the rest has its paint still
  std::fill(stack.end() - static_cast<std::ptrdiff_t>(touched), stack.end(), kPaint);
  ucontext_t here{};
  ucontext_t there{};
  ::getcontext(&there);
  there.uc_stack.ss_sp = stack.data();
  there.uc_stack.ss_size = stack.size() * sizeof stack[0];
  there.uc_link = &here;
  body = &call;
  ::makecontext(&there, run_body, 0);
  ::swapcontext(&here, &there);
  const auto first = std::ranges::find_if(stack, [](std::uint64_t word) { return word != kPaint; });
  touched = static_cast<std::size_t>(stack.end() - first);
  return touched * sizeof stack[0];
}

}  // namespace

std::uint64_t stack_of(const std::function<void()>& call) {
  static const std::uint64_t overhead = bytes_of([] {});
  const std::uint64_t all = bytes_of(call);
  return all > overhead ? all - overhead : 0;
}

}  // namespace nvmlab::bench
