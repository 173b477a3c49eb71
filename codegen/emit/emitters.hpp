// SPDX-License-Identifier: Apache-2.0
// The table of emitters: what `nvmlgen write` makes and `nvmlgen check` compares. An emitter is a free function from
// the model to texts; to add one, write the function in a file of its own and give it a row in emitters.cpp, of which
// docs/reference/generated/outputs.md is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "codegen/error.hpp"
#include "codegen/model/driver_releases.hpp"
#include "codegen/model/drivers.hpp"
#include "codegen/model/registry.hpp"
#include "codegen/output.hpp"

namespace nvmlab::codegen {

struct Inputs {
  std::filesystem::path root;  // of the source tree
  Registry registry;
  Drivers drivers;
  Release newest;                                                   // view(registry)
  std::vector<DriverRelease> releases;                              // model/drivers.yaml
  std::map<std::string, std::uint64_t, std::less<>> presence = {};  // function to one bit for each of them
};

// See emit/presence.hpp; what load_inputs() fills `presence` with.
std::map<std::string, std::uint64_t, std::less<>> presence_of_all(const Inputs& inputs);

struct Emitter {
  std::string_view name;
  std::expected<void, Error> (*emit)(const Inputs& inputs, Output& output);
  std::string_view reads;    // for the page of outputs: what it is made from
  std::string_view used_by;  // and who builds or reads what it makes
};

std::span<const Emitter> emitters();

Result<Inputs> load_inputs(const std::filesystem::path& root);

// Runs every emitter; the files of all of them.
Result<std::map<std::string, std::string>> emit_all(const Inputs& inputs);

// The functions of NVML's library as clients may ask for them: every function that any known header release declared,
// every nvml* symbol that a known driver exports. Sorted, without duplicates.
std::vector<std::string> all_function_names(const Registry& registry, const Drivers& drivers);

}  // namespace nvmlab::codegen
