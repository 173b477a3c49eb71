// SPDX-License-Identifier: Apache-2.0
#include "command/cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace nvmlab::tool {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kPlain = "\x1b[0m";

CapturedOutput* capturing = nullptr;

// Why standard output took no more. A buffer is written as soon as it is full, and errno moves on.
int output_error = 0;

void write(std::FILE* stream, std::string_view text) {
  if (capturing == nullptr) {
    errno = 0;
    const bool good = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    if (!good && stream == stdout && output_error == 0) output_error = errno;
  } else {
    (stream == stdout ? capturing->printed : capturing->complaints) += text;
  }
}

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void print(std::string_view text) { write(stdout, text); }

int complain(std::string_view message) {
  std::fflush(stdout);  // in the order in which it happened, where both go to the same place
  const bool colours = colours_on(STDERR_FILENO);
  if (capturing == nullptr) write(stderr, fmt::format("{}nvmlab:{} ", colours ? kRed : "", colours ? kPlain : ""));
  write(stderr, fmt::format("{}\n", message));
  return kFailed;
}

int complain_all(const Complaints& complaints) {
  for (const std::string& complaint : complaints)
    complain(complaint);
  return kFailed;
}

std::unexpected<Complaints> refuse(std::string message) { return std::unexpected(Complaints{std::move(message)}); }

int misused(std::string_view message) {
  complain(message);
  return kMisused;
}

void print_problem(std::string_view line) {
  std::fflush(stdout);
  write(stderr, line);
  write(stderr, "\n");
}

bool finish_output() {
  if (capturing != nullptr) return true;
  errno = 0;
  const bool good = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  const int why = output_error != 0 ? output_error : errno;
  if (!good) complain("standard output: {}", std::strerror(why != 0 ? why : EIO));
  return good;
}

CapturedOutput::CapturedOutput() : around_(std::exchange(capturing, this)) {}

CapturedOutput::~CapturedOutput() { capturing = around_; }

bool colours_on(int fd) {
  if (capturing != nullptr) return false;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
  return (no_color == nullptr || *no_color == '\0') && !dumb && ::isatty(fd) == 1;
}

std::string heading(std::string_view text) {
  return colours_on(STDOUT_FILENO) ? fmt::format("{}{}{}", kBold, text, kPlain) : std::string(text);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::size_t columns(std::size_t otherwise) {
  if (capturing != nullptr) return otherwise;
  constexpr std::size_t least = 60;
  std::size_t wanted = 0;
  const char* variable = std::getenv("COLUMNS");
  if (variable != nullptr) std::from_chars(variable, variable + std::strlen(variable), wanted);
  winsize size{};
  if (wanted == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) wanted = size.ws_col;
  return wanted == 0 ? otherwise : std::max(wanted, least);
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(headings_.size());
  for (std::size_t i = 0; i < headings_.size(); ++i)
    widths[i] = width(headings_[i]);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

Table Table::without(std::size_t column) const {
  Table table = *this;
  const auto drop = [column](std::vector<std::string>& row) {
    if (column < row.size()) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  };
  drop(table.headings_);
  std::ranges::for_each(table.rows_, drop);
  std::erase(table.can_miss_, column);
  for (std::size_t& other : table.can_miss_)
    other -= other > column ? 1 : 0;
  return table;
}

std::string Table::text(std::size_t columns) const {
  constexpr std::size_t kGap = 2;
  const std::vector<std::size_t> widths = this->widths();
  std::size_t before_last = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i)
    before_last += widths[i] + kGap;
  const bool too_wide = !widths.empty() && before_last + widths.back() > columns;
  if (too_wide && !can_miss_.empty()) return without(can_miss_.front()).text(columns);

  std::vector<bool> right(headings_.size());
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    right[i] = std::ranges::all_of(rows_, [i](const auto& row) { return i < row.size() && is_number(row[i]); });
  }
  constexpr std::size_t kLeastRoom = 12;
  const bool goes_on = too_wide && before_last + kLeastRoom <= columns;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string out;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t blanks = widths[i] - width(row[i]);
      const bool last = i + 1 == row.size();
      if (last && goes_on && before_last + width(row[i]) > columns) {
        out += wrap(row[i], before_last, columns).substr(before_last);
        out.pop_back();
        break;
      }
      out += right[i] ? std::string(blanks, ' ') + row[i] : row[i] + std::string(last ? 0 : blanks, ' ');
      out += last ? "" : std::string(kGap, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::string out;
  if (std::ranges::any_of(headings_, [](const std::string& text) { return !text.empty(); })) {
    out = heading(line(headings_)) + "\n";
  }
  for (const auto& row : rows_)
    out += line(row) + "\n";
  return out;
}

std::string wrap(std::string_view text, std::size_t indent) {
  constexpr std::size_t most = 100;
  constexpr std::size_t file = 80;
  return wrap(text, indent, std::min(columns(file), most));
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\n') {
      end_line();
      out += "\n";
      at = text.find_first_not_of('\n', at);
      continue;
    }
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + width(line) + 1 + width(word) > columns) end_line();
    if (!line.empty()) line += ' ';
    line += word;
    at = end;
  }
  end_line();
  return out;
}

}  // namespace nvmlab::tool
