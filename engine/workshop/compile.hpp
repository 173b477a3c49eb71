// SPDX-License-Identifier: Apache-2.0
//
// From a profile to a machine: the image that drivers map, and where each of its values comes from. The steps are
// documents (files and inheritance), layers (values), derive (what profiles leave open), checks (values that must fit
// together) and assemble. All problems of all files are reported at once, and then there is no machine.
// Format and rules for users: docs/guide/profiles.md. Tests: tests/unit/workshop/compile_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/image.hpp"
#include "engine/workshop/problems.hpp"
#include "engine/workshop/provenance.hpp"
#include "engine/workshop/values.hpp"

namespace nvmlab::workshop {

struct CompileOptions {
  std::optional<unsigned> gpus;       // that many GPUs instead of those that are listed: these again, in order
  std::optional<std::string> driver;  // "535" or "535.161.08" instead of the profile's driver
};

struct Machine {
  std::vector<std::byte> image;  // sealed, see engine/machine/image.hpp
  Provenance provenance;
  std::string name;

  // Views into `image`.
  const Node& node() const;
  const Gpu& gpu(std::uint32_t index) const;
  std::uint32_t gpu_count() const;
};

std::expected<Machine, Problems> compile(std::string_view name_or_path, const CompileOptions& options = {});

// The last step, for machines that are described otherwise than by profiles.
struct Assembly {
  std::string name;
  const Node* node = nullptr;
  std::vector<const Gpu*> gpus;
};
std::expected<std::vector<std::byte>, std::string> assemble(const Assembly& parts, const CompileOptions& options);

}  // namespace nvmlab::workshop
