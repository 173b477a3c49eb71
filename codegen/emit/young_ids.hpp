// SPDX-License-Identifier: Apache-2.0
// Which driver is the first to know a field (NVML_FI_*) or a metric (NVML_GPM_METRIC_*). Covered by
// tests/binding/young_ids_test.cpp.
#pragma once

#include <map>
#include <string>

#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

struct YoungId {
  std::string name;
  std::string driver;  // "535.43"
};

// By id, those that some driver is too old for. Drivers that are older than the first known header count as having all
// of its ids, because nobody can tell.
std::map<unsigned, YoungId> young_fields(const Inputs& inputs);
std::map<unsigned, YoungId> young_metrics(const Inputs& inputs);

}  // namespace nvmlab::codegen
