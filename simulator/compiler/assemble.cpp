// SPDX-License-Identifier: Apache-2.0
//
// The last step of compilation: a node and its GPUs become a machine file, after what the caller asked for (number of
// GPUs, driver version). Tests: tests/unit/compiler/compile_test.cpp.
#include <fmt/format.h>

#include <new>
#include <optional>
#include <utility>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/replicate.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/derived.hpp"

namespace nvmlab::compiler {
namespace {

// The GPUs of the machine that is made: those that are listed, and as many again as are wanted.
class MadeGpus {
 public:
  MadeGpus(const Assembly& parts, const CompileOptions& options, const DriverVersion& driver)
      : parts_(parts), replicator_(parts.name.c_str()), count_(options.gpus.value_or(parts.gpu_count)) {
    for (std::uint32_t i = 0; count_ > parts.gpu_count && i < parts.gpu_count; ++i)
      replicator_.list(parts.gpu(i));
    if (!options.driver) return;
    before_ = parts.node->system.driver_version;
    after_.emplace().set(driver.text, driver.length);
  }

  std::uint32_t count() const { return count_; }

  // Good until the next one is asked for.
  Gpu& at(std::uint32_t index) const {
    Gpu& gpu = parts_.gpu(index % parts_.gpu_count);
    if (index >= parts_.gpu_count) replicator_.rename(index, &gpu);
    if (after_) follow_driver_version(before_, *after_, &gpu);
    return gpu;
  }

 private:
  const Assembly& parts_;
  Replicator replicator_;
  std::uint32_t count_;
  Text<80> before_{};  // the driver of the profile
  std::optional<Text<80>> after_;
};

const Gpu* write_from(void* gpus, std::uint32_t index) {
  Gpu& gpu = static_cast<const MadeGpus*>(gpus)->at(index);
  derived::store_residues(gpu);
  return &gpu;
}

// Mapped, not allocated: freeing a block of this size makes libc keep more of the heap of a client.
std::vector<std::byte> image_of(const Node& node, MadeGpus& gpus, const std::string& name) {
  const std::uint64_t count = gpus.count();
  const std::uint64_t most = sizeof(ImageHeader) + 2 * sizeof(Node) + (count + 2) * (8 + 2 * sizeof(Gpu));
  auto* const room = static_cast<std::byte*>(sys::map_private(most));
  if (room == nullptr) throw std::bad_alloc();
  const std::uint64_t size = write_image(node, {write_from, &gpus}, gpus.count(), name.c_str(), room);
  std::vector<std::byte> image(room, room + size);
  sys::unmap(room, most);
  return image;
}

}  // namespace

std::expected<Machine, std::string> assemble(Assembly parts, const CompileOptions& options) {
  DriverVersion driver{};
  if (options.driver && !find_driver_version(options.driver->c_str(), &driver)) {
    return std::unexpected(
        fmt::format("{} is no driver version; a branch such as 535 or a full version such as "
                    "535.161.08 would be right",
                    in_quotes(*options.driver)));
  }
  const unsigned wanted = options.gpus.value_or(parts.gpu_count);
  if (wanted > kMaxGpus) return std::unexpected(fmt::format("{} GPUs are too many; at most {} fit", wanted, kMaxGpus));
  if (wanted > 0 && parts.gpu_count == 0) {
    return std::unexpected(fmt::format("{} has no GPU that could be repeated {} times", parts.name, wanted));
  }
  MadeGpus gpus(parts, options, driver);
  Machine machine{{}, {}, parts.name, std::move(parts.node), {}};
  if (options.driver) set_driver_version(driver, machine.state.get(), nullptr, 0);
  // `machine` tells what NVML does, the image what follows from what.
  if (!options.image_alone) {
    machine.gpus.reserve(wanted);
    for (std::uint32_t i = 0; i < wanted; ++i)
      refuse_deprecated(machine.node().system.driver_version, &machine.gpus.emplace_back(gpus.at(i)));
  }
  machine.image = image_of(machine.node(), gpus, parts.name);
  return machine;
}

}  // namespace nvmlab::compiler
