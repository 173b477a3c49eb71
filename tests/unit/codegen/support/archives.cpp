// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/support/archives.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

namespace nvmlab::codegen::test {
namespace {

la_ssize_t append(archive*, void* user, const void* data, std::size_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

int set_kind(archive* writer, Kind kind) {
  switch (kind) {
    case Kind::zip:
      return archive_write_set_format_zip(writer);
    case Kind::ar:
      return archive_write_set_format_ar_svr4(writer);
    case Kind::tar_xz:
      archive_write_add_filter_xz(writer);
      break;
    case Kind::tar_bz2:
      archive_write_add_filter_bzip2(writer);
      break;
    case Kind::tar_gz:
      archive_write_add_filter_gzip(writer);
      break;
    case Kind::tar_zst:
      archive_write_add_filter_zstd(writer);
      break;
    case Kind::tar:
      break;
  }
  return archive_write_set_format_pax_restricted(writer);
}

}  // namespace

std::string archive_of(Kind kind, const Entries& entries) {
  std::string bytes;
  archive* writer = archive_write_new();
  EXPECT_EQ(set_kind(writer, kind), ARCHIVE_OK) << archive_error_string(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  EXPECT_EQ(archive_write_open2(writer, &bytes, nullptr, append, nullptr, nullptr), ARCHIVE_OK);
  for (const auto& [path, content] : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK) << archive_error_string(writer);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  return bytes;
}

}  // namespace nvmlab::codegen::test
