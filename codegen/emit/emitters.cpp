// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/emitters.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "codegen/emit/abi.hpp"
#include "codegen/emit/chips.hpp"
#include "codegen/emit/exports.hpp"
#include "codegen/emit/nvml/field_numbers.hpp"
#include "codegen/emit/nvml/methods.hpp"
#include "codegen/emit/nvml/values.hpp"
#include "codegen/emit/state.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {
namespace {

std::expected<void, Error> emit_state(const Inputs& inputs, Output& output) {
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return fail(vocabulary.error());
  for (auto& [path, text] : render_state(*vocabulary))
    output.add(std::move(path), std::move(text));
  return {};
}

// One row each; the order does not matter.
constexpr std::array table{
    Emitter{"abi", emit_abi},
    Emitter{"state", emit_state},
    Emitter{"exports", emit_exports},
    Emitter{"field ids", emit_field_ids},
    Emitter{"coverage", emit_coverage},
    Emitter{"drivers", emit_drivers},
    Emitter{"walk", emit_walk},
    Emitter{"gpm ids", emit_gpm_ids},
    Emitter{"loader", emit_loader},
    Emitter{"values", emit_values},
    Emitter{"methods", emit_methods},
    Emitter{"snapshot", emit_snapshot},
    Emitter{"recording names", emit_recording_names},
    Emitter{"return codes", emit_return_codes},
    Emitter{"field numbers", emit_field_numbers},
    Emitter{"recorded", emit_recorded},
    Emitter{"chips", emit_chips},
};

}  // namespace

std::span<const Emitter> emitters() { return table; }

Result<Inputs> load_inputs(const std::filesystem::path& root) {
  auto registry = load_registry(root / "model" / "facts" / "nvml.json");
  if (!registry) return std::unexpected(registry.error());
  auto drivers = load_drivers(root / "model" / "facts" / "drivers.json");
  if (!drivers) return std::unexpected(drivers.error());
  auto newest = view(*registry);
  if (!newest) return std::unexpected(newest.error());
  auto releases = load_driver_releases(root / "model" / "drivers.yaml", *registry, *drivers);
  if (!releases) return std::unexpected(releases.error());
  Inputs inputs{root, std::move(*registry), std::move(*drivers), std::move(*newest), std::move(*releases)};
  inputs.presence = presence_of_all(inputs);
  return inputs;
}

Result<std::map<std::string, std::string>> emit_all(const Inputs& inputs) {
  Output output;
  for (const Emitter& emitter : emitters()) {
    if (auto emitted = emitter.emit(inputs, output); !emitted) {
      Error error = std::move(emitted.error());
      error.message = fmt::format("emitter {}: {}", emitter.name, error.message);
      return std::unexpected(std::move(error));
    }
  }
  return output.finish();
}

std::vector<std::string> all_function_names(const Registry& registry, const Drivers& drivers) {
  std::set<std::string> names;
  for (const auto& [name, history] : registry.functions)
    names.insert(name);
  for (const auto& [symbol, versions] : drivers.symbols)
    names.insert(symbol);
  return {names.begin(), names.end()};
}

}  // namespace nvmlab::codegen
