// SPDX-License-Identifier: Apache-2.0
#include "import/replay/rows.hpp"

#include "import/replay/generated/recorded.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr OutputRow kCallOutputs[] = {
    {"nvmlDeviceQueryDrainState", "", "currentState", "modes.drain"},  // the GPU is an input
};

}  // namespace

std::span<const OutputRow> read_outputs() { return kReadOutputs; }
std::span<const OutputRow> checked_outputs() { return kCheckedOutputs; }
std::span<const OutputRow> call_outputs() { return kCallOutputs; }
std::span<const FieldIdRow> field_ids() { return kFieldIds; }
std::span<const GpmRow> gpm_metrics() { return kGpmMetrics; }
std::span<const std::string_view> functions() { return kFunctions; }
std::span<const std::string_view> exports() { return kExports; }

}  // namespace nvmlab::importer::replay
