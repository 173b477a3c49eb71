// SPDX-License-Identifier: Apache-2.0
//
// Programs call NVML from threads with the smallest stack that there is. No function takes more than 8 KiB, on a board
// that has everything, and a thread of 16 KiB may call them all, an nvmlInit that compiles no YAML among them. And they
// call it often: what monitors ask for takes few instructions, at rest and under load.
#include <gtest/gtest.h>

#include <limits.h>
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "nvmlab/abi/abi.hpp"
#include "tests/bench/exports/painted_stack.hpp"
#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/instructions.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

namespace abi = nvml::abi;

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

// What a monitor asks of one GPU, each with the most instructions that it may take: a quarter more than GCC 12 makes
// of it, for other compilers.
struct Asked {
  const char* function;
  std::uint64_t at_rest;
  std::uint64_t loaded;
  std::function<void()> call;
};

Word to_word(int value) { return static_cast<Word>(value); }
Word to_word(void* pointer) { return reinterpret_cast<Word>(pointer); }

std::vector<Asked> what_monitors_ask() {
  static Word gpu = Driver::get().device(0);
  static Word out[64];
  static abi::nvmlFieldValue_t fields[20];
  static unsigned room = 0;
  constexpr unsigned ids[] = {1, 3, 4, 5, 6, 82, 83, 91, 94, 142, 143, 144, 145, 185, 186, 187, 188, 189, 190, 193};
  for (unsigned i = 0; i < 20; ++i)
    fields[i].fieldId = ids[i];
  // Found beforehand: each instruction that looks for a name is a step, too.
  const auto ask = [](const char* function, std::uint64_t at_rest, std::uint64_t loaded, auto first, auto second) {
    auto* const call = reinterpret_cast<int (*)(Word, Word, Word)>(Driver::get().address(function));
    return Asked{function, at_rest, loaded, [=] { call(gpu, to_word(first), to_word(second)); }};
  };
  return {
      ask("nvmlDeviceGetNumGpuCores", 30, 30, out, 0),
      ask("nvmlDeviceGetPowerUsage", 27, 670, out, 0),
      ask("nvmlDeviceGetTotalEnergyConsumption", 40, 510, out, 0),
      ask("nvmlDeviceGetTemperature", 60, 520, 0, out),
      ask("nvmlDeviceGetClockInfo", 60, 390, 0, out),
      ask("nvmlDeviceGetUtilizationRates", 45, 600, out, 0),
      ask("nvmlDeviceGetMemoryInfo", 65, 65, out, 0),
      ask("nvmlDeviceGetName", 65, 65, out, 96),
      ask("nvmlDeviceGetUUID", 75, 75, out, 96),
      ask("nvmlDeviceGetComputeRunningProcesses_v3", 90, 90, &room, 0),
      ask("nvmlDeviceGetFieldValues", 1325, 3200, 20, fields),
  };
}

#ifdef __OPTIMIZE__
TEST(Instructions, AreFew) {
  const SharedMachine machine("dgx-h100");
  ASSERT_EQ(Driver::get().init(), kSuccess);
  const std::vector<Asked> asked = what_monitors_ask();
  if (instructions_of(asked.front().call) == 0) GTEST_SKIP() << "nobody may count them";
  for (const Asked& each : asked) {
    const std::uint64_t count = instructions_of(each.call);
    EXPECT_GT(count, 10U) << each.function;
    EXPECT_LE(count, each.at_rest) << each.function << " at rest";
  }
  AttachedStore attached;
  ASSERT_FALSE(attach_store(machine.path().c_str(), &attached));
  MachineAccess control{*attached.store, attached.file, true};
  ASSERT_EQ(apply(control, make_change(0, SetLoad{LoadKind::training, kOfKind, kOfKind, kSameAir, 0})).code, kSuccess);
  for (const Asked& each : asked)
    EXPECT_LE(instructions_of(each.call), each.loaded) << each.function << " under load";
  detach_store(&attached);
  EXPECT_EQ(Driver::get().shutdown(), kSuccess);
}
#endif

}  // namespace
}  // namespace nvmlab::driver_test
