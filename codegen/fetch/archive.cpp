// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "base/text.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::size_t largest_header = std::size_t{16} << 20U;
constexpr std::size_t largest_inner = std::size_t{256} << 20U;
constexpr int most_entries = 20000;

struct ReaderDeleter {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using ArchiveReader = std::unique_ptr<archive, ReaderDeleter>;

std::unexpected<Error> damaged(const std::string& name, archive* reader) {
  const char* why = archive_error_string(reader);
  return fail_at(name, 0, 0,
                 fmt::format("a damaged or unknown archive: {}", why == nullptr ? "it ends too early" : why));
}

// The archive inside a .conda or a .deb.
bool is_inner_archive(std::string_view path) {
  const std::string_view name = last_part(path);
  return (name.starts_with("pkg-") || name.starts_with("data.")) && name.find(".tar") != std::string_view::npos;
}

Result<std::string> read_entry(archive* reader, const std::string& name, std::size_t limit) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  while (true) {
    const la_ssize_t got = archive_read_data(reader, buffer.data(), buffer.size());
    if (got < 0) return damaged(name, reader);
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(got) > limit) {
      return fail_at(name, 0, 0,
                     fmt::format("holds an entry of more than {} MiB where nvml.h was expected", limit >> 20U));
    }
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<std::optional<std::string>> find_header(std::string_view bytes, const std::string& name, int depth) {
  const ArchiveReader reader(archive_read_new());
  if (!reader) return fail("libarchive does not start");
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_all(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    return damaged(name, reader.get());
  for (int entries = 0; entries < most_entries; ++entries) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF) return std::nullopt;
    if (code < ARCHIVE_WARN) return damaged(name, reader.get());
    const char* raw = archive_entry_pathname(entry);
    const std::string path = raw == nullptr ? "" : raw;
    if (archive_entry_filetype(entry) == AE_IFREG && last_part(path) == "nvml.h") {
      auto text = read_entry(reader.get(), name, largest_header);
      if (!text) return std::unexpected(text.error());
      return std::optional(std::move(*text));
    }
    if (depth > 0 && is_inner_archive(path)) {
      const auto inner = read_entry(reader.get(), name, largest_inner);
      if (!inner) return std::unexpected(inner.error());
      auto found = find_header(*inner, fmt::format("{} ({})", name, last_part(path)), depth - 1);
      if (!found || *found) return found;
    }
  }
  return fail_at(name, 0, 0, fmt::format("more than {} entries and no nvml.h among them", most_entries));
}

}  // namespace

bool looks_like_archive(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::array marks{"PK\3\4"sv,
                             "\xfd"
                             "7zXZ\0"sv,
                             "BZh"sv,
                             "\x1f\x8b"sv,
                             "\x28\xb5\x2f\xfd"sv,
                             "!<arch>\n"sv};
  for (const std::string_view mark : marks) {
    if (bytes.starts_with(mark)) return true;
  }
  return bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
}

Result<std::string> header_in_archive(std::string_view bytes, const std::string& name) {
  auto found = find_header(bytes, name, 1);
  if (!found) return std::unexpected(found.error());
  std::optional<std::string>& header = *found;
  if (!header) return fail_at(name, 0, 0, "holds no nvml.h; expected an archive of NVIDIA's with one in it");
  return std::move(*header);
}

}  // namespace nvmlab::codegen
