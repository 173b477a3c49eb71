// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <span>

#include "engine/store/hash.hpp"

namespace nvmlab::codegen {
namespace {

using clang::Token;
using Tokens = std::span<const Token>;

std::string join(Tokens tokens) {
  std::string text;
  for (const Token& token : tokens) {
    const bool both_words =
        !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 || text.back() == '_') &&
        (std::isalnum(static_cast<unsigned char>(token.text.front())) != 0 || token.text.front() == '_');
    const bool spaced = token.text == "|" || token.text == "<<" || token.text == "+" || text.ends_with('|') ||
                        text.ends_with("<<") || text.ends_with('+');
    if (!text.empty() && (both_words || spaced)) text += ' ';
    text += token.text;
  }
  return text;
}

// Only to notice that a body changed.
std::uint64_t fingerprint(std::string_view text) { return fnv1a(text.data(), text.size()); }

bool is_number(const Token& token) {
  return token.kind == CXToken_Literal && token.text.front() >= '0' && token.text.front() <= '9';
}

Tokens without_parentheses(Tokens tokens) {
  while (tokens.size() > 2 && tokens.front().text == "(" && tokens.back().text == ")")
    tokens = tokens.subspan(1, tokens.size() - 2);
  return tokens;
}

MacroKind classify(Tokens body) {
  if (body.empty()) return MacroKind::empty;
  const Tokens core = without_parentheses(body);
  if (core.size() == 1 && is_number(core[0])) return MacroKind::integer;
  if (core.size() == 2 && core[0].text == "-" && is_number(core[1])) return MacroKind::integer;
  if (core.size() == 1 && core[0].kind == CXToken_Literal && core[0].text.front() == '"') return MacroKind::string;
  if (core.size() == 1 && core[0].kind == CXToken_Identifier) return MacroKind::alias;
  if (core.size() == 3 && is_number(core[0]) && core[1].text == ":" && is_number(core[2])) return MacroKind::bit_range;
  if (body.size() == 6 && body[0].text == "NVML_STRUCT_VERSION") return MacroKind::struct_version;
  if (body[0].text == "__attribute__" || body[0].text == "__declspec") return MacroKind::attribute;
  return MacroKind::expression;
}

Macro read_function_like(std::string name, Tokens rest) {
  const auto closing = std::ranges::find(rest, std::string_view(")"), &Token::text);
  const auto parameters = static_cast<std::size_t>(std::distance(rest.begin(), closing)) + 1;
  const std::string body = join(rest.subspan(std::min(parameters, rest.size())));
  std::string list;
  for (const Token& token : rest.first(std::min(parameters, rest.size())))
    list += token.text;
  Macro macro;
  macro.name = std::move(name);
  macro.kind = MacroKind::function_like;
  macro.text = fmt::format("{} #{:016x}", list, fingerprint(body));
  return macro;
}

bool may_have_value(const Macro& macro) {
  return macro.kind == MacroKind::integer || macro.kind == MacroKind::struct_version ||
         macro.kind == MacroKind::alias || macro.kind == MacroKind::expression;
}

// One candidate per line, so that the line of an error tells which macro has no value.
constexpr std::string_view probe_name = "/nvmlgen/macro_probe.c";

std::string probe_text(const clang::File& header, const std::vector<Macro>& macros) {
  std::string text = fmt::format("#include \"{}\"\n", header.name);
  for (std::size_t i = 0; i < macros.size(); ++i) {
    if (may_have_value(macros[i])) {
      fmt::format_to(std::back_inserter(text), "static const __typeof__({0}) nvmlgen_macro_{1} = ({0});",
                     macros[i].name, i);
    }
    text += '\n';
  }
  return text;
}

std::vector<bool> lines_with_errors(const clang::Unit& unit, std::size_t count) {
  std::vector<bool> bad(count, false);
  const unsigned diagnostics = clang_getNumDiagnostics(unit.get());
  for (unsigned i = 0; i < diagnostics; ++i) {
    auto* const diagnostic = clang_getDiagnostic(unit.get(), i);
    const clang::Place place = clang::expansion_place_of(clang_getDiagnosticLocation(diagnostic));
    const bool serious = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    clang_disposeDiagnostic(diagnostic);
    if (serious && place.file == probe_name && place.line >= 2 && place.line - 2 < count) bad[place.line - 2] = true;
  }
  return bad;
}

std::optional<Constant> evaluate(CXCursor variable) {
  auto* const result = clang_Cursor_Evaluate(variable);
  if (result == nullptr) return std::nullopt;
  std::optional<Constant> constant;
  if (clang_EvalResult_getKind(result) == CXEval_Int) {
    const std::uint64_t bits = clang_EvalResult_isUnsignedInt(result) != 0
                                   ? clang_EvalResult_getAsUnsigned(result)
                                   : static_cast<std::uint64_t>(clang_EvalResult_getAsLongLong(result));
    std::string type = clang::take(clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(variable))));
    if (type.starts_with("const ")) type.erase(0, 6);
    constant = Constant{bits, std::move(type)};
  }
  clang_EvalResult_dispose(result);
  return constant;
}

}  // namespace

std::vector<Macro> read_macros(const clang::Unit& unit, const std::string& header) {
  std::map<std::string, Macro> macros;  // a later definition replaces an earlier one, as in C
  clang::for_each_child(unit.root(), [&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition || clang::place_of(cursor).file != header) return;
    std::string name = clang::take(clang_getCursorSpelling(cursor));
    const std::vector<Token> tokens = unit.tokens(clang_getCursorExtent(cursor));
    const Tokens rest = Tokens(tokens).subspan(tokens.empty() ? 0 : 1);
    Macro macro;
    if (clang_Cursor_isMacroFunctionLike(cursor) != 0) {
      macro = read_function_like(name, rest);
    } else {
      macro.name = name;
      macro.kind = classify(rest);
      macro.text = join(rest);
    }
    macros[std::move(name)] = std::move(macro);
  });
  std::vector<Macro> list;
  list.reserve(macros.size());
  for (auto& [name, macro] : macros)
    list.push_back(std::move(macro));
  return list;
}

std::expected<void, Error> evaluate_macros(const clang::File& header, const std::vector<std::string>& defines,
                                           std::vector<Macro>& macros) {
  const auto unit = clang::Unit::parse({std::string(probe_name), probe_text(header, macros)}, {header}, defines, true);
  if (!unit) return std::unexpected(unit.error());
  const std::vector<bool> bad = lines_with_errors(*unit, macros.size());
  clang::for_each_child(unit->root(), [&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl) return;
    const clang::Place place = clang::expansion_place_of(clang_getCursorLocation(cursor));
    if (place.file != probe_name || place.line < 2 || place.line - 2 >= macros.size()) return;
    if (!bad[place.line - 2]) macros[place.line - 2].value = evaluate(cursor);
  });
  for (const Macro& macro : macros) {
    const bool must = macro.kind == MacroKind::integer || macro.kind == MacroKind::struct_version;
    if (must && !macro.value) return fail_at(header.name, 0, 0, fmt::format("macro {} has no value in C", macro.name));
  }
  return {};
}

}  // namespace nvmlab::codegen
