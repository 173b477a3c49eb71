// SPDX-License-Identifier: Apache-2.0
//
// The XML of `nvidia-smi -q -x`. Nothing here knows an element by name except the root and <gpu>: DTD versions differ
// in names and order, and a reader that takes the tree as it comes reads them all. pugixml neither follows external
// entities nor expands any beyond the five of XML, and parses without recursion. Tests:
// tests/unit/capture/xml_test.cpp, hostile_test.cpp.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "import/capture/items.hpp"

namespace nvmlab::capture {
namespace {

// Line and column of an offset; offsets are asked in rising order, so the lines are counted once.
class LineCounter {
 public:
  LineCounter(std::string_view text, std::size_t first_line) : text_(text), line_(first_line) {}

  void go_to(std::size_t offset) {
    offset = std::min(offset, text_.size());
    if (offset < at_) return;
    const auto passed = text_.substr(at_, offset - at_);
    line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
    if (const auto end = passed.rfind('\n'); end != std::string_view::npos) line_start_ = at_ + end + 1;
    at_ = offset;
  }
  std::size_t line() const { return line_; }
  std::size_t column() const { return at_ - line_start_ + 1; }

 private:
  std::string_view text_;
  std::size_t line_;
  std::size_t line_start_ = 0;
  std::size_t at_ = 0;
};

Error error_at(std::string_view log, const Extent& extent, const std::string& name, std::ptrdiff_t offset,
               std::string message) {
  LineCounter lines(log, extent.first_line);
  lines.go_to(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
  return {name, lines.line(), lines.column(), std::move(message)};
}

// Text of an element without its line breaks and indentation: "\n\t\t\tNone\n\t\t" is "None".
std::string own_text(const pugi::xml_node& element) {
  std::string text;
  for (const auto& child : element.children()) {
    if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata) continue;
    for (const char c : std::string_view{child.value()}) {
      const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!blank) {
        text += c;
      } else if (!text.empty() && text.back() != ' ') {
        text += ' ';
      }
    }
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

bool has_elements(const pugi::xml_node& element) {
  return std::ranges::any_of(element.children(),
                             [](const pugi::xml_node& child) { return child.type() == pugi::node_element; });
}

// The next element in document order without recursion; depth follows.
pugi::xml_node next_element(pugi::xml_node at, const pugi::xml_node& root, std::size_t& depth) {
  const auto first_element = [](pugi::xml_node from) {
    while (from && from.type() != pugi::node_element)
      from = from.next_sibling();
    return from;
  };
  if (auto down = first_element(at.first_child())) {
    ++depth;
    return down;
  }
  while (at != root) {
    if (auto beside = first_element(at.next_sibling())) return beside;
    at = at.parent();
    --depth;
  }
  return {};
}

// Quotes as source code has them (id=\"0000:01:00.0\"), made plain; nothing behind them moves.
std::string with_plain_quotes(std::string_view log) {
  std::string plain(log);
  for (auto at = plain.find("\\\""); at != std::string::npos; at = plain.find("\\\"", at + 2)) {
    const bool opens = at > 0 && plain[at - 1] == '=';
    plain[at] = opens ? ' ' : '"';
    plain[at + 1] = opens ? '"' : ' ';
  }
  return plain;
}

}  // namespace

std::expected<Items, Error> read_xml(std::string_view log, const Extent& extent, const std::string& name) {
  std::string plain;
  if (log.find("<gpu id=\\\"") != std::string_view::npos) log = plain = with_plain_quotes(log);
  if (static_cast<std::size_t>(std::ranges::count(log, '<')) > max_items) {
    return std::unexpected(error_at(
        log, extent, name, 0, fmt::format("the XML has more than {} tags; {} never has", max_items, extent.tool)));
  }
  pugi::xml_document document;
  const auto parsed = document.load_buffer(log.data(), log.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return std::unexpected(error_at(log, extent, name, parsed.offset,
                                    fmt::format("the XML is damaged or cut short here ({}); expected the whole output "
                                                "of `{}`",
                                                parsed.description(), extent.tool)));
  }
  const auto root = document.document_element();
  Items items;
  LineCounter lines(log, extent.first_line);
  std::size_t depth = 0;  // of the root
  for (auto element = next_element(root, root, depth); element; element = next_element(element, root, depth)) {
    if (depth > max_depth) {
      return std::unexpected(error_at(
          log, extent, name, element.offset_debug(),
          fmt::format("elements are nested deeper than {} levels; those of `{}` never are", max_depth, extent.tool)));
    }
    Item item;
    item.depth = depth - 1;
    item.name = element.name();
    lines.go_to(static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0)));
    item.line = lines.line();
    item.column = lines.column();
    item.is_gpu = depth == 1 && item.name == "gpu";
    if (item.is_gpu) {
      item.value = element.attribute("id").value();
    } else {
      item.value = own_text(element);
      item.has_value = !item.value.empty() || !has_elements(element);
    }
    const auto line = item.line;
    const auto column = item.column;
    const bool skip_id = item.is_gpu;
    items.push_back(std::move(item));
    for (const auto& attribute : element.attributes()) {
      if (skip_id && std::string_view{attribute.name()} == "id") continue;
      items.push_back({depth, fmt::format("@{}", attribute.name()), attribute.value(), true, false, line, column});
    }
  }
  return items;
}

}  // namespace nvmlab::capture
