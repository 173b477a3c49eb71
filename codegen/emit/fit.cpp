// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/fit.hpp"

#include <vector>

namespace nvmlab::codegen {
namespace {

constexpr std::size_t kLineLength = 120;
constexpr std::size_t kDeeper = 4;

// The parts of "prefix(argument, argument)suffix"; no arguments where there is no call.
struct Call {
  std::string prefix;  // with the parenthesis
  std::vector<std::string> arguments;
  std::string suffix;  // likewise
};

Call split(const std::string& code) {
  Call call;
  const auto open = code.find('(');
  if (open == std::string::npos) return call;
  call.prefix = code.substr(0, open + 1);
  int depth = 0;
  std::string argument;
  std::size_t at = open + 1;
  for (; at < code.size(); ++at) {
    const char letter = code[at];
    if (depth == 0 && letter == ')') break;
    if (depth == 0 && letter == ',') {
      call.arguments.push_back(argument);
      argument.clear();
      if (at + 1 < code.size() && code[at + 1] == ' ') ++at;
      continue;
    }
    if (letter == '(' || letter == '{' || letter == '<') ++depth;
    // An arrow is no bracket.
    if (letter == ')' || letter == '}' || (letter == '>' && code[at - 1] != '-')) --depth;
    argument += letter;
  }
  if (!argument.empty()) call.arguments.push_back(argument);
  call.suffix = code.substr(at);
  return call;
}

// `before` and `after` is what else stands on the first and on the last line.
std::string broken(const std::string& code, std::size_t indent, std::size_t before, std::size_t after) {
  if (before + code.size() + after <= kLineLength) return code;
  const Call call = split(code);
  if (call.arguments.empty()) return code;
  if (call.arguments.size() == 1 && call.arguments[0].find('(') != std::string::npos) {
    return call.prefix + broken(call.arguments[0], indent, before + call.prefix.size(), after + call.suffix.size()) +
           call.suffix;
  }
  const std::string start = "\n" + std::string(indent + kDeeper, ' ');
  std::string text = call.prefix;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool last = i + 1 == call.arguments.size();
    text +=
        start + broken(call.arguments[i], indent + kDeeper, indent + kDeeper, last ? after + call.suffix.size() : 1);
    if (!last) text += ",";
  }
  return text + call.suffix;
}

}  // namespace

std::string fit(const std::string& code, std::size_t indent) { return broken(code, indent, indent, 0); }

}  // namespace nvmlab::codegen
