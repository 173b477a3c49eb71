// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/identify.hpp"

namespace nvmlab::codegen {

std::vector<std::string> releases_with_facts_of(const Registry& registry, const Release& header) {
  std::vector<std::string> versions;
  const Counts counts = count(header);
  for (const ReleaseInfo& info : registry.releases) {
    if (info.counts != counts) continue;
    auto known = view(registry, info.version);
    if (!known) continue;
    known->version = header.version;
    known->sha256 = header.sha256;
    if (*known == header) versions.push_back(info.version);
  }
  return versions;
}

}  // namespace nvmlab::codegen
