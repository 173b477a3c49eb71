// SPDX-License-Identifier: Apache-2.0
// What every way of fetching ends in: bytes to a header's text.
#include <fmt/format.h>

#include "codegen/fetch/archive.hpp"
#include "codegen/fetch/download.hpp"
#include "codegen/fetch/source.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/sha256.hpp"

namespace nvmlab::codegen {

Result<std::string> fetch_named(const std::string& file_or_url) {
  auto bytes = is_url(file_or_url) ? download(file_or_url) : read_file(file_or_url);
  if (!bytes) return std::unexpected(bytes.error());
  return looks_like_archive(*bytes) ? header_in_archive(*bytes, file_or_url) : std::move(bytes);
}

Result<std::string> fetch_archive(const std::string& url, const std::string& sha256) {
  const auto bytes = download(url);
  if (!bytes) return std::unexpected(bytes.error());
  if (sha256.empty()) return fail(fmt::format("{}: its index gives no SHA-256, so it is not taken", url));
  if (const std::string have = sha256_hex(*bytes); have != sha256) {
    return fail(fmt::format("{}: SHA-256 is {}, its index says {}; not taken", url, have, sha256));
  }
  return header_in_archive(*bytes, url);
}

}  // namespace nvmlab::codegen
