// SPDX-License-Identifier: Apache-2.0
//
// Programs call NVML from threads with the smallest stack that there is. No function takes more than 8 KiB, on a board
// that has everything, and a thread of 16 KiB may call them all, an nvmlInit that compiles no YAML among them.
#include <gtest/gtest.h>

#include <limits.h>
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/exports/painted_stack.hpp"
#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr std::uint64_t kMostStack = 8 << 10;
constexpr std::size_t kSmallStack = 16 << 10;

// All but those that begin and end the library, and the one whose parameters no header tells.
bool is_called(const FunctionFacts& function) {
  return !function.name.starts_with("nvmlInit") && function.name != "nvmlShutdown" &&
         function.name != "nvmlInternalGetExportTable" && Driver::get().has(function.name);
}

// Calls every function once on each of two boards, one of them full.
void call_all(const std::function<void(const FunctionFacts&, Arguments&)>& call) {
  for (const FunctionFacts& function : Api::get().functions()) {
    if (!is_called(function)) continue;
    for (const unsigned gpu : {0U, 1U}) {
      Arguments arguments(function, Driver::get().device(gpu));
      call(function, arguments);
    }
  }
}

std::string says_that_all_fit() {
  if (Driver::get().init() != kSuccess) return "no init";
  std::map<std::string, std::uint64_t> stacks;
  call_all([&](const FunctionFacts& function, Arguments& arguments) {
    arguments.call();  // the first call also finds the C library's functions, which is the loader's work
    arguments.reset();
    const std::uint64_t bytes = bench::stack_of([&] { arguments.call(); });
    stacks[function.name] = std::max(stacks[function.name], bytes);
  });
  std::string wrong;
  for (const auto& [name, bytes] : stacks) {
    if (bytes > kMostStack) wrong += name + " takes " + std::to_string(bytes) + " bytes; ";
  }
  const bool measured = std::ranges::any_of(stacks, [](const auto& each) { return each.second > 1000; });
  return !measured ? "nothing was measured" : wrong;
}

TEST(Stack, NoFunctionTakesMoreThan8KiB) {
  const SharedMachine machine("dgx-h100");
  machine.fill_gpu(1);
  const auto said = as_root(says_that_all_fit);
  EXPECT_EQ(said ? *said : in_child(says_that_all_fit), "");
}

// On a thread of its own with 16 KiB, or the least that the C library allows on this processor, which takes some of it.
bool on_small_thread(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_t thread{};
  const std::size_t least = std::max(kSmallStack, static_cast<std::size_t>(PTHREAD_STACK_MIN));
  if (::pthread_attr_init(&attributes) != 0 || ::pthread_attr_setstacksize(&attributes, least) != 0) return false;
  const auto run = [](void* body) -> void* {
    (*static_cast<const std::function<void()>*>(body))();
    return nullptr;
  };
  std::function<void()> copy = work;
  const bool begun = ::pthread_create(&thread, &attributes, run, &copy) == 0;
  ::pthread_attr_destroy(&attributes);
  return begun && ::pthread_join(thread, nullptr) == 0;
}

std::string says_that_a_small_thread_calls_all() {
  int code = kUnknown;
  if (!on_small_thread([&] { code = Driver::get().init(); })) return "no thread";
  if (code != kSuccess) return "no init";
  bool all = true;
  call_all(
      [&](const FunctionFacts&, Arguments& arguments) { all = on_small_thread([&] { arguments.call(); }) && all; });
  return all ? "" : "a thread was not begun";
}

TEST(Stack, AThreadOf16KiBMayCallEverything) {
  const SharedMachine machine("dgx-h100");
  machine.fill_gpu(1);
  const auto said = as_root(says_that_a_small_thread_calls_all);
  EXPECT_EQ(said ? *said : in_child(says_that_a_small_thread_calls_all), "");
}

TEST(Stack, AThreadOf16KiBMayInitialiseTheMachineInTheLibrary) {
  const Environment nothing_named{{"NVMLAB_MACHINE", std::nullopt}, {"NVMLAB_PROFILE", std::nullopt}};
  EXPECT_EQ(in_child([] {
              int code = kUnknown;
              on_small_thread([&] { code = Driver::get().init(); });
              return code == kSuccess ? std::string() : "init answered " + std::to_string(code);
            }),
            "");
}

}  // namespace
}  // namespace nvmlab::driver_test
