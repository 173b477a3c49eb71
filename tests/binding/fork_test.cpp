// SPDX-License-Identifier: Apache-2.0
// In the child of a fork the parent's objects answer UNINITIALIZED of origin fork, whatever other threads were doing,
// and a library of its own can be opened. A child says by its exit status which expectation did not hold.
#include "nvmlab/loader/fork.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "nvmlab/loader/function_names.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::code;
using nvmlab::binding_test::gpus;
using nvmlab::binding_test::in_child;
using nvmlab::binding_test::open_simulated;
using nvmlab::binding_test::simulated_library;

bool answers_fork(const Library& library) {
  const auto count = gpus(library);
  return !count && count.error() == Error{code(abi::NVML_ERROR_UNINITIALIZED), Origin::fork, "nvmlDeviceGetCount_v2"};
}

int look_at_inherited(const Library& inherited) {
  if (!answers_fork(inherited)) return 1;
  for (std::size_t at = 0; at < detail::kFunctionCount; ++at) {
    if (detail::entry(inherited.functions(), at) != nullptr) return 2;
  }
  if (inherited.has("nvmlDeviceGetCount_v2")) return 3;
  if (inherited.find<void()>("nvmlInternalGetExportTable") != nullptr) return 4;
  return 0;
}

int open_another() {
  const auto own = Library::open({.path = simulated_library().string()});
  if (!own) return 10;
  return gpus(*own).value_or(0) == 8 ? 0 : 11;
}

TEST(Fork, TheChildHasNothingOfTheParents) {
  const Library library = open_simulated();
  EXPECT_EQ(in_child([&] { return look_at_inherited(library); }), "exit 0");
  EXPECT_EQ(gpus(library).value(), 8U);  // the parent goes on
}

TEST(Fork, TheChildOpensALibraryOfItsOwn) {
  const Library library = open_simulated();
  EXPECT_EQ(in_child([&] {
              if (const int wrong = open_another(); wrong != 0) return wrong;
              return look_at_inherited(library);
            }),
            "exit 0");
  EXPECT_EQ(gpus(library).value(), 8U);
}

TEST(Fork, WhatTheChildOpensIsLostToItsOwnChild) {
  EXPECT_EQ(in_child([] {
              const Library own = open_simulated();
              const auto grandchild = in_child([&] { return look_at_inherited(own); });
              if (grandchild != "exit 0") return 20;
              return gpus(own).value_or(0) == 8 ? 0 : 21;
            }),
            "exit 0");
}

TEST(Fork, TheChildsLastOwnerNeitherShutsDownNorCloses) {
  std::optional<Library> library = open_simulated();
  auto* const count_gpus = library->functions().nvmlDeviceGetCount_v2;
  EXPECT_EQ(in_child([&] {
              library.reset();
              unsigned count = 0;  // the C function is still mapped, and still initialised by the parent's init
              return count_gpus(&count) == abi::NVML_SUCCESS && count == 8 ? 0 : 1;
            }),
            "exit 0");
  EXPECT_EQ(gpus(*library).value(), 8U);
}

TEST(Fork, ShutdownInTheChildIsRefusedAtOnce) {
  Library library = open_simulated();
  const Library other = library;
  EXPECT_EQ(in_child([&] {
              const auto answer = library.shutdown(std::chrono::hours{1});
              return !answer && answer.error().origin() == Origin::fork ? 0 : 1;
            }),
            "exit 0");
}

TEST(Fork, SeveralLibrariesAreEmptied) {
  std::vector<Library> libraries;
  for (int i = 0; i < 5; ++i)
    libraries.push_back(open_simulated());
  libraries.erase(libraries.begin() + 2);  // from the middle of the list
  libraries.pop_back();
  EXPECT_EQ(in_child([&] {
              for (const Library& library : libraries) {
                if (const int wrong = look_at_inherited(library); wrong != 0) return wrong;
              }
              return 0;
            }),
            "exit 0");
}

TEST(Fork, WhileOtherThreadsOpenAndClose) {
  const Library library = open_simulated();
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop)
        (void)gpus(open_simulated());
    });
  }
  for (int i = 0; i < 100; ++i) {
    const auto end = in_child([&] { return look_at_inherited(library); });
    EXPECT_EQ(end, "exit 0") << "child " << i;
    if (end != "exit 0") break;
  }
  stop = true;
  for (auto& thread : threads)
    thread.join();
}

}  // namespace
}  // namespace nvml
