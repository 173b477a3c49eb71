// SPDX-License-Identifier: Apache-2.0
//
// The last step of compilation: a node and its GPUs become a machine file, after what the caller asked for (number of
// GPUs, driver version). Tests: tests/unit/compiler/compile_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "engine/machine/driver_version.hpp"
#include "engine/machine/replicate.hpp"
#include "engine/machine/system.hpp"
#include "engine/topics/derived.hpp"

namespace nvmlab::compiler {
namespace {

// Mapped, not allocated: freeing a block of this size makes libc keep more of the heap of a client.
std::vector<std::byte> image_of(const Node& node, const std::vector<Gpu*>& gpus, const std::string& name) {
  const auto write = [&](void* bytes) {
    return write_image(node, gpus.data(), static_cast<std::uint32_t>(gpus.size()), name.c_str(), bytes);
  };
  const std::uint64_t most = sizeof(ImageHeader) + 2 * sizeof(Node) + (gpus.size() + 2) * (8 + 2 * sizeof(Gpu));
  if (auto* const room = static_cast<std::byte*>(sys::map_private(most)); room != nullptr) {
    std::vector<std::byte> image(room, room + write(room));
    sys::unmap(room, most);
    return image;
  }
  std::vector<std::byte> image(write(nullptr));
  write(image.data());
  return image;
}

}  // namespace

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
  std::vector<std::unique_ptr<Gpu>> repeated;  // beyond those that are listed
  std::vector<Gpu*> gpus(parts.gpus.begin(),
                         parts.gpus.begin() + std::min<std::ptrdiff_t>(wanted, std::ssize(parts.gpus)));
  for (auto i = static_cast<unsigned>(gpus.size()); i < wanted; ++i) {
    gpus.push_back(repeated.emplace_back(std::make_unique<Gpu>(*parts.gpus[i % parts.gpus.size()])).get());
    replicator.rename(i, gpus.back());
  }
  if (options.driver) {
    Text<80> version{};
    version.set(driver.text, driver.length);
    for (Gpu* gpu : gpus)
      follow_driver_version(machine.node().system.driver_version, version, gpu);
    set_driver_version(driver, machine.state.get(), nullptr, 0);
  }
  // `machine` tells what NVML does, the image what follows from what.
  if (!options.image_alone) {
    machine.gpus.reserve(wanted);
    for (const Gpu* gpu : gpus)
      refuse_deprecated(machine.node().system.driver_version, &machine.gpus.emplace_back(*gpu));
  }
  for (Gpu* gpu : gpus)
    derived::store_residues(*gpu);
  machine.image = image_of(machine.node(), gpus, parts.name);
  return machine;
}

}  // namespace nvmlab::compiler
