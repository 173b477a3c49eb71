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

#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/shape.hpp"

namespace nvmlab::driver_test {

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
  // On a machine that somebody damaged, a field may hold any answer.
  void accept_any_code() { codes_.clear(); }

 private:
  // A function, room for its arguments, and for each parameter what its struct looks like in every version.
  struct Topic {
    const FunctionFacts* function;
    std::unique_ptr<Arguments> arguments;
    std::vector<std::vector<Shape>> shapes;
  };
  static Topic topic(const FunctionFacts& function);

  std::size_t pick(std::size_t below) { return choices_.pick(below); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[pick(values.size())];
  }
  Word device();
  Word handle();
  Word number();
  void choose(Topic& topic, std::size_t at);
  void choose_count(Topic& topic, std::size_t at);
  void choose_memory(Topic& topic, std::size_t at);
  bool choose_version(Topic& topic, std::size_t at, const Shape*& shape);
  void fill_in(const Shape& shape, std::byte* at);
  void point(const Shape& shape, std::byte* at);
  void text(std::byte* at, std::size_t size);
  void input_text(GuardedPage& page);
  std::string special(const std::string& name);
  void keep(const FunctionFacts& function, int code, Arguments& arguments);
  void note(const FunctionFacts& function, const Arguments& arguments);

  Choices& choices_;
  Notes& notes_;
  std::vector<Topic> topics_;
  GuardedPage elsewhere_{std::size_t{128} << 10};  // what a pointer within a struct points at
  std::vector<Word> handles_;
  std::set<int> codes_;
};

}  // namespace nvmlab::driver_test
