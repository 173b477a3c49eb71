// SPDX-License-Identifier: Apache-2.0
#include "control/calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/return_codes.hpp"
#include "engine/topics/faults/faulty_calls.hpp"

namespace nvmlab::control {
namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// Where the part ends that `text` begins with: at a comma outside of quotes and braces.
std::size_t end_of_part(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    if (text[at] == ',' && depth == 0) return at;
  }
  return text.size();
}

// "device=GPU 3, memory={version=1, total=2}"
void add_arguments(std::string_view text, const std::string& prefix, Arguments& arguments) {
  while (!text.empty()) {
    const std::size_t end = end_of_part(text);
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(end < text.size() ? end + 1 : end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = prefix + std::string(part.substr(0, equals));
    std::string_view value = part.substr(equals + 1);
    const bool enclosed = value.size() >= 2;
    if (enclosed && value.front() == '{' && value.back() == '}') {
      add_arguments(value.substr(1, value.size() - 2), name + ".", arguments);
      continue;
    }
    if (enclosed && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    arguments.emplace_back(name, value);
  }
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto number = whole_number(text.substr(0, blank));
  text.remove_prefix(blank + 1);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::string problem(const std::string& path, const std::string& why) {
  return fmt::format("{}: {}", in_quotes(path), why);
}

// Takes " = 3" off the end of an expectation; whether what is there makes sense.
bool take_times(std::string_view& text, CallExpectation& expected) {
  constexpr std::string_view kRelations[] = {">=", "<=", "="};
  for (const std::string_view relation : kRelations) {
    const std::size_t at = text.rfind(relation);
    if (at == std::string_view::npos || text.find(')', at) != std::string_view::npos) continue;
    const auto number = whole_number(trimmed(text.substr(at + relation.size())));
    if (!number) return false;
    expected.least = relation == "<=" ? 0 : *number;
    expected.most = relation == ">=" ? expected.most : *number;
    text = trimmed(text.substr(0, at));
    return true;
  }
  return true;
}

std::string take_code(std::string_view& text, CallExpectation& expected) {
  const std::size_t arrow = text.rfind("->");
  if (arrow == std::string_view::npos) return "";
  const std::string word(trimmed(text.substr(arrow + 2)));
  text = trimmed(text.substr(0, arrow));
  if (word == "SUCCESS" || word == "0") {
    expected.code = 0;
    return "";
  }
  const auto code = compiler::find_return_code(word);
  if (!code) return code.error();
  expected.code = *code;
  return "";
}

}  // namespace

const std::string* Call::find(std::string_view argument) const {
  const auto found = std::ranges::find(arguments, argument, &Arguments::value_type::first);
  return found == arguments.end() ? nullptr : &found->second;
}

std::optional<Call> read_call(std::string_view line) {
  Call call;
  const auto pid = take_number(line);
  const auto code = take_number(line);
  const std::size_t open = line.find('(');
  if (!pid || !code || open == std::string_view::npos || open == 0) return std::nullopt;
  call.pid = *pid;
  call.code = *code;
  call.function = line.substr(0, open);
  line.remove_prefix(open + 1);
  if (line.ends_with(')')) line.remove_suffix(1);  // what is too long was cut
  add_arguments(line, "", call.arguments);
  return call;
}

std::expected<std::vector<Call>, std::string> read_calls(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::unexpected(problem(path, std::strerror(errno)));
  std::vector<Call> calls;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    auto call = read_call(line);
    if (!call)
      return std::unexpected(
          fmt::format("{}:{}: that is no line of a record of calls; `nvmlab run --record-calls` "
                      "writes one",
                      path, number));
    calls.push_back(std::move(*call));
  }
  return calls;
}

std::expected<void, std::string> begin_record(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
  if (::access(path.c_str(), F_OK) == 0) {
    if (const auto before = read_calls(path); !before)
      return std::unexpected(problem(path, "it has something else in it than a record of calls; name another file"));
  }
  const int fd = ::open(path.c_str(), kFlags, 0600);
  if (fd < 0) return std::unexpected(problem(path, std::strerror(errno)));
  const bool emptied = ::ftruncate(fd, 0) == 0;
  const int why = errno;
  ::close(fd);
  if (!emptied) return std::unexpected(problem(path, std::strerror(why)));
  return {};
}

bool CallExpectation::is_about(const Call& call) const {
  if (!fits_function(function.c_str(), call.function.c_str()) || (code && *code != call.code)) return false;
  return std::ranges::all_of(arguments, [&call](const auto& wanted) {
    const std::string* const value = call.find(wanted.first);
    return value != nullptr && *value == wanted.second;
  });
}

std::uint64_t CallExpectation::count(std::span<const Call> calls) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(calls, [this](const Call& call) { return is_about(call); }));
}

bool CallExpectation::holds(std::span<const Call> calls) const {
  const std::uint64_t times = count(calls);
  return times >= least && times <= most;
}

std::expected<CallExpectation, std::string> read_expectation(const std::string& text) {
  CallExpectation expected;
  expected.text = text;
  const auto wrong = [&text](const std::string& why) {
    return std::unexpected(
        fmt::format("{}: {}; an expectation is FUNCTION, FUNCTION(ARGUMENT=VALUE), FUNCTION -> CODE or FUNCTION >= 3",
                    in_quotes(text), why));
  };
  std::string_view left = trimmed(text);
  if (!take_times(left, expected)) return wrong("a number of calls was expected");
  if (const std::string why = take_code(left, expected); !why.empty()) return wrong(why);
  const std::size_t open = left.find('(');
  if (open != std::string_view::npos) {
    if (!left.ends_with(')')) return wrong("a ')' is missing");
    add_arguments(left.substr(open + 1, left.size() - open - 2), "", expected.arguments);
    left = trimmed(left.substr(0, open));
  }
  if (left.empty() || left.find(' ') != std::string_view::npos) return wrong("the name of a function was expected");
  expected.function = left;
  return expected;
}

}  // namespace nvmlab::control
