// SPDX-License-Identifier: Apache-2.0
// The runtime's headers of one release, read with libclang, and the names that its library exports. With
// __CUDA_API_VERSION_INTERNAL the header declares every symbol under its own name.
#include <fmt/format.h>

#include "codegen/cuda/header_text.hpp"
#include "codegen/cudart/facts.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/sha256.hpp"
#include "codegen/parser/symbols.hpp"

namespace nvmlab::codegen::cudart {
namespace {

// What the headers that are not read would have brought.
constexpr std::string_view kMarks =
    "#define __host__\n#define __device__\n#define __cudart_builtin__\n#define __device_builtin__\n"
    "#define __device_builtin_texture_type__\n#define __device_builtin_surface_type__\n#define CUDARTAPI\n"
    "#define CUDARTAPI_CDECL\n#define CUDART_CB\n#define __builtin_align__(n)\n#define __align__(n)\n";

struct Declared {
  std::map<std::string, std::vector<Parameter>> functions;
  std::map<std::string, std::int64_t> errors;
};

void read_declaration(CXCursor cursor, Declared& declared) {
  const std::string name = clang::take(clang_getCursorSpelling(cursor));
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_FunctionDecl && clang_Cursor_getStorageClass(cursor) != CX_SC_Static)
    declared.functions.emplace(name, cuda::parameters_of(cursor));
  if (kind == CXCursor_EnumDecl && name == "cudaError") cuda::read_constants(cursor, "cuda", declared.errors);
}

Result<Declared> read_headers(const std::filesystem::path& folder) {
  clang::File whole{"/nvmlgen/cuda_runtime_api.h", std::string(cuda::kTypesOfC) + std::string(kMarks)};
  for (const char* name :
       {"vector_types.h", "driver_types.h", "surface_types.h", "texture_types.h", "cuda_runtime_api.h"}) {
    const auto text = read_file(folder / name);
    if (!text) return std::unexpected(text.error());
    whole.text += cuda::without_includes(*text);
  }
  const auto unit = clang::Unit::parse(whole, {}, {"__CUDA_API_VERSION_INTERNAL"}, false);
  if (!unit) return std::unexpected(unit.error());
  Declared declared;
  clang::for_each_child(unit->root(), [&](CXCursor cursor) { read_declaration(cursor, declared); });
  return declared;
}

}  // namespace

std::expected<void, Error> add_release(const std::filesystem::path& folder, Facts& facts) {
  const auto text = read_file(folder / "cuda_runtime_api.h");
  if (!text) return std::unexpected(text.error());
  Release release{folder.filename().string(), sha256_hex(*text), cuda::stated_number(*text, "CUDART_VERSION")};
  if (release.number == 0)
    return fail_at((folder / "cuda_runtime_api.h").string(), 0, 0, "no CUDART_VERSION; expected NVIDIA's header");
  const auto declared = read_headers(folder);
  if (!declared) return std::unexpected(declared.error());
  const std::uint32_t major = release.number / 1000;
  if (!facts.releases.emplace(major, std::move(release)).second)
    return fail(fmt::format("{}: another release of CUDA {} has been read; one of each is", folder.string(), major));
  for (const char* prefix : {"cuda", "__cuda"}) {
    const auto symbols = exported_symbols(folder / "libcudart.so", prefix);
    if (!symbols) return std::unexpected(symbols.error());
    for (const std::string& symbol : *symbols) {
      const auto found = declared->functions.find(symbol);
      facts.functions[symbol][major] = found == declared->functions.end() ? Parameters() : Parameters(found->second);
    }
  }
  for (const auto& [name, value] : declared->errors)
    facts.errors[name] = value;
  return {};
}

}  // namespace nvmlab::codegen::cudart
