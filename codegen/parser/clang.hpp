// SPDX-License-Identifier: Apache-2.0
// A thin skin over libclang's C interface: ownership, strings, a visitor that takes a lambda. The C interface is used
// because it is stable from LLVM 14 on, so that one source builds on every distribution. Covered by
// tests/unit/codegen/parser_test.cpp.
#pragma once

#include <clang-c/Index.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen::clang {

std::string take(CXString text);  // copies and disposes

struct UnitDeleter {
  void operator()(CXTranslationUnitImpl* unit) const { clang_disposeTranslationUnit(unit); }
};
struct IndexDeleter {
  void operator()(void* index) const { clang_disposeIndex(index); }
};

struct Token {
  CXTokenKind kind;
  std::string text;
};

struct File {
  std::string name;
  std::string text;
};

// One parsed C file, given as text; files that it includes are given as text too, so that nothing depends on the disk.
// x86_64 Linux is the target whatever machine this runs on.
class Unit {
 public:
  // Without `tolerant`, the first error of the compiler is the result's error. With it, errors are left to the caller
  // (probes of macros that have no value are expected to fail one by one).
  static Result<Unit> parse(const File& main, const std::vector<File>& others, const std::vector<std::string>& defines,
                            bool tolerant);

  CXTranslationUnit get() const { return unit_.get(); }
  CXCursor root() const { return clang_getTranslationUnitCursor(unit_.get()); }
  std::vector<Token> tokens(CXSourceRange range) const;

 private:
  Unit(std::unique_ptr<void, IndexDeleter> index, std::unique_ptr<CXTranslationUnitImpl, UnitDeleter> unit)
      : index_(std::move(index)), unit_(std::move(unit)) {}

  std::unique_ptr<void, IndexDeleter> index_;  // declared first: disposed last
  std::unique_ptr<CXTranslationUnitImpl, UnitDeleter> unit_;
};

// Calls visit(cursor) for each direct child.
template <class Visit>
void for_each_child(CXCursor parent, Visit&& visit) {
  clang_visitChildren(
      parent,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<std::remove_reference_t<Visit>*>(data))(child);
        return CXChildVisit_Continue;
      },
      &visit);
}

struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned offset = 0;
};

// The tag of a struct, union or enum definition, empty for one without. Read from the tokens: what libclang calls the
// spelling of an untagged one differs from release to release.
std::string tag_of(const Unit& unit, CXCursor definition);

Place place_of(CXSourceLocation location);            // where it is written
Place expansion_place_of(CXSourceLocation location);  // where the outermost macro was used
inline Place place_of(CXCursor cursor) { return place_of(clang_getCursorLocation(cursor)); }

std::unexpected<Error> fail_at(CXCursor cursor, std::string message);

}  // namespace nvmlab::codegen::clang
