// SPDX-License-Identifier: Apache-2.0
//
// The last step of compilation: a node and its GPUs become a machine file, after what the caller asked for (number of
// GPUs, driver version). Tests: tests/unit/compiler/compile_test.cpp.
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "engine/machine/driver_version.hpp"
#include "engine/machine/replicate.hpp"
#include "engine/topics/derived.hpp"

namespace nvmlab::compiler {

std::expected<Machine, std::string> assemble(const Assembly& parts, const CompileOptions& options) {
  DriverVersion driver{};
  if (options.driver && !find_driver_version(options.driver->c_str(), &driver)) {
    return std::unexpected(
        fmt::format("{} is no driver version; a branch such as 535 or a full version such as "
                    "535.161.08 would be right",
                    in_quotes(*options.driver)));
  }
  const unsigned wanted = options.gpus.value_or(static_cast<unsigned>(parts.gpus.size()));
  if (wanted > kMaxGpus) return std::unexpected(fmt::format("{} GPUs are too many; at most {} fit", wanted, kMaxGpus));
  if (wanted > 0 && parts.gpus.empty()) {
    return std::unexpected(fmt::format("{} has no GPU that could be repeated {} times", parts.name, wanted));
  }
  Machine machine{{}, {}, parts.name, std::make_unique<Node>(*parts.node), {}};
  Replicator replicator(parts.name.c_str());
  for (const Gpu* gpu : parts.gpus)
    replicator.list(*gpu);
  machine.gpus.reserve(wanted);
  for (unsigned i = 0; i < wanted; ++i) {
    machine.gpus.push_back(*parts.gpus[i % parts.gpus.size()]);
    if (i >= parts.gpus.size()) replicator.rename(i, &machine.gpus.back());
  }
  if (options.driver) set_driver_version(driver, machine.state.get(), machine.gpus.data(), wanted);
  std::vector<Gpu> stored = machine.gpus;  // `machine` tells what NVML does, the image what follows from what
  for (Gpu& gpu : stored)
    derived::store_residues(gpu);
  for (Gpu& gpu : machine.gpus)
    refuse_deprecated(machine.node().system.driver_version, &gpu);
  const auto write = [&](void* bytes) {
    return write_image(machine.node(), stored.data(), wanted, parts.name.c_str(), bytes);
  };
  machine.image.resize(write(nullptr));
  write(machine.image.data());
  return machine;
}

}  // namespace nvmlab::compiler
