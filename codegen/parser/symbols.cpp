// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/symbols.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "codegen/io/files.hpp"

namespace nvmlab::codegen {
namespace {

// A bounds-checked copy of one structure of an image that nobody vouches for.
template <class T>
std::optional<T> read_at(std::string_view image, std::uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

std::optional<std::string_view> string_at(std::string_view image, const Elf64_Shdr& strings, std::uint64_t offset) {
  if (strings.sh_offset > image.size() || strings.sh_size > image.size() - strings.sh_offset) return std::nullopt;
  const std::string_view table = image.substr(strings.sh_offset, strings.sh_size);
  if (offset >= table.size()) return std::nullopt;
  const std::string_view rest = table.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

bool is_exported_function(const Elf64_Sym& symbol) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
         (type == STT_FUNC || type == STT_GNU_IFUNC);
}

void sort_unique(std::vector<std::string>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

std::optional<Elf64_Shdr> section(std::string_view image, const Elf64_Ehdr& header, std::uint64_t index) {
  if (index >= header.e_shnum || header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  return read_at<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
}

}  // namespace

Result<std::vector<std::string>> symbols_in_elf(std::string_view image, const std::string& name,
                                                std::string_view prefix) {
  const auto damaged = [&] { return fail_at(name, 0, 0, "a damaged ELF file; expected a whole library of a driver"); };
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  if (!header) return damaged();
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail_at(name, 0, 0, "not a 64-bit little-endian library; take the x86_64 or aarch64 one");
  }
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto symbols = section(image, *header, i);
    if (!symbols) return damaged();
    if (symbols->sh_type != SHT_DYNSYM) continue;
    const auto strings = section(image, *header, symbols->sh_link);
    if (!strings || symbols->sh_size > image.size()) return damaged();
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(image, symbols->sh_offset + at);
      const auto spelled = symbol ? string_at(image, *strings, symbol->st_name) : std::nullopt;
      if (!spelled) return damaged();
      if (is_exported_function(*symbol) && spelled->starts_with(prefix)) names.emplace_back(*spelled);
    }
  }
  if (names.empty())
    return fail_at(name, 0, 0, fmt::format("exports no {}* function; expected a driver's library", prefix));
  sort_unique(names);
  return names;
}

Result<std::vector<std::string>> symbols_in_list(std::string_view text, const std::string& name,
                                                 std::string_view prefix) {
  std::vector<std::string> names;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    std::string_view symbol = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (symbol.ends_with(' ') || symbol.ends_with('\r'))
      symbol.remove_suffix(1);
    if (symbol.empty()) continue;
    const bool word = std::ranges::all_of(symbol, [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (!word) {
      return fail_at(name, line, 1,
                     fmt::format("'{}' is not a symbol; expected one name a line", symbol.substr(0, 60)));
    }
    if (symbol.starts_with(prefix)) names.emplace_back(symbol);
  }
  if (names.empty()) return fail_at(name, 0, 0, fmt::format("names no {}* symbol; expected one name a line", prefix));
  sort_unique(names);
  return names;
}

Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& list_or_library,
                                                  std::string_view prefix) {
  const auto text = read_file(list_or_library);
  if (!text) return std::unexpected(text.error());
  const bool elf = text->starts_with(
      "\x7f"
      "ELF");
  return elf ? symbols_in_elf(*text, list_or_library.string(), prefix)
             : symbols_in_list(*text, list_or_library.string(), prefix);
}

}  // namespace nvmlab::codegen
