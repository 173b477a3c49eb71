// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/clang.hpp"

#include <fmt/format.h>

#include <utility>

namespace nvmlab::codegen::clang {
namespace {

Place place_in(CXFile file, unsigned line, unsigned column, unsigned offset) {
  return {file == nullptr ? std::string{} : take(clang_getFileName(file)), line, column, offset};
}

std::expected<void, Error> first_error(CXTranslationUnit unit) {
  const unsigned count = clang_getNumDiagnostics(unit);
  for (unsigned i = 0; i < count; ++i) {
    auto* const diagnostic = clang_getDiagnostic(unit, i);
    const bool serious = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    const Place place = place_of(clang_getDiagnosticLocation(diagnostic));
    std::string message = take(clang_getDiagnosticSpelling(diagnostic));
    clang_disposeDiagnostic(diagnostic);
    if (serious) {
      return nvmlab::codegen::fail_at(place.file, place.line, place.column,
                                      fmt::format("not valid C: {}; expected NVIDIA's nvml.h as published", message));
    }
  }
  return {};
}

}  // namespace

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string copy = chars == nullptr ? std::string{} : std::string(chars);
  clang_disposeString(text);
  return copy;
}

Result<Unit> Unit::parse(const File& main, const std::vector<File>& others, const std::vector<std::string>& defines,
                         bool tolerant) {
  std::vector<std::string> options{
      "-x", "c", "-std=gnu11", "-target", "x86_64-unknown-linux-gnu", "-ferror-limit=0", "-nostdinc", "-w"};
  for (const std::string& define : defines)
    options.push_back("-D" + define);
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options)
    arguments.push_back(option.c_str());

  std::vector<CXUnsavedFile> files;
  files.push_back({main.name.c_str(), main.text.c_str(), main.text.size()});
  for (const File& other : others)
    files.push_back({other.name.c_str(), other.text.c_str(), other.text.size()});

  std::unique_ptr<void, IndexDeleter> index(clang_createIndex(0, 0));
  CXTranslationUnit raw = nullptr;
  const CXErrorCode code = clang_parseTranslationUnit2(
      index.get(), main.name.c_str(), arguments.data(), static_cast<int>(arguments.size()), files.data(),
      static_cast<unsigned>(files.size()), CXTranslationUnit_DetailedPreprocessingRecord, &raw);
  std::unique_ptr<CXTranslationUnitImpl, UnitDeleter> unit(raw);
  if (code != CXError_Success || !unit) {
    return nvmlab::codegen::fail_at(main.name, 0, 0,
                                    fmt::format("libclang could not read this file (code {})", static_cast<int>(code)));
  }
  if (!tolerant) {
    if (auto checked = first_error(unit.get()); !checked) return std::unexpected(checked.error());
  }
  return Unit(std::move(index), std::move(unit));
}

std::vector<Token> Unit::tokens(CXSourceRange range) const {
  CXToken* raw = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_.get(), range, &raw, &count);
  std::vector<Token> tokens;
  tokens.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const CXTokenKind kind = clang_getTokenKind(raw[i]);
    if (kind == CXToken_Comment) continue;
    // A token after a line continuation is spelled with the backslash and the line end.
    std::string text = take(clang_getTokenSpelling(unit_.get(), raw[i]));
    text.erase(0, text.find_first_not_of("\\\r\n \t"));
    if (!text.empty()) tokens.push_back({kind, std::move(text)});
  }
  clang_disposeTokens(unit_.get(), raw, count);
  return tokens;
}

std::string tag_of(const Unit& unit, CXCursor definition) {
  const std::vector<Token> tokens = unit.tokens(clang_getCursorExtent(definition));
  return tokens.size() > 1 && tokens[1].kind == CXToken_Identifier ? tokens[1].text : std::string{};
}

Place place_of(CXSourceLocation location) {
  CXFile file = nullptr;
  unsigned line = 0, column = 0, offset = 0;
  clang_getSpellingLocation(location, &file, &line, &column, &offset);
  return place_in(file, line, column, offset);
}

Place expansion_place_of(CXSourceLocation location) {
  CXFile file = nullptr;
  unsigned line = 0, column = 0, offset = 0;
  clang_getExpansionLocation(location, &file, &line, &column, &offset);
  return place_in(file, line, column, offset);
}

std::unexpected<Error> fail_at(CXCursor cursor, std::string message) {
  const Place place = place_of(cursor);
  return nvmlab::codegen::fail_at(place.file, place.line, place.column, std::move(message));
}

}  // namespace nvmlab::codegen::clang
