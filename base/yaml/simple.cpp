// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/simple.hpp"

#include <algorithm>

namespace nvmlab::yaml {
namespace {

constexpr std::size_t kSimpleBytes = std::size_t{1} << 20;
constexpr std::size_t kSimpleDepth = 32;
constexpr std::size_t kSimpleKeys = 64;  // of a mapping; each is compared with those before it
constexpr std::size_t kSimpleKeyLength = 128;

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
// What keys are made of behind their first letter, and what a value may begin with: nothing that means something.
constexpr bool is_key(char c) { return is_word(c) || c == '-' || c == '.' || c == '/' || c == '+'; }
constexpr bool begins_value(char c) { return is_word(c) || c == '.' || c == '/' || c == '+' || c == '(' || c == '~'; }

// Every function is false where the text is none of what is read here. Behind a value of a block the place is that of
// the next line that says something, or the end.
class SimpleReader {
 public:
  SimpleReader(std::string_view text, const std::shared_ptr<const std::string>& file)
      : file_(file), line_start_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  bool document(Node& root) {
    return next_line() && !at_end() && column() == 0 && looks_like_key() && block_mapping(root, 0, 0) && at_end();
  }

 private:
  bool at_end() const { return at_ == end_; }
  char here() const { return at_ == end_ ? '\0' : *at_; }
  char behind() const { return end_ - at_ < 2 ? '\0' : at_[1]; }
  std::size_t column() const { return static_cast<std::size_t>(at_ - line_start_); }
  Place place() const { return {file_, line_, column() + 1}; }
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\0'; }  // '\0': the end

  void skip_spaces() {
    while (here() == ' ')
      ++at_;
  }
  // At a place where a comment may stand: behind a blank, or at the beginning of a line.
  bool skip_comment() {
    if (here() != '#') return true;
    if (at_ != line_start_ && at_[-1] != ' ') return false;
    at_ = std::find(at_, end_, '\n');
    return true;
  }
  void break_line() {
    line_start_ = ++at_;
    ++line_;
  }

  // From behind a value, or the beginning of a line, to the next that says something.
  bool next_line() {
    for (;;) {
      skip_spaces();
      if (!skip_comment()) return false;
      if (at_end()) return true;
      if (here() != '\n') return only_spaces_before();
      break_line();
    }
  }
  bool only_spaces_before() const {
    return std::all_of(line_start_, at_, [](char c) { return c == ' '; });
  }
  // The same within braces, where values may stand behind one another in a line.
  bool skip_in_flow() {
    for (;;) {
      skip_spaces();
      if (!skip_comment() || at_end()) return false;
      if (here() != '\n') return true;
      break_line();
    }
  }

  // The length of the key that stands here, up to its colon; 0: none of those that are read here.
  std::size_t key_length() const {
    if (at_end() || !is_word(*at_)) return 0;
    const char* const limit = at_ + std::min<std::size_t>(kSimpleKeyLength, static_cast<std::size_t>(end_ - at_));
    const char* const colon = std::find_if_not(at_ + 1, limit, is_key);
    if (colon == limit || *colon != ':') return 0;
    return colon + 1 == end_ || is_blank(colon[1]) ? static_cast<std::size_t>(colon - at_) : 0;
  }
  bool looks_like_key() const { return key_length() != 0; }
  bool at_dash() const { return here() == '-' && behind() == ' '; }

  // The next key of a mapping, and its colon.
  Node* next_item(Node& mapping) {
    const std::size_t length = key_length();
    if (length == 0 || mapping.entries.size() == kSimpleKeys) return nullptr;
    const std::string_view name(at_, length);
    if (mapping.find(name) != nullptr) return nullptr;
    auto& [key, item] = mapping.entries.emplace_back();
    key.place = place();
    take_scalar(name, false, key);
    at_ += length + 1;
    return key.is_scalar() ? &item : nullptr;
  }

  bool block_mapping(Node& node, std::size_t indent, std::size_t depth) {
    node.place = place();
    node.kind = Kind::mapping;
    if (depth > kSimpleDepth) return false;
    do {
      Node* const item = next_item(node);
      if (item == nullptr || !value_of_key(*item, indent, depth + 1)) return false;
    } while (!at_end() && column() == indent);
    return at_end() || column() < indent;
  }

  // Behind the colon of a key in a block: the rest of the line, or a block below it.
  bool value_of_key(Node& node, std::size_t indent, std::size_t depth) {
    skip_spaces();
    if (here() != '\n' && here() != '#' && !at_end()) return value_in_line(node, depth);
    if (!next_line() || at_end()) return false;
    if (at_dash()) return column() >= indent && block_list(node, column() == indent, depth);
    return column() > indent && looks_like_key() && block_mapping(node, column(), depth);
  }

