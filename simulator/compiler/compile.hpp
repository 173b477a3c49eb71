// SPDX-License-Identifier: Apache-2.0
//
// From a profile to a machine: the image that drivers map, and where each of its values comes from. The steps are
// documents (files and inheritance), layers (values), derive (what profiles leave open), checks (values that must fit
// together) and assemble. All problems of all files are reported at once, and then there is no machine.
// Format and rules for users: docs/guide/profiles.md. Tests: tests/unit/compiler/compile_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/problems.hpp"
#include "compiler/provenance.hpp"
#include "compiler/values.hpp"
#include "compiler/zeroed.hpp"
#include "engine/store/image.hpp"

namespace nvmlab::compiler {

class CompiledBoards;

struct CompileOptions {
  std::optional<unsigned> gpus = {};       // that many GPUs instead of those that are listed: these again, in order
  std::optional<std::string> driver = {};  // "535" or "535.161.08" instead of the profile's driver
  bool image_alone = false;                // nothing but `image` and `notes` of the machine is wanted
};

struct Machine {
  std::vector<std::byte> image;  // the bytes of its machine file, see engine/store/image.hpp
  Provenance provenance;
  std::string name;
  Zeroed<Node> state = {};
  std::vector<Gpu> gpus;
  Problems notes = {};  // what is odd and stands, because a capture says so

  const Node& node() const { return *state; }
  const Gpu& gpu(std::uint32_t index) const { return gpus[index]; }
  std::uint32_t gpu_count() const { return static_cast<std::uint32_t>(gpus.size()); }
};

std::expected<Machine, Problems> compile(std::string_view name_or_path, const CompileOptions& options = {});

// The same where no more than the image is wanted, from boards that were compiled before, as far as the machine names
// such.
std::expected<Machine, Problems> compile(std::string_view name_or_path, const CompileOptions& options,
                                         const CompiledBoards& boards);

// A profile that is not written yet. `file` is its name in problems, `name` what it must call itself.
std::expected<Machine, Problems> compile_text(std::string_view text, const std::string& file, const std::string& name);

// The last step, for machines that are described otherwise than by profiles.
struct Assembly {
  std::string name;
  Zeroed<Node> node;
  std::uint32_t gpu_count = 0;
  // One of the GPUs, as often as it is asked for. It is changed at will, and good until the next one is asked for.
  std::function<Gpu&(std::uint32_t index)> gpu;
};
// A machine without provenance.
std::expected<Machine, std::string> assemble(Assembly parts, const CompileOptions& options);

}  // namespace nvmlab::compiler
