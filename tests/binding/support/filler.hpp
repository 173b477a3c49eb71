// SPDX-License-Identifier: Apache-2.0
// Visitors of the parts of a C struct (generated/leaves.hpp): one that writes each, and one that reads all.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nvml::test {

enum class Content { pattern, ones, zeros };

// Writes each part: with a pattern that differs from part to part, or with all bits, which many a sentinel is.
class Filler {
 public:
  explicit Filler(Content content, unsigned start = 0) : content_(content), last_(start) {}

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
    leaf = static_cast<T>(content_ == Content::zeros ? 0 : content_ == Content::ones ? 1 : next() % 2);
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
  unsigned last_;
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

}  // namespace nvml::test
