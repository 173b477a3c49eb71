// SPDX-License-Identifier: Apache-2.0
//
// A conversation with the driver: any exported function in any order, with arguments that a caller could pass and with
// some that nobody should, between guard pages. What to say comes from outside: a random number generator with a fixed
// seed (fuzz_test.cpp), or the bytes of a coverage-guided fuzzer and of its corpus (tests/fuzz/). Every call is noted
// before it is made, so that a crash is told with the calls that led to it.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/support/arguments.hpp"

namespace nvmlab::conformance {

// The last calls, in memory that may outlive the process that made them.
struct Notes {
  static constexpr unsigned kRemembered = 12;
  struct Note {
    char function[96];
    Word words[kMaxWords];
    int code;
  };
  Note notes[kRemembered];
  unsigned count;

  std::string history() const;
};

class Choices {
 public:
  virtual ~Choices() = default;
  virtual std::size_t pick(std::size_t below) = 0;  // below > 0
  virtual std::uint64_t any() = 0;
};

class Conversation {
 public:
  Conversation(Choices& choices, Notes& notes);

  // One call. What was wrong about it, or nothing.
  std::string say();

  // Forgets the handles of the conversation so far.
  void start_over() { handles_.clear(); }

 private:
  std::size_t pick(std::size_t below) { return choices_.pick(below); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[pick(values.size())];
  }
  Word device();
  void choose(const FunctionFacts& function, std::size_t at, Arguments& arguments);
  void shrink(const FunctionFacts& function, std::size_t at, Arguments& arguments);
  void input_text(GuardedPage& page);
  void keep(const FunctionFacts& function, int code, Arguments& arguments);
  void note(const FunctionFacts& function, const Arguments& arguments);

  Choices& choices_;
  Notes& notes_;
  std::vector<const FunctionFacts*> functions_;
  std::vector<std::unique_ptr<Arguments>> arguments_;
  std::vector<Word> handles_;
  std::set<int> codes_;
};

}  // namespace nvmlab::conformance
