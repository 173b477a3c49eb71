// SPDX-License-Identifier: Apache-2.0
// cuda.h and cudaTypedefs.h of one release, read with libclang. With __CUDA_API_VERSION_INTERNAL the header declares
// every symbol under its own name, those of old releases too; the other header names for each function the releases
// that brought a version of it.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/header_text.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/sha256.hpp"

namespace nvmlab::codegen::cuda {
namespace {

// "PFN_cuMemcpyHtoD_v7000_ptds"
void read_version(std::string_view name, Header& header) {
  constexpr std::string_view kPrefix = "PFN_";
  if (!name.starts_with("PFN_cu")) return;
  name.remove_prefix(kPrefix.size());
  std::string stream;
  if (name.ends_with("_ptds") || name.ends_with("_ptsz")) {
    stream = name.substr(name.size() - 5);
    name.remove_suffix(5);
  }
  const std::size_t mark = name.rfind("_v");
  if (mark == std::string_view::npos) return;
  std::uint32_t release = 0;
  for (const char digit : name.substr(mark + 2)) {
    if (digit < '0' || digit > '9') return;
    release = release * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  // The names without a release stand for the newest of them.
  if (release >= 1000) header.versions[std::string(name.substr(0, mark)) + stream].push_back(release);
}

void read_declaration(CXCursor cursor, Header& header) {
  const std::string name = clang::take(clang_getCursorSpelling(cursor));
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
      if (name.starts_with("cu") && clang_Cursor_getStorageClass(cursor) != CX_SC_Static)
        header.functions.emplace(name, parameters_of(cursor));
      break;
    case CXCursor_EnumDecl:
      if (name == "cudaError_enum") read_constants(cursor, "CUDA_", header.results);
      if (name == "CUdevice_attribute_enum") read_constants(cursor, "CU_DEVICE_ATTRIBUTE_", header.attributes);
      break;
    case CXCursor_TypedefDecl:
      read_version(name, header);
      break;
    default:
      break;
  }
}

}  // namespace

std::string without_includes(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t mark = line.find_first_not_of(" \t");
    const bool include = mark != std::string_view::npos && line.substr(mark).starts_with("#include");
    kept += include ? "\n" : line;
    text.remove_prefix(end);
  }
  return kept;
}

std::vector<Parameter> parameters_of(CXCursor function) {
  std::vector<Parameter> parameters;
  const int count = clang_Cursor_getNumArguments(function);
  for (int i = 0; i < count; ++i) {
    const CXCursor each = clang_Cursor_getArgument(function, static_cast<unsigned>(i));
    parameters.push_back(
        {clang::take(clang_getTypeSpelling(clang_getCursorType(each))), clang::take(clang_getCursorSpelling(each))});
  }
  return parameters;
}

void read_constants(CXCursor enumeration, std::string_view prefix, std::map<std::string, std::int64_t>& into) {
  clang::for_each_child(enumeration, [&](CXCursor child) {
    if (clang_getCursorKind(child) != CXCursor_EnumConstantDecl) return;
    const std::string name = clang::take(clang_getCursorSpelling(child));
    if (name.starts_with(prefix)) into[name] = clang_getEnumConstantDeclValue(child);
  });
}

std::uint32_t stated_number(std::string_view text, std::string_view macro) {
  const std::string mark = fmt::format("#define {} ", macro);
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return 0;
  std::uint32_t number = 0;
  for (std::size_t i = text.find_first_not_of(' ', at + mark.size()); i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') break;
    number = number * 10 + static_cast<std::uint32_t>(text[i] - '0');
  }
  return number;
}

Result<Header> read_header(const std::filesystem::path& folder) {
  const auto text = read_file(folder / "cuda.h");
  if (!text) return std::unexpected(text.error());
  const auto typedefs = read_file(folder / "cudaTypedefs.h");
  if (!typedefs) return std::unexpected(typedefs.error());
  Header header;
  header.version = folder.filename().string();
  header.sha256 = sha256_hex(*text);
  header.cuda = stated_number(*text, "CUDA_VERSION");
  if (header.cuda == 0) return fail_at((folder / "cuda.h").string(), 0, 0, "no CUDA_VERSION; expected NVIDIA's cuda.h");
  const clang::File whole{"/nvmlgen/cuda.h",
                          std::string(kTypesOfC) + without_includes(*text) + without_includes(*typedefs)};
  const auto unit = clang::Unit::parse(whole, {}, {"__CUDA_API_VERSION_INTERNAL"}, false);
  if (!unit) return std::unexpected(unit.error());
  clang::for_each_child(unit->root(), [&](CXCursor cursor) { read_declaration(cursor, header); });
  for (auto& [name, releases] : header.versions)
    std::ranges::sort(releases);
  if (header.functions.empty() || header.versions.empty())
    return fail_at((folder / "cuda.h").string(), 0, 0, "no function is declared here; expected NVIDIA's cuda.h");
  return header;
}

}  // namespace nvmlab::codegen::cuda
