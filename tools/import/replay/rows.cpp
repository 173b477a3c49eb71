// SPDX-License-Identifier: Apache-2.0
#include "import/replay/rows.hpp"

#include <algorithm>
#include <iterator>

#include "import/replay/generated/recorded.hpp"
#include "import/replay/generated/recorded_lists.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr OutputRow kCallOutputs[] = {
    {"nvmlDeviceQueryDrainState", "", "currentState", "modes.drain"},  // the GPU is an input
    // Drivers had samples of these engines before they had a function for each.
    {"nvmlDeviceGetSamples", "type=NVML_JPG_UTILIZATION_SAMPLES", "samples.0.sampleValue", "utilization.jpeg_percent"},
    {"nvmlDeviceGetSamples", "type=NVML_OFA_UTILIZATION_SAMPLES", "samples.0.sampleValue", "utilization.ofa_percent"},
};

}  // namespace

std::span<const OutputRow> read_outputs() { return kReadOutputs; }
std::span<const OutputRow> checked_outputs() { return kCheckedOutputs; }
std::span<const OutputRow> call_outputs() { return kCallOutputs; }
std::span<const ItemRow> item_rows() { return kItemRows; }
std::span<const ListRow> list_rows() { return kListRows; }
std::span<const LengthRow> length_rows() { return kLengthRows; }
std::span<const FieldIdRow> field_ids() { return kFieldIds; }
std::span<const GpmRow> gpm_metrics() { return kGpmMetrics; }

const KnownFunction* find_function(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kFunctions, name, {}, &KnownFunction::name);
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

}  // namespace nvmlab::importer::replay
