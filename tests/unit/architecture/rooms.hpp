// SPDX-License-Identifier: Apache-2.0
//
// The rooms of the house and the arrows between them: the table that docs/decisions/0001-rooms.md explains.
// A room may include its own files and those of the rooms that it names; rooms_test.cpp holds every file to that.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::architecture {

struct Room {
  std::string_view folder;  // a file belongs to the room with the longest folder (or file) that it lies in
  std::vector<std::string_view> uses;
  bool freestanding = false;  // linked into the driver: no C++ runtime (docs/decisions/0002-no-cxx-runtime.md)
};

inline const std::vector<Room>& rooms() {
  static const std::vector<Room> all = {
      {.folder = "base", .uses = {}},
      {.folder = "base/yaml", .uses = {"base"}},
      {.folder = "binding/nvmlab/abi", .uses = {}, .freestanding = true},
      {.folder = "binding/nvmlab/loader", .uses = {"binding/nvmlab/abi"}},
      {.folder = "binding/nvmlab/nvml", .uses = {"binding/nvmlab/abi", "binding/nvmlab/loader"}},
      // The header that includes all of the binding, which it stands beside under its short name.
      {.folder = "binding/nvmlab/nvml.hpp", .uses = {"binding/nvmlab/nvml"}},
      {.folder = "simulator/engine", .uses = {"binding/nvmlab/abi"}, .freestanding = true},
      {.folder = "simulator/compiler", .uses = {"base", "base/yaml", "simulator/engine", "simulator/compiler/compiler_api.h", "binding/nvmlab/abi"}},
      // The one file of the compiler that the driver sees: C declarations of what it opens on demand.
      {.folder = "simulator/compiler/compiler_api.h", .uses = {}, .freestanding = true},
      // A machine that is up; what programs in C++ and the nvmlab command have in common.
      {.folder = "simulator/control", .uses = {"base", "base/yaml", "simulator/engine", "simulator/compiler"}},
      // Simulated nodes for unit tests of clients.
      {.folder = "simulator/testing",
       .uses = {"base", "simulator/engine", "simulator/control", "simulator/drivers/nvml/library_machine.h", "binding/nvmlab/abi",
                "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      {.folder = "tools/import/capture", .uses = {"base"}},
      {.folder = "tools/import/recording", .uses = {"base"}},
      // What the importer offers; the folders below it stand in the order of their arrows.
      {.folder = "tools/import/leaves", .uses = {"tools/import/capture"}},
      {.folder = "tools/import/importer.hpp", .uses = {"base", "tools/import/leaves"}},
      {.folder = "tools/import/evidence", .uses = {"base", "base/yaml", "simulator/engine", "simulator/compiler", "tools/import/leaves"}},
      {.folder = "tools/import/replay",
       .uses = {"base", "simulator/engine", "simulator/compiler", "tools/import/importer.hpp", "tools/import/evidence", "tools/import/recording"}},
      {.folder = "tools/import/formats",
       .uses = {"base", "simulator/compiler", "tools/import/importer.hpp", "tools/import/evidence", "tools/import/capture", "tools/import/recording",
                "tools/import/replay"}},
      {.folder = "tools/import/smi",
       .uses = {"base", "simulator/engine", "simulator/compiler", "tools/import/evidence", "tools/import/capture", "tools/import/formats",
                "binding/nvmlab/abi"}},
      {.folder = "tools/import/cuda", .uses = {"base", "tools/import/formats"}},
      {.folder = "tools/import/nccl", .uses = {"base", "tools/import/capture", "tools/import/formats", "tools/import/smi"}},
      {.folder = "tools/import/mock", .uses = {"base", "simulator/compiler", "tools/import/capture", "tools/import/formats"}},
      {.folder = "tools/import/infer", .uses = {"base/yaml", "simulator/engine", "simulator/compiler", "tools/import/evidence", "binding/nvmlab/abi"}},
      {.folder = "tools/import/write", .uses = {"simulator/compiler", "tools/import/evidence", "tools/import/infer", "tools/import/smi"}},
      {.folder = "tools/import",
       .uses = {"base", "simulator/compiler", "tools/import/importer.hpp", "tools/import/evidence", "tools/import/formats", "tools/import/infer",
                "tools/import/smi", "tools/import/write"}},
      {.folder = "tools/compare",
       .uses = {"base", "simulator/compiler", "tools/import/importer.hpp", "tools/import/capture", "tools/import/leaves", "tools/import/recording",
                "tools/import/smi", "tools/import/replay"}},
      {.folder = "codegen", .uses = {"base", "base/yaml", "simulator/engine"}},
      // PTX and what runs it; libcuda sees its C declarations alone, and opens it when a module is loaded.
      {.folder = "simulator/kernels", .uses = {"simulator/kernels/kernels_api.h", "simulator/kernels/tensor_maps_api.h", "simulator/kernels/textures_api.h"}},
      {.folder = "simulator/kernels/kernels_api.h",
       .uses = {"simulator/kernels/tensor_maps_api.h", "simulator/kernels/textures_api.h"},
       .freestanding = true},
      {.folder = "simulator/kernels/tensor_maps_api.h", .uses = {}, .freestanding = true},
      {.folder = "simulator/kernels/textures_api.h", .uses = {}, .freestanding = true},
      {.folder = "simulator/drivers",
       .uses = {"simulator/engine", "simulator/compiler/compiler_api.h", "simulator/kernels/kernels_api.h", "simulator/kernels/tensor_maps_api.h",
                "simulator/kernels/textures_api.h", "binding/nvmlab/abi", "simulator/drivers/nvml/library_machine.h"},
       .freestanding = true},
      // The one file of the driver that others see: where a copy of the library names its machine.
      {.folder = "simulator/drivers/nvml/library_machine.h", .uses = {}, .freestanding = true},
      // Walks any NVML library; nvmlab-record is built of it and the binding alone.
      {.folder = "tools/recorder", .uses = {"binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      {.folder = "tools/conformance",
       .uses = {"tools/recorder", "binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      // The nvmlab command. Commands stand outermost; what they share knows none of them.
      {.folder = "tools/command/cli", .uses = {"base", "simulator/engine", "simulator/compiler"}},
      {.folder = "tools/command/completion", .uses = {"tools/command/cli"}},
      {.folder = "tools/command/library", .uses = {"simulator/engine", "binding/nvmlab/nvml.hpp", "binding/nvmlab/nvml", "tools/command/cli"}},
      {.folder = "tools/command/machine",
       .uses = {"base", "simulator/engine", "simulator/compiler", "simulator/control", "binding/nvmlab/loader", "tools/command/cli", "tools/command/library"}},
      {.folder = "tools/command/mock", .uses = {"base", "base/yaml"}},
      {.folder = "tools/command/profile",
       .uses = {"base", "simulator/engine", "simulator/compiler", "tools/import/capture", "tools/command/cli", "tools/command/machine", "tools/command/mock"}},
      {.folder = "tools/command/compare",
       .uses = {"base", "simulator/compiler", "tools/import/importer.hpp", "tools/import/capture", "tools/import/leaves", "tools/import/recording",
                "tools/compare", "tools/command/cli", "tools/command/machine", "tools/command/profile"}},
      {.folder = "tools/command/play",
       .uses = {"base", "base/yaml", "simulator/engine", "simulator/compiler", "tools/recorder", "tools/command/cli", "tools/command/library", "tools/command/machine"}},
      {.folder = "tools/command/trace", .uses = {"base", "simulator/engine", "tools/import/capture", "tools/command/profile"}},
      {.folder = "tools/command/plot", .uses = {"base", "simulator/engine", "simulator/compiler", "tools/command/machine", "tools/command/trace"}},
      {.folder = "tools/command/commands",
       .uses = {"base", "simulator/engine", "simulator/compiler", "simulator/control", "tools/import/importer.hpp", "tools/compare", "tools/recorder", "tools/command/cli",
                "tools/command/completion", "tools/command/library", "tools/command/machine", "tools/command/mock", "tools/command/profile", "tools/command/compare",
                "tools/command/play", "tools/command/plot", "tools/command/trace"}},
      {.folder = "tools/evidence", .uses = {"simulator/engine", "simulator/compiler", "tools/compare"}},
      {.folder = "tools/command", .uses = {"tools/command/cli"}},
      // These look at everything, and nothing may look at them.
      {.folder = "tests", .uses = {"*"}},
      {.folder = "tests/bench", .uses = {"*"}},
      {.folder = "examples",
       .uses = {"binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml", "binding/nvmlab/nvml.hpp",
                "simulator/control"}},
  };
  return all;
}

inline const Room* room_of(std::string_view path) {
  const Room* best = nullptr;
  for (const auto& room : rooms()) {
    const bool inside =
        path.starts_with(room.folder) && (path.size() == room.folder.size() || path[room.folder.size()] == '/');
    if (inside && (best == nullptr || room.folder.size() > best->folder.size())) best = &room;
  }
  return best;
}

inline bool may_use(const Room& from, const Room& to) {
  if (from.folder == to.folder) return true;
  return std::ranges::any_of(from.uses, [&](std::string_view used) { return used == "*" || used == to.folder; });
}

}  // namespace nvmlab::architecture
