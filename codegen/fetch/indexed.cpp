// SPDX-License-Identifier: Apache-2.0
// The sources that are an index on the network with a checksum for each archive.
#include <fmt/format.h>

#include "codegen/fetch/download.hpp"
#include "codegen/fetch/index.hpp"
#include "codegen/fetch/source.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::size_t most_indexes = 200;

Result<std::vector<Offer>> list_redist(const std::string& url) {
  if (url.ends_with(".json")) {
    const auto json = download(url);
    if (!json) return std::unexpected(json.error());
    return offers_in_redistrib(*json, url, url.substr(0, url.rfind('/') + 1));
  }
  const std::string folder = url.ends_with('/') ? url : url + '/';
  const auto page = download(folder);
  if (!page) return std::unexpected(page.error());
  const std::vector<std::string> names = redistrib_names(*page);
  if (names.empty()) return fail(fmt::format("{}: names no redistrib_*.json", folder));
  if (names.size() > most_indexes) return fail(fmt::format("{}: names more than {} indexes", folder, most_indexes));
  std::vector<Offer> offers;
  for (const std::string& name : names) {
    const auto json = download(join_url(folder, name));
    if (!json) return std::unexpected(json.error());
    auto found = offers_in_redistrib(*json, join_url(folder, name), folder);
    if (!found) return found;
    offers.insert(offers.end(), found->begin(), found->end());
  }
  return offers;
}

Result<std::vector<Offer>> list_conda(const std::string& channel) {
  const std::string folder = join_url(channel, "linux-64/");
  const std::string address = join_url(folder, "repodata.json");
  const auto json = download(address);
  if (!json) return std::unexpected(json.error());
  return offers_in_repodata(*json, address, folder);
}

Result<std::string> fetch_offer(const Offer& offer) { return fetch_archive(offer.key, offer.sha256); }

}  // namespace

Source redist_source(const std::string& url) {
  return {"redist", "NVIDIA's index of redistributable archives, " + url,
          [url](const std::string&) { return list_redist(url); }, fetch_offer};
}

Source conda_source(const std::string& channel) {
  return {"conda", "the conda channel " + channel, [channel](const std::string&) { return list_conda(channel); },
          fetch_offer};
}

}  // namespace nvmlab::codegen
