// SPDX-License-Identifier: Apache-2.0
// Where headers of NVIDIA's can be had, each kind of place in a file of its own. A source lists offers and fetches the
// text of one; everything that comes from outside is checked: a checksum where the place gives one, and in the end the
// parser. Covered by tests/unit/codegen/fetch_*_test.cpp, against recorded indexes served on loopback.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// One header that can be had.
struct Offer {
  std::string version;  // empty: the place does not say; the facts will (identify.hpp)
  std::string where;    // a file, an address or a package, for people
  std::string key;      // what fetch() needs to get it
  std::string sha256;   // of what is downloaded, where the index tells it
};

struct Source {
  std::string name;   // what --from takes
  std::string about;  // one line for people
  // What can be had; of release `wanted` at least (in full or in part), of all releases if it is empty.
  std::function<Result<std::vector<Offer>>(const std::string& wanted)> list;
  std::function<Result<std::string>(const Offer&)> fetch;  // the header's text
};

// Headers that lie on this machine: the system's include folder and CUDA toolkits. `prefix` stands before every folder,
// for tests.
Source installed_source(const std::filesystem::path& prefix);

// The wheels that ship nvml.h, through `python3 -m pip`, from wherever this machine's pip gets its packages.
Source wheel_source();

// The distribution's own package, through scripts/fetch-deb: nothing is installed.
Source distribution_source(const std::filesystem::path& root);

// NVIDIA's index of redistributable archives: a folder with redistrib_*.json, or the address of one such file.
Source redist_source(const std::string& url);

// A conda channel: the address that holds linux-64/repodata.json.
Source conda_source(const std::string& channel);

// NVIDIA's own address of that index.
inline constexpr std::string_view nvidia_redist = "https://developer.download.nvidia.com/compute/cuda/redist/";

// A file or address that the user names: nvml.h itself, or an archive that holds it.
Result<std::string> fetch_named(const std::string& file_or_url);

// Downloads, checks against the checksum if there is one, and takes nvml.h out of the archive.
Result<std::string> fetch_archive(const std::string& url, const std::string& sha256);

}  // namespace nvmlab::codegen
