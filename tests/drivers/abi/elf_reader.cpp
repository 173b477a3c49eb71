// SPDX-License-Identifier: Apache-2.0
// See elf_reader.hpp. Goes by the program headers and the dynamic section, as the loader does; sections may be
// stripped.
#include "tests/drivers/abi/elf_reader.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace nvmlab::elf {
namespace {

class File {
 public:
  File(std::string path, std::vector<char> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

  std::unexpected<std::string> error(std::string_view what) const {
    return std::unexpected(fmt::format("{}: {}", path_, what));
  }

  // One value at a place in the file; zeroes beyond its end, so that a damaged file is read as an odd one.
  template <class T>
  T at(std::uint64_t offset) const {
    T value{};
    if (offset <= bytes_.size() && bytes_.size() - offset >= sizeof(T)) {
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    }
    return value;
  }

  std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    return {bytes_.data() + offset, ::strnlen(bytes_.data() + offset, bytes_.size() - offset)};
  }

  std::uint64_t size() const { return bytes_.size(); }

 private:
  std::string path_;
  std::vector<char> bytes_;
};

class Reader {
 public:
  explicit Reader(const File& file) : file_(file) {}

  std::expected<Library, std::string> run() {
    const auto header = file_.at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return file_.error("not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN) {
      return file_.error("not a 64-bit little-endian shared object");
    }
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      segments_.push_back(file_.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
      library_.segments.push_back({segments_.back().p_type, segments_.back().p_flags});
    }
    read_dynamic();
    if (dynamic_.empty()) return file_.error("no dynamic section");
    read_entries();
    read_needed_versions();
    read_defined_versions();
    if (!read_symbols()) return file_.error("no hash table to count the dynamic symbols by");
    return library_;
  }

 private:
  // Addresses in the dynamic section are those of the loaded image.
  std::uint64_t offset_of(std::uint64_t address) const {
    for (const auto& segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
        return address - segment.p_vaddr + segment.p_offset;
      }
    }
    return file_.size();
  }

