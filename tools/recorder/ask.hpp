// SPDX-License-Identifier: Apache-2.0
// One getter about one subject, with everything that can go in: each combination is one line.
// Tests: tests/unit/recorder/ask_test.cpp, which asks a library made of plain functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recorder/decode.hpp"
#include "recorder/lines.hpp"

namespace nvmlab::recorder {

// What a whole walk shares.
struct Walking {
  const Library& library;
  Lines& lines;
  Masker& masker;
  Seen& seen;
  const Objects& objects;
  unsigned calls = 0;  // lines so far
};

void ask(Walking& walking, const Function& function, const Object& about, Word peer = 0);

// The beginning of a call's line: {"call":"nvmlX","gpu":0
void begin_line(Json& json, const char* function, const ObjectPlace& subject);

// One call of a function that is asked by hand, announced like all others.
template <class... Arguments>
int call_announced(Walking& walking, const char* function, const ObjectPlace& subject, Arguments... arguments) {
  std::string beginning;
  Json json(beginning);
  begin_line(json, function, subject);
  walking.lines.calling(beginning);
  const int answer = walking.library.call(function, arguments...);
  walking.lines.returned();
  return answer;
}

}  // namespace nvmlab::recorder
