// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/fake.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "nvmlab/loader/function_names.hpp"

namespace nvml::inline v1 {
namespace detail {
namespace {

static_assert(kMostFakes == 16);
constinit std::atomic<std::uint16_t> numbers_taken = 0;

std::size_t take_number() {
  std::uint16_t taken = numbers_taken.load();
  for (;;) {
    const auto number = static_cast<unsigned>(std::countr_one(taken));
    if (number == kMostFakes) {
      std::fputs("nvml::Fake: 16 of them are alive already\n", stderr);
      std::abort();
    }
    if (numbers_taken.compare_exchange_weak(taken, static_cast<std::uint16_t>(taken | 1U << number))) return number;
  }
}

}  // namespace

FakeState::FakeState() : FakeState(Shared{}) {}

FakeState::FakeState(Shared original) : original_(std::move(original)), number_(take_number()) {
  if (!original_) return;
  functions = original_->functions;
  path = original_->path;
}

FakeState::~FakeState() {
  shut_down();
  for (auto* const forget : forget_)
    forget(number_);
  numbers_taken.fetch_and(static_cast<std::uint16_t>(~(1U << number_)));
}

abi::nvmlReturn_t FakeState::shut_down() noexcept {
  // The original's own is its last owner's to call.
  auto* const inherited = original_ ? original_->functions.nvmlShutdown : nullptr;
  if (functions.nvmlShutdown == inherited || functions.nvmlShutdown == nullptr || std::exchange(shut_down_, true))
    return abi::NVML_SUCCESS;
  return functions.nvmlShutdown();
}

void* FakeState::symbol(const char* name) const noexcept {
  if (void* const replaced = State::symbol(name); replaced != nullptr || !original_) return replaced;
  if (index_of(name) < kFunctionCount) return nullptr;  // removed
  return original_->symbol(name);
}

}  // namespace detail

Fake::Fake() : Fake(new detail::FakeState) {}

Fake::Fake(const Library& original) : Fake(new detail::FakeState{original.library()}) {}

}  // namespace nvml::inline v1
