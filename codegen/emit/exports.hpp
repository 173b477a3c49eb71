// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/meaning/verdicts.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// What the drop-in library exports: the functions of the newest header, the nvml* names that real drivers still export,
// and nvmlInternalGetExportTable. Sorted.
std::vector<std::string> exported_functions(const Inputs& inputs);

Result<Verdicts> load_meaning(const Inputs& inputs, const Vocabulary& vocabulary);

// drivers/nvml/generated/: one file of exports per topic, the table of functions, the hooks and the export map.
std::expected<void, Error> emit_exports(const Inputs& inputs, Output& output);

// docs/reference/generated/coverage.md: every export and what it does.
std::expected<void, Error> emit_coverage(const Inputs& inputs, Output& output);

// docs/reference/generated/cookbook.md: how long each recipe of examples/cookbook is in each language.
std::expected<void, Error> emit_cookbook(const Inputs& inputs, Output& output);

// drivers/nvml/generated/field_ids.hpp: what each NVML_FI_* id reads, from model/meaning/ids/fields.yaml.
std::expected<void, Error> emit_field_ids(const Inputs& inputs, Output& output);

// What follows from model/drivers.yaml: the engine's table, one export map for each driver, the page of drivers.
std::expected<void, Error> emit_drivers(const Inputs& inputs, Output& output);

// drivers/nvml/generated/gpm_ids.hpp: how each GPM metric is made, from model/meaning/ids/gpm.yaml.
std::expected<void, Error> emit_gpm_ids(const Inputs& inputs, Output& output);

// import/replay/generated/recorded.hpp: which output of which getter tells which field.
std::expected<void, Error> emit_recorded(const Inputs& inputs, Output& output);

// recorder/generated/walk.cpp: the getters that nvmlab record and nvml-conformance call.
std::expected<void, Error> emit_walk(const Inputs& inputs, Output& output);

// import/recording/generated/enumerators.hpp: the numbers of C names in recordings.
std::expected<void, Error> emit_recording_names(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