  std::optional<std::uint64_t> entry(std::int64_t tag) const {
    const auto found = std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag);
    if (found == dynamic_.end()) return std::nullopt;
    return found->d_un.d_val;
  }

  std::optional<std::uint64_t> table(std::int64_t tag) const {
    const auto address = entry(tag);
    if (!address) return std::nullopt;
    return offset_of(*address);
  }

  std::string string_at(std::uint64_t index) const {
    return file_.text(table(DT_STRTAB).value_or(file_.size()) + index);
  }

  void read_dynamic() {
    for (const auto& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC) continue;
      for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto item = file_.at<Elf64_Dyn>(segment.p_offset + at);
        if (item.d_tag == DT_NULL) return;
        dynamic_.push_back(item);
      }
    }
  }

  void read_entries() {
    for (const auto& item : dynamic_) {
      const auto value = item.d_un.d_val;
      switch (item.d_tag) {
        case DT_NEEDED:
          library_.needed.push_back(string_at(value));
          break;
        case DT_SONAME:
          library_.soname = string_at(value);
          break;
        case DT_RPATH:
        case DT_RUNPATH:
          library_.search_path = string_at(value);
          break;
        case DT_FLAGS:
          library_.flags = value;
          break;
        case DT_FLAGS_1:
          library_.flags_1 = value;
          break;
        case DT_INIT_ARRAYSZ:
          library_.init_functions = value / sizeof(std::uint64_t);
          break;
        case DT_FINI_ARRAYSZ:
          library_.fini_functions = value / sizeof(std::uint64_t);
          break;
        case DT_TEXTREL:
          library_.text_relocations = true;
          break;
        default:
          break;
      }
    }
  }

  void read_needed_versions() {
    auto need_at = table(DT_VERNEED);
    for (std::uint64_t i = 0, count = entry(DT_VERNEEDNUM).value_or(0); need_at && i < count; ++i) {
      const auto need = file_.at<Elf64_Verneed>(*need_at);
      auto item_at = *need_at + need.vn_aux;
      for (unsigned j = 0; j < need.vn_cnt; ++j) {
        const auto item = file_.at<Elf64_Vernaux>(item_at);
        versions_[item.vna_other] = {string_at(item.vna_name), string_at(need.vn_file)};
        item_at += item.vna_next;
      }
      *need_at += need.vn_next;
    }
  }

  void read_defined_versions() {
    auto definition_at = table(DT_VERDEF);
    for (std::uint64_t i = 0, count = entry(DT_VERDEFNUM).value_or(0); definition_at && i < count; ++i) {
      const auto definition = file_.at<Elf64_Verdef>(*definition_at);
      const auto name = string_at(file_.at<Elf64_Verdaux>(*definition_at + definition.vd_aux).vda_name);
      // The base definition only repeats the library's own name.
      if ((definition.vd_flags & VER_FLG_BASE) == 0) {
        library_.defined_versions.push_back(name);
        versions_[definition.vd_ndx] = {name, ""};
      }
      *definition_at += definition.vd_next;
    }
  }

  // The dynamic section does not say how many symbols there are; its hash tables do.
  std::optional<std::uint64_t> symbol_count() const {
    if (const auto classic = table(DT_HASH)) return file_.at<std::uint32_t>(*classic + 4);
    const auto gnu = table(DT_GNU_HASH);
    if (!gnu) return std::nullopt;
    const auto buckets = file_.at<std::uint32_t>(*gnu);
    const auto first = file_.at<std::uint32_t>(*gnu + 4);
    const auto bloom_words = file_.at<std::uint32_t>(*gnu + 8);
    const auto buckets_at = *gnu + 16 + std::uint64_t{bloom_words} * 8;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      last = std::max<std::uint64_t>(last, file_.at<std::uint32_t>(buckets_at + i * 4));
    }
    if (last < first) return first;  // nothing exported: only the symbols before the table
    const auto chains_at = buckets_at + std::uint64_t{buckets} * 4;
    while (last < file_.size() && (file_.at<std::uint32_t>(chains_at + (last - first) * 4) & 1U) == 0)
      ++last;
    return last + 1;
  }

  bool read_symbols() {
    const auto count = symbol_count();
    const auto symbols_at = table(DT_SYMTAB);
    if (!count || !symbols_at) return false;
    const auto versions_at = table(DT_VERSYM);
    for (std::uint64_t i = 1; i < *count; ++i) {
      const auto raw = file_.at<Elf64_Sym>(*symbols_at + i * sizeof(Elf64_Sym));
      const auto binding = ELF64_ST_BIND(raw.st_info);
      if (binding == STB_LOCAL) continue;
      Symbol symbol{.name = string_at(raw.st_name), .version = {}, .library = {}, .weak = binding == STB_WEAK};
      if (versions_at) {
        const auto index =
            static_cast<Elf64_Half>(file_.at<Elf64_Half>(*versions_at + i * sizeof(Elf64_Half)) & 0x7fff);
        if (const auto found = versions_.find(index); found != versions_.end()) {
          symbol.version = found->second.name;
          symbol.library = found->second.library;
        }
      }
      (raw.st_shndx == SHN_UNDEF ? library_.imports : library_.exports).push_back(std::move(symbol));
    }
    return true;
  }

  struct Version {
    std::string name;
    std::string library;
  };

  const File& file_;
  Library library_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  std::map<Elf64_Half, Version> versions_;
};

}  // namespace

const Segment* Library::segment(std::uint32_t type) const {
  const auto found = std::ranges::find(segments, type, &Segment::type);
  return found == segments.end() ? nullptr : &*found;
}

std::expected<Library, std::string> read_library(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::unexpected(fmt::format("{}: cannot be read", path.string()));
  const File file(path.string(), {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
  return Reader(file).run();
}

}  // namespace nvmlab::elf
