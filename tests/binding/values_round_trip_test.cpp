// SPDX-License-Identifier: Apache-2.0
// Every C layout there and back: what a driver wrote is in the typed value, whole.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "tests/binding/generated/leaves.hpp"
#include "tests/binding/support/filler.hpp"

// Within nvml: a compiler's own <cxxabi.h> has an `abi` of its own.
namespace nvml {
namespace {

using test::Collector;
using test::Content;
using test::Filler;

template <class C>
std::unique_ptr<C> filled_with(int byte) {
  auto made = std::make_unique<C>();
  std::memset(static_cast<void*>(made.get()), byte, sizeof(C));
  return made;
}

struct RoundTrip {
  Content content;
  unsigned layouts = 0;

  template <class C>
  void operator()(const char* name) {
    SCOPED_TRACE(name);
    ++layouts;
    const auto from = filled_with<C>(0);
    Filler filler(content);
    leaves(*from, filler);
    detail::typed<C> value{};
    from_c(*from, value);
    const auto back = filled_with<C>(0xA5);
    to_c(value, *back);

    Collector wanted;
    Collector found;
    leaves(*from, wanted);
    leaves(*back, found);
    EXPECT_EQ(found.all, wanted.all);
    detail::typed<C> again{};
    from_c(*back, again);
    EXPECT_TRUE(again == value);
    if (content == Content::pattern) {
      EXPECT_FALSE(value == detail::typed<C>{});
    }
  }
};

void round_trip(Content content) {
  RoundTrip check{content};
  for_each_layout(check);
  EXPECT_GT(check.layouts, 120U);
}

TEST(ValuesRoundTrip, Patterns) { round_trip(Content::pattern); }
TEST(ValuesRoundTrip, AllBits) { round_trip(Content::ones); }
TEST(ValuesRoundTrip, NoBits) { round_trip(Content::zeros); }

}  // namespace
}  // namespace nvml
