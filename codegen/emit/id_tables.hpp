// SPDX-License-Identifier: Apache-2.0
// The vocabulary of ids (model/meaning/ids/) as rows: for the driver, which reads a Gpu by them, and for the importer,
// which reads recordings by them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/model/inputs.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

struct FieldIdRow {
  unsigned id = 0;
  std::uint64_t drivers = 0;  // in which the id means this
  std::string name;
  std::string source = "plain";
  std::string type = "u32";
  std::vector<std::string> offsets;  // as C++ expressions
  std::vector<std::string> paths;    // of the same fields: "power.draw_mw", "nvlink.links.speed_mbps"
  unsigned number = 0;
  unsigned times = 1;
  bool clears = false;
};

struct GpmIdRow {
  unsigned id = 0;
  std::string name;  // without NVML_GPM_METRIC_
  std::string source;
  std::string unit;
  std::vector<std::string> offsets;
  std::vector<std::string> paths;
  unsigned number = 0;
};

// By id; one for each meaning of an id.
Result<std::vector<FieldIdRow>> read_field_ids(const Inputs& inputs, const Vocabulary& vocabulary);
Result<std::vector<GpmIdRow>> read_gpm_ids(const Inputs& inputs, const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
