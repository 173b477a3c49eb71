// SPDX-License-Identifier: Apache-2.0
#include "codegen/columns.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace nvmlab::codegen {
namespace {

// Where a line may end: `at` is the first character of the next one.
struct Break {
  std::size_t at = 0;
  std::size_t cost = 0;
  std::size_t depth = 0;
  bool in_text = false;  // between two words of a string literal
};

// Costs: a level of brackets is 4, so that what belongs together stays together.
constexpr std::size_t kLevel = 4;
constexpr std::size_t kOperator = 2;   // after "=", "&&", "||"
constexpr std::size_t kTemplate = 3;   // between template arguments
constexpr std::size_t kSpace = 200;    // any other space
constexpr std::size_t kInText = 1000;  // within a literal
constexpr std::size_t kRoom = 16;      // as many columns left empty cost 1

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Goes through a line of C++ and knows what each character is part of.
class Scanner {
 public:
  explicit Scanner(std::string_view code) : code_(code) {}

  bool done() const { return at_ >= code_.size(); }
  std::size_t at() const { return at_; }
  std::size_t depth() const { return open_.size(); }
  bool in_literal() const { return quote_ != 0; }
  bool in_text() const { return quote_ == '"'; }
  bool in_template() const { return !open_.empty() && open_.back() == '<'; }

  // Takes one character; afterwards depth() and the like are those behind it.
  char step() {
    const char c = code_[at_];
    if (quote_ != 0) {
      if (c == '\\') ++at_;
      if (c == quote_) quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    } else {
      bracket(c);
    }
    ++at_;
    return c;
  }

 private:
  void bracket(char c) {
    if (c == '(' || c == '{' || c == '[' || (c == '<' && opens_template())) open_.push_back(c);
    const bool closes_template = c == '>' && in_template() && at_ > 0 && code_[at_ - 1] != '-';
    if ((c == ')' || c == '}' || c == ']' || closes_template) && !open_.empty()) open_.pop_back();
  }

  // Operators have spaces around them; the brackets of a template have not.
  bool opens_template() const {
    return at_ > 0 && (is_word(code_[at_ - 1]) || code_[at_ - 1] == ')') && at_ + 1 < code_.size() &&
           code_[at_ + 1] != ' ';
  }

