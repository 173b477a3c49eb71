// SPDX-License-Identifier: Apache-2.0
//
// One capture there and back: imported by `nvmlab import`, printed again by a real nvidia-smi under `nvmlab run`.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "import/capture/capture.hpp"
#include "tests/import/golden/reasons.hpp"
#include "tests/support/clients.hpp"
#include "tests/support/comparison.hpp"

namespace nvmlab::test {

struct Sample {
  std::filesystem::path file;
  std::string name;      // below the folder of captures
  capture::Capture log;  // the first in the file
  unsigned driver = 0;   // its major version
  std::string version;   // of the driver, whole
};

// Every file below the folder that holds a log of nvidia-smi, found by what is in it.
std::vector<Sample> find_samples(const std::filesystem::path& folder);

struct RoundTrip {
  Comparison comparison;
  std::size_t beyond_release = 0;  // differences that this nvidia-smi cannot avoid on this driver
  std::vector<std::pair<Difference, Reason>> differences;

  // Of the leaves that this nvidia-smi can print on this driver.
  double percent() const;
  std::vector<Difference> unexplained() const;
};

std::expected<RoundTrip, std::string> round_trip(const Sample& sample, const Client& client);

// Percentages, then each kind of difference once with its reason and an example, then what this nvidia-smi does not
// print.
std::string report(const Sample& sample, const Client& client, const RoundTrip& trip);

}  // namespace nvmlab::test