  // A list may stand below its key without being indented; then it ends at the next key.
  bool block_list(Node& node, bool ends_at_key, std::size_t depth) {
    const std::size_t indent = column();
    node.place = place();
    node.kind = Kind::sequence;
    if (depth > kSimpleDepth) return false;
    do {
      ++at_;
      skip_spaces();
      Node& item = node.items.emplace_back();
      const bool read = looks_like_key() ? block_mapping(item, column(), depth + 1) : value_in_line(item, depth + 1);
      if (!read) return false;
    } while (!at_end() && column() == indent && at_dash());
    return at_end() || column() < indent || (column() == indent && ends_at_key);
  }

  // A word that goes on in the next line, which is indented then, is left to libyaml by the caller, to whom no line
  // that is indented deeper is one of his.
  bool value_in_line(Node& node, std::size_t depth) { return value(node, depth, false) && next_line(); }

  bool value(Node& node, std::size_t depth, bool in_flow) {
    switch (here()) {
      case '{':
        return flow_mapping(node, depth);
      case '[':
        return flow_list(node, depth);
      case '"':
      case '\'':
        return quoted(node);
      default:
        return plain(node, in_flow);
    }
  }

  // How many values stand up to the next brace of this kind, about, so that they need not be moved as they get more.
  std::size_t values_before(char brace) const {
    constexpr std::ptrdiff_t kLooked = 512;
    const char* const end = std::find(at_, at_ + std::min(kLooked, end_ - at_), brace);
    return std::min(kSimpleKeys, static_cast<std::size_t>(std::count(at_, end, ',')) + 1);
  }

  bool flow_mapping(Node& node, std::size_t depth) {
    node.place = place();
    node.kind = Kind::mapping;
    ++at_;
    if (depth > kSimpleDepth || !skip_in_flow()) return false;
    if (here() == '}') return ++at_, true;
    node.entries.reserve(values_before('}'));
    for (;;) {
      Node* const item = next_item(node);
      if (item == nullptr || !skip_in_flow() || !value(*item, depth + 1, true) || !skip_in_flow()) return false;
      if (here() == '}') return ++at_, true;
      if (here() != ',') return false;
      ++at_;
      if (!skip_in_flow()) return false;
    }
  }

  bool flow_list(Node& node, std::size_t depth) {
    node.place = place();
    node.kind = Kind::sequence;
    ++at_;
    if (depth > kSimpleDepth || !skip_in_flow()) return false;
    if (here() == ']') return ++at_, true;
    node.items.reserve(values_before(']'));
    for (;;) {
      if (!value(node.items.emplace_back(), depth + 1, true) || !skip_in_flow()) return false;
      if (here() == ']') return ++at_, true;
      if (here() != ',') return false;
      ++at_;
      if (!skip_in_flow()) return false;
    }
  }

  // In one line, and without escapes.
  bool quoted(Node& node) {
    const char quote = here();
    node.place = place();
    const char* const begin = ++at_;
    while (!at_end() && *at_ != quote && *at_ != '\n' && *at_ != '\\')
      ++at_;
    if (here() != quote || behind() == quote) return false;
    take_scalar({begin, static_cast<std::size_t>(at_ - begin)}, true, node);
    ++at_;
    return true;
  }

  bool plain(Node& node, bool in_flow) {
    const bool begins = begins_value(here()) || (here() == '-' && begins_value(behind()));
    if (!begins) return false;
    node.place = place();
    const char* const begin = at_;
    const char* last = at_;  // the last that is no blank
    for (; !at_end() && *at_ != '\n'; ++at_) {
      const char c = *at_;
      if (c == ' ') continue;
      if (c == '#' && at_[-1] == ' ') break;
      if (c == ':' && (is_blank(behind()) || (in_flow && is_flow(behind())))) return false;
      if (in_flow && is_flow(c)) {
        if (c != ',' && c != ']' && c != '}') return false;
        break;
      }
      last = at_;
    }
    take_scalar({begin, static_cast<std::size_t>(last - begin) + 1}, false, node);
    return true;
  }
  static bool is_flow(char c) { return c == ',' || c == '?' || c == '[' || c == ']' || c == '{' || c == '}'; }

  const std::shared_ptr<const std::string>& file_;
  std::size_t line_ = 1;
  const char* line_start_;
  const char* at_;
  const char* end_;
};

// Printable ASCII in lines, none of which begins or ends a document.
bool has_simple_characters(std::string_view text) {
  const bool printable = std::ranges::none_of(text, [](char c) { return (c < ' ' && c != '\n') || c >= 0x7F; });
  if (!printable) return false;
  for (const std::string_view mark : {"---", "..."}) {
    if (text.starts_with(mark)) return false;
    for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
      if (at == 0 || text[at - 1] == '\n') return false;
    }
  }
  return true;
}

}  // namespace

void take_scalar(std::string_view text, bool quoted, Node& node) {
  node.kind = Kind::scalar;
  node.scalar.assign(text);
  node.quoted = quoted;
  if (!quoted && (text.empty() || text == "~" || text == "null")) node.kind = Kind::null;
}

bool read_simple(std::string_view text, const std::shared_ptr<const std::string>& file, Node& root) {
  return text.size() <= kSimpleBytes && has_simple_characters(text) && SimpleReader(text, file).document(root);
}

}  // namespace nvmlab::yaml
