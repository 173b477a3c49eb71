// SPDX-License-Identifier: Apache-2.0
#include "codegen/commands/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "codegen/io/files.hpp"
#include "codegen/model/version.hpp"
#include "codegen/parser/header_parser.hpp"

namespace nvmlab::codegen {
namespace fs = std::filesystem;

Result<HeaderSource> single_header(const std::string& header, const std::string& version) {
  if (!version.empty()) return HeaderSource{header, version};
  const auto text = read_file(header);
  if (!text) return std::unexpected(text.error());
  const std::string folder = fs::path(header).parent_path().filename().string();
  const std::string stated = stated_version(*text);
  if (!stated.empty()) return HeaderSource{header, stated};
  if (is_version(folder)) return HeaderSource{header, folder};
  return fail_at(header, 0, 0, "does not say which release it is; add --version, as in --version 13.3.29");
}

Result<std::vector<HeaderSource>> cached_headers(const fs::path& cache) {
  std::vector<HeaderSource> sources;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, code)) {
    const std::string name = entry.path().filename().string();
    if (is_version(name) && fs::exists(entry.path() / "nvml.h")) sources.push_back({entry.path() / "nvml.h", name});
  }
  if (sources.empty())
    return fail(fmt::format("no header in {}; get some with nvmlgen fetch, or name a file", cache.string()));
  std::ranges::sort(sources, VersionLess{}, &HeaderSource::version);
  return sources;
}

Result<std::vector<HeaderSource>> headers_of(const std::string& header, const std::string& version,
                                             const fs::path& cache) {
  if (header.empty()) return cached_headers(cache);
  auto one = single_header(header, version);
  if (!one) return std::unexpected(one.error());
  return std::vector{std::move(*one)};
}

}  // namespace nvmlab::codegen
