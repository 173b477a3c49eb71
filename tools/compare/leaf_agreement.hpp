// SPDX-License-Identifier: Apache-2.0
//
// A capture against a profile, counted by what nvidia-smi printed: every leaf of the logs, also those that no field of
// the state carries. What an importer does not read can so never look like agreement.
// Tests: tests/unit/compare/leaf_agreement_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/compare.hpp"
#include "import/leaves/leaf_ledger.hpp"

namespace nvmlab::compare {

struct LeafAgreement {
  std::size_t total = 0;
  std::size_t equal = 0;
  std::size_t different = 0;
  std::size_t missing = 0;  // the profile does not say what carries it
  std::size_t moving = 0;   // it moves by itself or names one unit, and differs
  std::size_t left = 0;     // nothing carries it
  std::size_t left_steady = 0;
  std::vector<importer::LeavesLeft> not_carried;

  std::size_t comparable() const { return equal + different + missing + left_steady; }
  // Percent of the leaves that do not move by themselves.
  double percent() const;
};

// Side B of the report is the capture whose leaves these are.
LeafAgreement leaf_agreement(const importer::LeafLedger& leaves, const Report& report);

}  // namespace nvmlab::compare
