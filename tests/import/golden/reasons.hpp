// SPDX-License-Identifier: Apache-2.0
//
// Why a leaf differs although the import is right. Reviewed: each reason is about nvidia-smi or about the vocabulary,
// and none knows a board or a file. What has no reason here is a mistake of ours. Test:
// tests/import/golden/reasons_test.cpp.
#pragma once

#include <compare>
#include <string_view>

#include "tests/support/comparison.hpp"

namespace nvmlab::test {

enum class Blame {
  release,  // this release of nvidia-smi cannot show it on this driver, whoever made the driver
  ours,     // the simulated node does not hold it
  nobody,   // no reason is known
};

struct Reason {
  Blame blame = Blame::nobody;
  std::string_view why;
};

// "535.54.03" without its last part: releases of one branch differ in what they have, too.
struct Release {
  unsigned branch = 0;
  unsigned minor = 0;
  auto operator<=>(const Release&) const = default;
};
Release release_of(std::string_view version);

// Of the captured driver and of the nvidia-smi that ran.
Reason reason_of(const Difference& difference, const Release& driver, const Release& client);

}  // namespace nvmlab::test
