// SPDX-License-Identifier: Apache-2.0
// Every C layout there and back: what a driver wrote is in the typed value, whole.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/binding/generated/leaves.hpp"

// Within nvml: a compiler's own <cxxabi.h> has an `abi` of its own.
namespace nvml {
namespace {

enum class Content { pattern, ones, zeros };

// Writes each part: with a pattern that differs from part to part, or with all bits, which many a sentinel is.
class Filler {
 public:
  explicit Filler(Content content) : content_(content) {}

  template <class T>
  void number(const char*, T& leaf) {
    if constexpr (std::is_floating_point_v<T>) {
      leaf = content_ == Content::zeros ? 0 : 0.5 + next();
    } else {
      for (std::size_t i = 0; i < sizeof leaf; ++i)
        reinterpret_cast<unsigned char*>(&leaf)[i] = byte();
    }
  }
  template <class T>
  void flag(const char*, T& leaf) {
    leaf = content_ == Content::zeros ? 0 : content_ == Content::ones ? 1 : static_cast<T>(next() % 2);
  }
  template <class T>
  void handle(const char*, T*& leaf) {
    number("", leaf);
  }
  // Full to the last byte, and shorter than its array.
  template <std::size_t N>
  void text(const char*, char (&leaf)[N]) {
    const std::size_t length = content_ == Content::ones ? N : content_ == Content::zeros ? 0 : N / 2;
    for (std::size_t i = 0; i < length; ++i)
      leaf[i] = static_cast<char>('!' + next() % 90);
  }
  template <class T>
  void count(const char*, T& leaf, unsigned most) {
    leaf = static_cast<T>(content_ == Content::ones ? most : content_ == Content::zeros ? 0 : most / 2);
  }
  void word(unsigned& leaf, unsigned version) { leaf = version; }

 private:
  unsigned next() { return ++last_; }
  unsigned char byte() {
    if (content_ == Content::pattern) return static_cast<unsigned char>(1 + next() % 251);
    return content_ == Content::ones ? 0xFF : 0;
  }

  Content content_;
  unsigned last_ = 0;
};

// What stands in each part, by its name.
class Collector {
 public:
  template <class T>
  void number(const char* name, T& leaf) {
    all.emplace_back(name, std::string(reinterpret_cast<const char*>(&leaf), sizeof leaf));
  }
  template <class T>
  void flag(const char* name, T& leaf) {
    number(name, leaf);
  }
  template <class T>
  void handle(const char* name, T*& leaf) {
    number(name, leaf);
  }
  template <std::size_t N>
  void text(const char* name, char (&leaf)[N]) {
    all.emplace_back(name, std::string(leaf, N));
  }
  template <class T>
  void count(const char* name, T& leaf, unsigned) {
    number(name, leaf);
  }
  void word(unsigned& leaf, unsigned version) {
    all.emplace_back("version", std::to_string(leaf));
    EXPECT_EQ(leaf, version);
  }

  std::vector<std::pair<std::string, std::string>> all;
};

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