  std::string_view code_;
  std::size_t at_ = 0;
  char quote_ = 0;
  std::vector<char> open_;
};

bool closes(char c) { return c == ')' || c == '}' || c == ']'; }

// What it costs to end a line behind the space that `head` ends with.
std::size_t cost_behind(std::string_view head, const Scanner& scanner) {
  head.remove_suffix(1);
  if (head.ends_with(',') || head.ends_with(';')) return scanner.in_template() ? kTemplate : 0;
  if (head.ends_with('{')) return 0;
  for (const std::string_view sign : {" =", " &&", " ||", " &", " |", " +"}) {
    if (head.ends_with(sign)) return kOperator;
  }
  return kSpace;
}

// All places where a line may end.
std::vector<Break> breaks_of(std::string_view code) {
  std::vector<Break> breaks;
  for (Scanner scanner(code); !scanner.done();) {
    const char c = scanner.step();
    const std::size_t at = scanner.at();
    if (at >= code.size()) break;
    const auto add = [&](std::size_t cost) {
      breaks.push_back({at, cost + scanner.depth() * kLevel, scanner.depth(), scanner.in_text()});
    };
    if (c == ' ' && scanner.in_text()) {
      add(kInText);
    } else if (c == ' ' && !scanner.in_literal()) {
      add(cost_behind(code.substr(0, at), scanner));
    } else if (!scanner.in_literal() && (c == '(' || c == '{') && !closes(code[at]) && code[at] != ' ') {
      add(0);
    }
  }
  return breaks;
}

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// How a line that ends at a place is written.
std::string ended(std::string_view line, const Break& end) {
  return end.in_text ? std::string(line) + '"' : std::string(trimmed(line));
}

// The place at which to end a line that begins at `start`: with little cost, and little room left behind. The next one
// where none fits, nothing where there is none.
const Break* best_break(const std::vector<Break>& breaks, std::string_view code, std::size_t start, std::size_t room) {
  const Break* best = nullptr;
  std::size_t least = 0;
  for (const Break& each : breaks) {
    if (each.at <= start) continue;
    const std::size_t length = ended(code.substr(start, each.at - start), each).size();
    if (best != nullptr && length > room) break;
    const std::size_t cost = each.cost * kRoom + room - std::min(room, length);
    if (best != nullptr && cost > least) continue;
    best = &each;
    least = cost;
  }
  return best;
}

// As many lines as one statement or row needs. What continues stands four further in for each level of brackets, and
// the members of a row below its first.
std::string filled(std::size_t indent, std::string_view code) {
  const std::vector<Break> breaks = breaks_of(code);
  const bool row = code.starts_with('{');
  std::string lines;
  std::string begin(indent, ' ');
  std::size_t start = 0;
  while (begin.size() + code.size() - start > kColumns) {
    const Break* best = best_break(breaks, code, start, kColumns - std::min(kColumns, begin.size()));
    if (best == nullptr) break;
    lines += begin + ended(code.substr(start, best->at - start), *best) + "\n";
    const std::size_t level = std::max<std::size_t>(best->depth, 1);
    begin = std::string(indent + (row ? 4 * level - 3 : 4 * level), ' ') + (best->in_text ? "\"" : "");
    start = best->at;
  }
  return lines + begin + std::string(code.substr(start)) + "\n";
}

std::string laid_out(std::size_t indent, std::string_view code);

// The opening brace of a body that ends with the line: "void f() { g(); }".
std::optional<std::size_t> body_of(std::string_view code) {
  if (!code.ends_with('}')) return std::nullopt;
  std::optional<std::size_t> open;
  for (Scanner scanner(code); !scanner.done();) {
    const char c = scanner.step();
    const bool block = c == '{' && scanner.depth() == 1 && code.substr(0, scanner.at()).ends_with(") {");
    if (block || (c == '{' && code.substr(0, scanner.at()).ends_with(") const {"))) open = scanner.at() - 1;
    if (scanner.depth() == 0 && open && !scanner.done() && c == '}') open.reset();
  }
  return open;
}

// A body on lines of its own, each statement on one.
std::string with_body(std::size_t indent, std::string_view code, std::size_t open) {
  std::string lines = laid_out(indent, code.substr(0, open + 1));
  std::string_view body = code.substr(open + 1, code.size() - open - 2);
  std::string statement;
  for (Scanner scanner(body); !scanner.done();) {
    const char c = scanner.step();
    if (!statement.empty() || c != ' ') statement += c;
    if (c != ';' || scanner.depth() > 0 || scanner.in_literal()) continue;
    lines += laid_out(indent + 2, statement);
    statement.clear();
  }
  if (!statement.empty()) lines += laid_out(indent + 2, trimmed(statement));
  return lines + std::string(indent, ' ') + "}\n";
}

std::string laid_out(std::size_t indent, std::string_view code) {
  if (indent + code.size() <= kColumns) return std::string(indent, ' ') + std::string(code) + "\n";
  if (const auto open = body_of(code)) return with_body(indent, code, *open);
  const std::size_t label = code.find(": return ");
  if (code.starts_with("case ") && label != std::string_view::npos)
    return laid_out(indent, code.substr(0, label + 1)) + laid_out(indent + 2, code.substr(label + 2));
  return filled(indent, code);
}

std::optional<std::size_t> comment_in(std::string_view code) {
  for (Scanner scanner(code); !scanner.done(); scanner.step()) {
    if (!scanner.in_literal() && code.substr(scanner.at()).starts_with("//")) return scanner.at();
  }
  return std::nullopt;
}

// "///< text" -> its mark above code, "/// ", and the text.
std::string comment_above(std::size_t indent, std::string_view comment) {
  const std::size_t slashes = std::min(comment.find_first_not_of('/'), comment.size());
  std::string_view text = comment.substr(slashes);
  text.remove_prefix(std::min(text.find_first_not_of("< "), text.size()));
  return wrapped(text, std::string(indent, ' ') + std::string(slashes, '/') + " ");
}

std::string broken(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  const std::string_view code = line.substr(indent);
  if (code.starts_with('#') || code.find("R\"(") != std::string_view::npos) return std::string(line) + "\n";
  const auto comment = comment_in(code);
  if (!comment) return laid_out(indent, code);
  const std::string above = comment_above(indent, code.substr(*comment));
  return *comment == 0 ? above : above + laid_out(indent, trimmed(code.substr(0, *comment)));
}

template <class Lay>
std::string each_wide_line(std::string_view source, Lay lay) {
  std::string text;
  text.reserve(source.size() + source.size() / 8);
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size() - 1);
    const std::string_view line = source.substr(0, end + 1);
    source.remove_prefix(end + 1);
    text += line.size() > kColumns + 1 ? lay(line.ends_with('\n') ? line.substr(0, end) : line) : line;
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::string_view mark) {
  std::string lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? std::string(mark) : " ") + std::string(word);
  }
  return line.empty() ? lines : lines + line + "\n";
}

std::string within_columns(std::string_view source) { return each_wide_line(source, broken); }

std::string prose_within_columns(std::string_view page) {
  return each_wide_line(page, [](std::string_view line) {
    return line.starts_with('|') || line.starts_with('<') ? std::string(line) + "\n" : wrapped(line, "");
  });
}

}  // namespace nvmlab::codegen
