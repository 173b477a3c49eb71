// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/header_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/io/files.hpp"
#include "codegen/io/sha256.hpp"
#include "codegen/model/version.hpp"
#include "codegen/parser/clang.hpp"
#include "codegen/parser/declarations.hpp"
#include "codegen/parser/macros.hpp"

namespace nvmlab::codegen {
namespace {

const std::string guard = "NVML_NO_UNVERSIONED_FUNC_DEFS";

// What the compiler calls the header: a name that a probe can include whatever the file is really called. Errors get
// the real name.
constexpr std::string_view virtual_name = "/nvmlgen/nvml.h";

template <class T>
std::expected<void, Error> sort_unique(std::vector<T>& entries, const std::string& file) {
  std::ranges::sort(entries, {}, &T::name);
  const auto twice = std::ranges::adjacent_find(entries, {}, &T::name);
  if (twice == entries.end()) return {};
  return fail_at(file, 0, 0, fmt::format("{} is declared twice; one declaration is expected", twice->name));
}

Result<Release> extract_text(const std::string& text, std::string version) {
  const std::string name(virtual_name);
  const clang::File header{name, text};
  const auto as_users_see_it = clang::Unit::parse(header, {}, {}, false);
  if (!as_users_see_it) return std::unexpected(as_users_see_it.error());
  const auto guarded = clang::Unit::parse(header, {}, {guard}, false);
  if (!guarded) return std::unexpected(guarded.error());

  Release release;
  release.version = std::move(version);
  release.sha256 = sha256_hex(text);
  if (auto read = read_declarations(*guarded, name, release); !read) return std::unexpected(read.error());
  if (release.functions.empty()) {
    return fail_at(name, 1, 1, "no function is declared here; expected NVIDIA's nvml.h as published");
  }
  const std::set<std::string> visible = function_names(*as_users_see_it, name);
  for (Function& function : release.functions)
    function.guarded = !visible.contains(function.name);

  release.macros = read_macros(*as_users_see_it, name);
  const std::vector<Macro> with_guard = read_macros(*guarded, name);
  for (Macro& macro : release.macros)
    macro.unguarded = find(with_guard, macro.name) == nullptr;
  if (auto valued = evaluate_macros(header, {guard}, release.macros); !valued) return std::unexpected(valued.error());

  for (auto sorted :
       {sort_unique(release.functions, name), sort_unique(release.records, name), sort_unique(release.enums, name),
        sort_unique(release.typedefs, name), sort_unique(release.handles, name)}) {
    if (!sorted) return std::unexpected(sorted.error());
  }
  return release;
}

}  // namespace

Result<Release> extract(const std::string& name, const std::string& text, std::string version) {
  auto release = extract_text(text, std::move(version));
  if (!release && release.error().file == virtual_name) release.error().file = name;
  return release;
}

Result<Release> extract_file(const std::filesystem::path& header, std::string version) {
  auto text = read_file(header);
  if (!text) return std::unexpected(text.error());
  return extract(header.string(), *text, std::move(version));
}

std::string stated_version(std::string_view header_text) {
  constexpr std::string_view mark = "NVML VERSION: ";
  const std::string_view head = header_text.substr(0, 400);
  const std::size_t at = head.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view rest = head.substr(at + mark.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789."));
  return is_version(rest) ? std::string(rest) : std::string{};
}

}  // namespace nvmlab::codegen
