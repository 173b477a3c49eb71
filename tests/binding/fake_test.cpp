// SPDX-License-Identifier: Apache-2.0
// Fakes: tables of lambdas, and libraries with some functions replaced.
#include "nvmlab/nvml/fake.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "tests/binding/support/simulated.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::code;
using nvmlab::binding_test::gpus;
using nvmlab::binding_test::open_simulated;

TEST(Fake, HasNothingUntilSomethingIsSet) {
  Fake fake;
  const Library library = fake.library();
  ASSERT_FALSE(gpus(library).has_value());
  EXPECT_EQ(gpus(library).error(),
            (Error{code(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, "nvmlDeviceGetCount_v2"}));
  EXPECT_FALSE(library.has("nvmlDeviceGetCount_v2"));

  fake.set<&Functions::nvmlDeviceGetCount_v2>([](unsigned* count) {
    *count = 3;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(gpus(library).value(), 3U);  // a library made before sees it too
  EXPECT_TRUE(library.has("nvmlDeviceGetCount_v2"));
  EXPECT_TRUE(library.has<&Functions::nvmlDeviceGetCount_v2>());

  fake.remove<&Functions::nvmlDeviceGetCount_v2>();
  EXPECT_FALSE(gpus(library).has_value());
}

TEST(Fake, LambdasMayCapture) {
  unsigned answer = 5;
  int calls = 0;
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetCount_v2>([&](unsigned* count) {
    ++calls;
    *count = answer;
    return abi::NVML_SUCCESS;
  });
  const Library library = fake.library();
  EXPECT_EQ(gpus(library).value(), 5U);
  answer = 6;
  EXPECT_EQ(gpus(library).value(), 6U);
  EXPECT_EQ(calls, 2);
}

TEST(Fake, ErrorsOfALambdaAreTheDrivers) {
  Fake fake;
  fake.set_answer<&Functions::nvmlDeviceGetCount_v2>(code(abi::NVML_ERROR_GPU_IS_LOST));
  ASSERT_FALSE(gpus(fake.library()).has_value());
  EXPECT_EQ(gpus(fake.library()).error(),
            (Error{code(abi::NVML_ERROR_GPU_IS_LOST), Origin::driver, "nvmlDeviceGetCount_v2"}));
}

TEST(Fake, SeveralHaveTheirOwnAnswers) {
  std::vector<Fake> fakes(detail::kMostFakes);
  for (unsigned i = 0; i < fakes.size(); ++i) {
    fakes[i].set<&Functions::nvmlDeviceGetCount_v2>([i](unsigned* count) {
      *count = 100 + i;
      return abi::NVML_SUCCESS;
    });
  }
  for (unsigned i = 0; i < fakes.size(); ++i)
    EXPECT_EQ(gpus(fakes[i].library()).value(), 100 + i);
}

TEST(FakeDeathTest, ThereIsAnEndToHowMany) {
  EXPECT_DEATH(std::vector<Fake>(detail::kMostFakes + 1), "16 of them are alive already");
}

TEST(Fake, WhatALambdaHoldsLivesAsLongAsTheLibrary) {
  const auto held = std::make_shared<unsigned>(7);
  std::optional<Library> library;
  {
    Fake fake;
    fake.set<&Functions::nvmlDeviceGetCount_v2>([held](unsigned* count) {
      *count = *held;
      return abi::NVML_SUCCESS;
    });
    library = fake.library();
  }
  EXPECT_EQ(gpus(*library).value(), 7U);
  EXPECT_EQ(held.use_count(), 2);
  library.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Fake, ReplacesSingleFunctionsOfALibrary) {
  const Library simulated = open_simulated();
  Fake fake{simulated};
  EXPECT_EQ(gpus(fake.library()).value(), 8U);
  fake.set<&Functions::nvmlDeviceGetCount_v2>(
      [original = simulated.functions().nvmlDeviceGetCount_v2](unsigned* count) {
        const auto answer = original(count);
        *count *= 2;
        return answer;
      });
  EXPECT_EQ(gpus(fake.library()).value(), 16U);
  EXPECT_EQ(gpus(simulated).value(), 8U);
  EXPECT_EQ(fake.library().path(), simulated.path());

  EXPECT_TRUE(fake.library().has("nvmlDeviceGetName"));
  fake.remove<&Functions::nvmlDeviceGetName>();
  EXPECT_FALSE(fake.library().has("nvmlDeviceGetName"));
  EXPECT_TRUE(simulated.has("nvmlDeviceGetName"));
}

TEST(Fake, ReplacingDoesNotShutTheLibraryDownTwice) {
  Library simulated = open_simulated();
  { EXPECT_TRUE(Fake{simulated}.library().shutdown().has_value()); }
  EXPECT_EQ(gpus(simulated).value(), 8U);
  EXPECT_TRUE(simulated.shutdown().has_value());
}

TEST(Fake, TheLastOwnerCallsAShutdownThatWasSet) {
  int shutdowns = 0;
  {
    Fake fake;
    fake.set<&Functions::nvmlShutdown>([&] {
      ++shutdowns;
      return abi::NVML_SUCCESS;
    });
    const Library one = fake.library();
    const Library two = fake.library();
    EXPECT_EQ(one, two);
  }
  EXPECT_EQ(shutdowns, 1);
}

}  // namespace
}  // namespace nvml
