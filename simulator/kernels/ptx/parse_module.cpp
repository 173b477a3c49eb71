// SPDX-License-Identifier: Apache-2.0
// What stands in a module outside of functions.
#include <algorithm>
#include <set>

#include "kernels/ptx/parser.hpp"

namespace nvmlab::ptx {
namespace {

std::uint32_t number_in(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > 100000) break;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return value;
}

}  // namespace

bool Parser::complain(const Token& at, std::string text) {
  if (problem_.text.empty()) problem_ = {at.at, std::move(text)};
  return false;
}

bool Parser::take(char mark) {
  if (!now().is(mark)) return false;
  ++at_;
  return true;
}

bool Parser::take_dotted(std::string_view word) {
  if (!at_dotted(word)) return false;
  ++at_;
  return true;
}

bool Parser::expect(char mark, const char* where) {
  if (take(mark)) return true;
  const std::string found = now().kind == TokenKind::end ? "the end of the text" : "'" + std::string(now().word) + "'";
  return complain(now(), "found " + found + " " + where + "; expected '" + mark + "'");
}

// .loc and .file have no end but that of their line.
void Parser::skip_line() {
  const std::uint32_t line = now().at.line;
  while (now().kind != TokenKind::end && now().at.line == line)
    ++at_;
}

bool Parser::skip_until(char mark) {
  while (now().kind != TokenKind::end && !now().is(mark))
    ++at_;
  return expect(mark, "where a directive should end");
}

bool Parser::skip_braces() {
  if (!expect('{', "where a section begins")) return false;
  std::uint32_t open = 1;
  for (; now().kind != TokenKind::end && open > 0; ++at_) {
    if (now().is('{')) ++open;
    if (now().is('}')) --open;
  }
  return open == 0 || complain(now(), "a section does not end; close it with '}'");
}

bool Parser::run() {
  while (now().kind != TokenKind::end) {
    if (!directive()) return false;
  }
  drop_declarations();
  return module_.version != 0 || complain(now(), "the text has no .version; is it PTX?");
}

// A variable that is .extern at first, and defined further below.
void Parser::drop_declarations() {
  std::set<std::string_view> defined;
  for (const Variable& each : module_.variables) {
    if (each.linkage != Linkage::external) defined.insert(each.name);
  }
  std::vector<Variable> left;
  for (Variable& each : module_.variables) {
    if (each.linkage != Linkage::external || !defined.contains(each.name)) left.push_back(each);
  }
  module_.variables = std::move(left);
}

bool Parser::directive() {
  const Token& first = now();
  if (first.is('@')) {  // "@@DWARF", of old
    skip_line();
    return true;
  }
  if (take(';')) return true;
  if (first.kind != TokenKind::dotted)
    return complain(
        first, "found '" + std::string(first.word) + "'; a directive (.entry, .func, .global, ...) is expected here");
  if (first.word == "version") return version();
  if (module_.version == 0) return complain(first, "a module begins with .version, found ." + std::string(first.word));
  if (first.word == "target") return target();
  if (first.word == "address_size") {
    ++at_;
    if (now().kind != TokenKind::integer || (now().bits != 64 && now().bits != 32))
      return complain(now(), ".address_size is 32 or 64");
    module_.address_size = static_cast<std::uint32_t>(now().bits);
    ++at_;
    return module_.address_size == 64 ||
           complain(first, "modules of 32-bit addresses are not executed; compile for 64 bits");
  }
  if (first.word == "file" || first.word == "loc") {
    skip_line();
    return true;
  }
  if (first.word == "section") {
    at_ += 2;
    if (now().kind == TokenKind::name) ++at_;
    return skip_braces();
  }
  if (first.word == "pragma") return skip_until(';');
  if (first.word == "alias") return alias();
  return declaration();
}

// ".version 8.0" is a real, read by its letters.
bool Parser::version() {
  ++at_;
  const std::string_view word = now().word;
  const std::size_t point = word.find('.');
  if ((now().kind != TokenKind::real && now().kind != TokenKind::integer) || point == std::string_view::npos)
    return complain(now(), ".version takes MAJOR.MINOR, as in 8.0");
  module_.version = number_in(word) * 10 + number_in(word.substr(point + 1));
  if (newest_ != 0 && module_.version > newest_) {
    complain(now(), "this is PTX " + std::string(word) + ", and the driver reads up to " +
                        std::to_string(newest_ / 10) + "." + std::to_string(newest_ % 10) +
                        "; simulate a newer driver, or build with an older toolkit");
    problem_.too_new = true;
    return false;
  }
  ++at_;
  return module_.version >= 10 || complain(now(), ".version is 1.0 or later");
}

// ".target sm_90a, debug"
bool Parser::target() {
  ++at_;
  do {
    if (now().kind != TokenKind::name) return complain(now(), ".target takes names, as sm_80");
    if (now().word.starts_with("sm_")) module_.target = number_in(now().word.substr(3));
    ++at_;
  } while (take(','));
  return true;
}

bool Parser::alias() {
  ++at_;
  if (now().kind != TokenKind::name || !ahead().is(',') || ahead(2).kind != TokenKind::name)
    return complain(now(), ".alias takes two names of functions");
  module_.aliases[std::string(now().word)] = std::string(ahead(2).word);
  at_ += 3;
  return expect(';', "behind .alias");
}

Linkage Parser::linkage() {
  Linkage how = Linkage::own;
  for (;; ++at_) {
    if (at_dotted("visible")) {
      how = Linkage::visible;
    } else if (at_dotted("extern")) {
      how = Linkage::external;
    } else if (at_dotted("weak")) {
      how = Linkage::weak;
    } else if (at_dotted("common")) {
      how = Linkage::common;
    } else {
      return how;
    }
  }
}

bool Parser::declaration() {
  const Linkage how = linkage();
  if (take_dotted("entry")) return function(true, how);
  if (take_dotted("func")) return function(false, how);
  if (take_dotted("global")) return variables(Space::global, how, false);
  if (take_dotted("const")) return variables(Space::constant, how, false);
  if (take_dotted("shared")) return variables(Space::shared, how, false);
  if (take_dotted("tex")) return variables(Space::global, how, false);
  if (at_dotted("local") || at_dotted("reg") || at_dotted("sreg"))
    return complain(now(), "." + std::string(now().word) + " belongs into a function");
  return complain(now(), "'" + std::string(now().word) + "' is no directive that a module may have");
}

std::expected<Module, Problem> parse(std::string text, std::uint32_t newest) {
  constexpr std::size_t kLongest = std::size_t{1} << 30;
  if (text.size() > kLongest) return std::unexpected(Problem{{1, 1}, "the text is longer than 1 GiB"});
  Module module;
  module.text = std::make_shared<const std::string>(std::move(text));
  const auto tokens = tokens_of(*module.text);
  if (!tokens) return std::unexpected(tokens.error());
  Parser parser(*tokens, module, newest);
  if (!parser.run()) return std::unexpected(parser.take_problem());
  return module;
}

}  // namespace nvmlab::ptx
