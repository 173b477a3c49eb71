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
      {.folder = "engine", .uses = {"binding/nvmlab/abi"}, .freestanding = true},
      {.folder = "compiler", .uses = {"base", "base/yaml", "engine", "compiler/compiler_api.h", "binding/nvmlab/abi"}},
      // The one file of the compiler that the driver sees: C declarations of what it opens on demand.
      {.folder = "compiler/compiler_api.h", .uses = {}, .freestanding = true},
      // A machine that is up; what programs in C++ and the nvmlab command have in common.
      {.folder = "control", .uses = {"base", "base/yaml", "engine", "compiler"}},
      // Simulated nodes for unit tests of clients.
      {.folder = "testing",
       .uses = {"base", "engine", "control", "drivers/nvml/library_machine.h", "binding/nvmlab/abi",
                "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      {.folder = "import/capture", .uses = {"base"}},
      {.folder = "import/recording", .uses = {"base"}},
      // What the importer offers; the folders below it stand in the order of their arrows.
      {.folder = "import/leaves", .uses = {"import/capture"}},
      {.folder = "import/importer.hpp", .uses = {"base", "import/leaves"}},
      {.folder = "import/evidence", .uses = {"base", "base/yaml", "engine", "compiler", "import/leaves"}},
      {.folder = "import/replay",
       .uses = {"base", "engine", "compiler", "import/importer.hpp", "import/evidence", "import/recording"}},
      {.folder = "import/formats",
       .uses = {"base", "compiler", "import/importer.hpp", "import/evidence", "import/capture", "import/recording",
                "import/replay"}},
      {.folder = "import/smi",
       .uses = {"base", "engine", "compiler", "import/evidence", "import/capture", "import/formats",
                "binding/nvmlab/abi"}},
      {.folder = "import/cuda", .uses = {"base", "import/formats"}},
      {.folder = "import/nccl", .uses = {"base", "import/capture", "import/formats", "import/smi"}},
      {.folder = "import/mock", .uses = {"base", "compiler", "import/capture", "import/formats"}},
      {.folder = "import/infer", .uses = {"base/yaml", "engine", "compiler", "import/evidence", "binding/nvmlab/abi"}},
      {.folder = "import/write", .uses = {"compiler", "import/evidence", "import/infer", "import/smi"}},
      {.folder = "import",
       .uses = {"base", "compiler", "import/importer.hpp", "import/evidence", "import/formats", "import/infer",
                "import/smi", "import/write"}},
      {.folder = "compare",
       .uses = {"base", "compiler", "import/importer.hpp", "import/capture", "import/leaves", "import/recording",
                "import/smi", "import/replay"}},
      {.folder = "codegen", .uses = {"base", "base/yaml", "engine"}},
      // PTX and what runs it; libcuda sees its C declarations alone, and opens it when a module is loaded.
      {.folder = "kernels", .uses = {"kernels/kernels_api.h", "kernels/tensor_maps_api.h", "kernels/textures_api.h"}},
      {.folder = "kernels/kernels_api.h",
       .uses = {"kernels/tensor_maps_api.h", "kernels/textures_api.h"},
       .freestanding = true},
      {.folder = "kernels/tensor_maps_api.h", .uses = {}, .freestanding = true},
      {.folder = "kernels/textures_api.h", .uses = {}, .freestanding = true},
      {.folder = "drivers",
       .uses = {"engine", "compiler/compiler_api.h", "kernels/kernels_api.h", "kernels/tensor_maps_api.h",
                "kernels/textures_api.h", "binding/nvmlab/abi", "drivers/nvml/library_machine.h"},
       .freestanding = true},
      // The one file of the driver that others see: where a copy of the library names its machine.
      {.folder = "drivers/nvml/library_machine.h", .uses = {}, .freestanding = true},
      // Walks any NVML library; nvmlab-record is built of it and the binding alone.
      {.folder = "recorder", .uses = {"binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      {.folder = "conformance",
       .uses = {"recorder", "binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml"}},
      // The nvmlab command. Commands stand outermost; what they share knows none of them.
      {.folder = "tool/cli", .uses = {"base", "engine", "compiler"}},
      {.folder = "tool/completion", .uses = {"tool/cli"}},
      {.folder = "tool/library", .uses = {"engine", "binding/nvmlab/nvml.hpp", "binding/nvmlab/nvml", "tool/cli"}},
      {.folder = "tool/machine",
       .uses = {"base", "engine", "compiler", "control", "binding/nvmlab/loader", "tool/cli", "tool/library"}},
      {.folder = "tool/mock", .uses = {"base", "base/yaml"}},
      {.folder = "tool/profile",
       .uses = {"base", "engine", "compiler", "import/capture", "tool/cli", "tool/machine", "tool/mock"}},
      {.folder = "tool/compare",
       .uses = {"base", "compiler", "import/importer.hpp", "import/capture", "import/leaves", "import/recording",
                "compare", "tool/cli", "tool/machine", "tool/profile"}},
      {.folder = "tool/play",
       .uses = {"base", "base/yaml", "engine", "compiler", "recorder", "tool/cli", "tool/library", "tool/machine"}},
      {.folder = "tool/trace", .uses = {"base", "engine", "import/capture", "tool/profile"}},
      {.folder = "tool/plot", .uses = {"base", "engine", "compiler", "tool/machine", "tool/trace"}},
      {.folder = "tool/commands",
       .uses = {"base", "engine", "compiler", "control", "import/importer.hpp", "compare", "recorder", "tool/cli",
                "tool/completion", "tool/library", "tool/machine", "tool/mock", "tool/profile", "tool/compare",
                "tool/play", "tool/plot", "tool/trace"}},
      {.folder = "tool/evidence", .uses = {"engine", "compiler", "compare"}},
      {.folder = "tool", .uses = {"tool/cli"}},
      // These look at everything, and nothing may look at them.
      {.folder = "tests", .uses = {"*"}},
      {.folder = "bench", .uses = {"*"}},
      {.folder = "examples",
       .uses = {"binding/nvmlab/abi", "binding/nvmlab/loader", "binding/nvmlab/nvml", "binding/nvmlab/nvml.hpp",
                "control"}},
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
