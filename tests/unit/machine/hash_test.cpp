// SPDX-License-Identifier: Apache-2.0
#include "engine/store/hash.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

TEST(Hash, IsFnv1a) {
  EXPECT_EQ(fnv1a("", 0), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a", 1), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("b", 1, fnv1a("a", 1)), fnv1a("ab", 2));
}

}  // namespace
}  // namespace nvmlab
