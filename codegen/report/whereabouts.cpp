// SPDX-License-Identifier: Apache-2.0
#include "codegen/report/whereabouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "codegen/emit/oracles.hpp"
#include "codegen/io/files.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

bool is_name_part(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// The whole word, from a position on.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (auto at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name_part(text[at - 1])) && (end == text.size() || !is_name_part(text[end]))) return at;
  }
  return text.npos;
}

std::size_t line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

constexpr std::string_view kBelow = "    ";  // what is further in than a name of model/meaning/

// The line with those below that belong to it.
std::string_view lines_from(std::string_view text, std::size_t at) {
  const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
  std::size_t end = text.find('\n', at);
  while (end != text.npos && text.substr(end + 1).starts_with(kBelow))
    end = text.find('\n', end + 1);
  return text.substr(begin, end - begin);
}

struct Hit {
  std::string file;
  std::size_t line = 0;
  std::string text;
};

class SourceTree {
 public:
  explicit SourceTree(const fs::path& root) : root_(root) {}

  // The first line of each file below `folder` that has the word, behind `before`.
  std::vector<Hit> hits(const fs::path& folder, std::string_view word, std::string_view before = "") const {
    std::vector<Hit> found;
    std::error_code failed;
    for (fs::recursive_directory_iterator entry(root_ / folder, failed); entry != fs::recursive_directory_iterator();
         entry.increment(failed)) {
      if (!entry->is_regular_file()) continue;
      const auto text = read_file(entry->path());
      if (!text) continue;
      for (auto at = find_word(*text, word); at != std::string::npos; at = find_word(*text, word, at + 1)) {
        if (!std::string_view(*text).substr(0, at).ends_with(before)) continue;
        found.push_back(
            {fs::relative(entry->path(), root_).string(), line_at(*text, at), std::string(lines_from(*text, at))});
        break;
      }
    }
    std::ranges::sort(found, {}, &Hit::file);
    return found;
  }

 private:
  const fs::path& root_;
};

std::string row(std::string_view label, std::string_view words) { return fmt::format("  {:<10} {}\n", label, words); }

std::string place(const Hit& hit) { return fmt::format("{}:{}", hit.file, hit.line); }

// What stands behind "NAME:", one row for each line.
std::string verdict_rows(std::string_view lines) {
  std::string rows;
  const std::size_t colon = lines.find(':');
  lines = lines.substr(colon == lines.npos ? lines.size() : colon + 1);
  if (lines.starts_with(" ")) lines.remove_prefix(1);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    if (line.starts_with(kBelow)) line.remove_prefix(kBelow.size());
    if (!line.empty()) rows += row(rows.empty() ? "verdict" : "", line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return rows;
}

// "{same_as: NAME}" -> NAME, for a key with a colon and a blank
std::string named_by(std::string_view key, std::string_view verdict) {
  const std::size_t at = verdict.find(key);
  if (at == verdict.npos) return {};
  std::size_t end = at + key.size();
  while (end < verdict.size() && is_name_part(verdict[end]))
    ++end;
  return std::string(verdict.substr(at + key.size(), end - at - key.size()));
}

}  // namespace

Result<std::string> whereabouts(const fs::path& root, std::string_view function) {
  const SourceTree sources(root);
  const auto verdicts = sources.hits("model/meaning", function, "\n  ");
  if (verdicts.empty()) return std::string();
  const Hit& verdict = verdicts.front();
  std::string text = verdict_rows(verdict.text) + row("", place(verdict));

  const std::string other = named_by("same_as: ", verdict.text);
  for (const Hit& hook :
       sources.hits("simulator/drivers/nvml/hooks", other.empty() ? function : other, "nvmlReturn_t "))
    text += row("hook", place(hook));
  const std::string change = named_by("change: ", verdict.text);
  if (!change.empty()) {
    for (const Hit& rule : sources.hits("simulator/engine/topics", change, "make(const ")) {
      if (rule.file.ends_with(".cpp")) text += row("rule", place(rule));
    }
  }
  for (const Hit& body : sources.hits("simulator/drivers/nvml/generated", function, "NVML_API ")) {
    if (body.file.ends_with(".cpp")) text += row("generated", place(body));
  }
  const auto oracles = load_oracles(root / "tests/drivers/oracle");
  if (!oracles) return std::unexpected(oracles.error());
  if (const auto oracle = oracles->find(std::string(function)); oracle != oracles->end())
    text += row("oracle", oracle->second.text());
  const char* label = "tests";
  for (const Hit& test : sources.hits("tests", function)) {
    if (test.file.contains("/oracle/") || test.file.contains("/generated/")) continue;
    text += row(label, place(test));
    label = "";
  }
  return text;
}

}  // namespace nvmlab::codegen
