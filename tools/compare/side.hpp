// SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: what a capture, a recording, a profile or a machine says, as flat lists of statements by
// name, one list for the node and one for each GPU. What a name is (a field of the state vocabulary, a printed leaf, a
// call) is the business of whoever made the side (fields.hpp, leaves.hpp, calls.hpp); two sides are comparable when the
// same of them made both. Tests: tests/unit/compare/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::compare {

// What a difference in it means.
enum class Nature : unsigned char {
  steady,      // says something about the board or the machine
  live,        // moves by itself: a temperature, a counter
  identifier,  // tells one unit from another: a serial number
};

enum class StatementShape : unsigned char { text, number, list, record };

// A value without parts; of a list or record, one of its parts ("[3].active", "temp").
struct Part {
  std::string name;
  std::string text;
  Nature nature = Nature::steady;
  bool code = false;  // the text is the name of a return code ("NOT_SUPPORTED")
  bool number = false;

  friend bool operator==(const Part& a, const Part& b) {
    return a.name == b.name && a.text == b.text && a.code == b.code;
  }
};

struct Statement {
  std::string topic;  // heading that it stands under: "power"
  std::string name;   // in full: "power.limit_mw"
  std::string label;  // below the topic; empty: the name without the topic
  Nature nature = Nature::steady;
  StatementShape shape = StatementShape::text;
  bool code = false;         // a return code in place of a value
  bool observed = true;      // else the side itself does not say so: it is what would be assumed
  bool silent = false;       // nobody stated it: not supported because nothing was said
  std::string text;          // of a text or number, or the return code's name
  std::string unit;          // of a number
  bool hexadecimal = false;  // how people write it
  std::size_t count = 0;     // items of a list
  std::vector<Part> parts;   // of a list or record
  std::string origin;        // kind of source: "capture", "datasheet", "assumed"; empty where the side itself is one
  std::string origin_text;   // which one
};

struct SideSubject {
  std::string board;    // name of the product, empty where it is not known
  std::string uuid;     // empty where the side does not tell a real one
  std::string address;  // "00000000:07:00.0", likewise
  std::vector<Statement> statements;
};

struct Side {
  std::string name;        // as the user gave it
  std::string kind;        // "nvidia-smi -q -x (v12)", "machine profile", "recording"
  std::string what;        // one line: "8 x NVIDIA H100 80GB HBM3, driver 580.105.08"
  bool one_board = false;  // describes a board, of which a machine may have many: stands for every GPU of the other
  SideSubject node;
  std::vector<SideSubject> gpus;
};

// A UUID that somebody made up to hide the true one is all zeros but for a running number; a true one is random.
bool is_real_uuid(std::string_view uuid);

}  // namespace nvmlab::compare
