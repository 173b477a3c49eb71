// SPDX-License-Identifier: Apache-2.0
//
// Everything that a command says goes through here: results to standard output, errors as one line each to standard
// error, colour only on a terminal and only where NO_COLOR is not set. Tests: tests/unit/command/output_test.cpp.
#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/complaints.hpp"

namespace nvmlab::tool {

// Exit codes.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kMisused = 2;
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

void print(std::string_view text);
template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  print(std::string_view(fmt::format(format, std::forward<Values>(values)...)));
}

// "nvmlab: ..." on standard error. Returns the exit code of a command that failed.
int complain(std::string_view message);
template <class... Values>
int complain(fmt::format_string<Values...> format, Values&&... values) {
  return complain(std::string_view(fmt::format(format, std::forward<Values>(values)...)));
}
int complain_all(const Complaints& complaints);
std::unexpected<Complaints> refuse(std::string message);  // what a function returns that has one of them
// The same for a command line that makes no sense.
int misused(std::string_view message);

// A line on standard error as it is: "file:line:column: ..." that editors can jump to.
void print_problem(std::string_view line);

// Whether all that was printed got out. Says so itself when not.
bool finish_output();

// While it lives, what is said goes here instead, as to a file: for commands that run within another one.
class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  std::string printed;
  std::string complaints;  // a line each, without "nvmlab:"

 private:
  CapturedOutput* const around_;
};

bool colours_on(int fd);
std::string heading(std::string_view text);  // bold where standard output is a terminal

// How many columns a text takes on a terminal: UTF-8 sequences count as one.
std::size_t width(std::string_view text);

// Of the terminal; COLUMNS where that is set, and `otherwise` where standard output is none.
std::size_t columns(std::size_t otherwise = 100);
// For tables: what reads a pipe gets its lines whole.
inline constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);
inline std::size_t table_columns() { return columns(kUnlimited); }

// Columns as wide as their widest cell, the last one ragged. Columns of whole numbers stand right. In a terminal that
// is too narrow, columns that can be missed are left out, then the last one goes on below.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void can_miss(std::size_t column) { can_miss_.push_back(column); }  // the first one named goes first
  bool empty() const { return rows_.empty(); }
  std::string text(std::size_t columns = table_columns()) const;

 private:
  std::vector<std::size_t> widths() const;
  Table without(std::size_t column) const;

  std::vector<std::string> headings_;  // empty ones: no line of headings
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> can_miss_;
};

// Paragraphs of `text` in lines of at most `columns`, each after `indent` spaces.
std::string wrap(std::string_view text, std::size_t indent, std::size_t columns);
// The same for a terminal, and for files as for one of 80 columns. Longer lines than 100 are hard to read.
std::string wrap(std::string_view text, std::size_t indent);

}  // namespace nvmlab::tool
