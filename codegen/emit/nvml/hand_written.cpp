// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/hand_written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>

#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/io/files.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::string_view kBody = "// C: ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// At commas that are within no brackets, without the spaces around them.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (!part.empty() || c != ' ') {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

// "Result<R> name(P, P)"; false where the text is something else.
bool read_declaration(std::string_view text, HandWritten::Body& body) {
  if (!text.starts_with("Result<") || !text.ends_with(')')) return false;
  const std::size_t open = text.find('(');
  const std::size_t end = text.rfind("> ", open);
  if (open == std::string_view::npos || end == std::string_view::npos) return false;
  body.result = text.substr(7, end - 7);
  body.name = text.substr(end + 2, open - end - 2);
  body.parameters = split(text.substr(open + 1, text.size() - open - 2));
  return !body.parameters.empty();
}

// Of what stands behind the marker: the name, and the remark.
void read_marker(std::string_view text, std::string& function, std::string& remark) {
  const std::size_t dot = text.find(". ");
  function = text.substr(0, dot);
  if (dot != std::string_view::npos) remark = text.substr(dot + 2);
}

// "  /// C: nvmlX, else nvmlY", within a class.
void read_methods(std::string_view line, HandWritten& all) {
  const std::size_t at = line.find("// C: ");
  if (!line.starts_with(' ') || at == std::string_view::npos) return;
  for (std::string name : split(line.substr(at + kBody.size()))) {
    if (name.starts_with("else ")) name.erase(0, 5);
    all.methods.insert(std::move(name));
  }
}

}  // namespace

Result<void> read_hand_written(std::string_view text, const std::string& header, HandWritten& all) {
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    read_methods(lines[i], all);
    if (!lines[i].starts_with(kBody)) continue;
    HandWritten::Body body;
    body.header = header;
    body.line = i + 1;
    std::string function;
    read_marker(lines[i].substr(kBody.size()), function, body.remark);
    for (++i; i < lines.size() && lines[i].starts_with("// "); ++i)
      body.remark += fmt::format("{}{}", body.remark.empty() ? "" : " ", lines[i].substr(3));
    std::string declaration;
    for (; i < lines.size(); ++i) {
      const std::string_view part = lines[i].substr(std::min(lines[i].find_first_not_of(' '), lines[i].size()));
      declaration += fmt::format("{}{}", declaration.empty() ? "" : " ", part);
      if (declaration.ends_with(';') || declaration.ends_with('{')) break;
    }
    declaration.resize(declaration.size() - std::min<std::size_t>(declaration.size(), 1));
    if (!read_declaration(declaration, body)) {
      return fail_at(
          header, body.line, 1,
          fmt::format("below 'C: {}' no function follows; `Result<T> name(const State& state, ...);` would", function));
    }
    all.bodies[function].push_back(std::move(body));
  }
  return {};
}

Result<HandWritten> load_hand_written(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".hpp") files.push_back(entry.path());
  }
  if (failed) return fail(folder.string() + ": " + failed.message() + "; the binding's own headers belong there");
  std::ranges::sort(files);
  HandWritten all;
  for (const auto& file : files) {
    const auto content = read_file(file);
    if (!content) return std::unexpected(content.error());
    if (auto read = read_hand_written(*content, "nvmlab/nvml/" + file.filename().string(), all); !read)
      return std::unexpected(read.error());
  }
  return all;
}

Result<void> check_names(const HandWritten& hand, const Plan& plan) {
  for (const auto& [function, bodies] : hand.bodies) {
    if (plan.find(function) == nullptr)
      return fail_at(bodies.front().header, bodies.front().line, 1,
                     fmt::format("'C: {}' is no function of the newest header", function));
  }
  return {};
}

namespace methods {
namespace {

// Whether this takes what the overload before it takes, and memory for what that one answers.
bool is_lent(const Pieces& before, const Piece& piece) {
  if (before.empty() || piece.parameters.empty()) return false;
  const std::string& last = piece.parameters.back();
  const auto& without = before.back().parameters;
  return piece.result != "void" && last.starts_with("std::span<") && last.ends_with("> room") &&
         without.size() + 1 == piece.parameters.size() &&
         std::ranges::equal(without, std::span{piece.parameters}.first(without.size()));
}

}  // namespace

// The function's first parameters are the object's own, if it has a handle, and its library or the library's state.
Result<Pieces> write_by_hand(const Writing& writing, const Method& method) {
  Pieces pieces;
  for (const HandWritten::Body& body : writing.hand.bodies.at(method.function->name)) {
    std::vector<std::string> passed{body.parameters.front().starts_with("const Shared&") ? "library()" : "state()"};
    std::size_t own = 1;
    if (const MethodParameter* receiver = method.receiver()) {
      if (own >= body.parameters.size() || !body.parameters[own].starts_with("abi::" + receiver->c.type.base + " "))
        return fail_at(body.header, body.line, 1,
                       fmt::format("the second parameter is not the object, of type abi::{}", receiver->c.type.base));
      passed.emplace_back("handle()");
      ++own;
    }
    Piece piece;
    piece.result = body.result;
    piece.parameters.assign(body.parameters.begin() + static_cast<std::ptrdiff_t>(own), body.parameters.end());
    for (const std::string& parameter : piece.parameters)
      passed.push_back(parameter.substr(parameter.rfind(' ') + 1));
    piece.body = about_device(method, fmt::format("detail::{}({})", body.name, joined(passed)));
    piece.headers.insert(body.header);
    piece.remark = body.remark;
    piece.lent = is_lent(pieces, piece);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace methods
}  // namespace nvmlab::codegen
