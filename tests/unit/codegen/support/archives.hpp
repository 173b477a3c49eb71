// SPDX-License-Identifier: Apache-2.0
// Archives made in memory, of every kind that a header comes in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nvmlab::codegen::test {

enum class Kind { zip, tar, tar_xz, tar_bz2, tar_gz, tar_zst, ar };

using Entries = std::vector<std::pair<std::string, std::string>>;  // path, content

std::string archive_of(Kind kind, const Entries& entries);

}  // namespace nvmlab::codegen::test
