// SPDX-License-Identifier: Apache-2.0
//
// The last step of compilation: a node and its GPUs become a sealed image, after what the caller asked for (number of
// GPUs, driver version). Tests: tests/unit/workshop/compile_test.cpp.
#include <fmt/format.h>

#include <cstring>

#include "engine/machine/driver_version.hpp"
#include "engine/machine/replicate.hpp"
#include "engine/workshop/compile.hpp"
#include "engine/workshop/nearest.hpp"

namespace nvmlab::workshop {
namespace {

std::vector<std::byte> sealed(const Assembly& parts) {
  const auto count = static_cast<std::uint32_t>(parts.gpus.size());
  std::vector<std::byte> image(image_size(count));
  std::byte* at = image.data() + sizeof(ImageHeader);
  std::memcpy(at, parts.node, sizeof(Node));
  at += sizeof(Node);
  for (const Gpu* gpu : parts.gpus) {
    std::memcpy(at, gpu, sizeof(Gpu));
    at += sizeof(Gpu);
  }
  seal_image(image.data(), count, parts.name.c_str());
  return image;
}

}  // namespace

std::expected<std::vector<std::byte>, std::string> assemble(const Assembly& parts, const CompileOptions& options) {
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
  std::vector<std::byte> image = sealed(parts);
  if (wanted != parts.gpus.size()) {
    Image pattern;
    open_image(image.data(), image.size(), &pattern);
    std::vector<std::byte> grown(image_size(wanted));
    std::memcpy(grown.data() + sizeof(ImageHeader), pattern.node, sizeof(Node));
    auto* gpus = reinterpret_cast<Gpu*>(grown.data() + sizeof(ImageHeader) + sizeof(Node));
    for (unsigned i = 0; i < wanted; ++i)
      replicate(pattern, i, gpus + i);
    image = std::move(grown);
  }
  if (options.driver) {
    auto* node = reinterpret_cast<Node*>(image.data() + sizeof(ImageHeader));
    auto* gpus = reinterpret_cast<Gpu*>(image.data() + sizeof(ImageHeader) + sizeof(Node));
    set_driver_version(driver, node, gpus, wanted);
  }
  seal_image(image.data(), wanted, parts.name.c_str());
  return image;
}

const Node& Machine::node() const { return *reinterpret_cast<const Node*>(image.data() + sizeof(ImageHeader)); }

const Gpu& Machine::gpu(std::uint32_t index) const {
  return reinterpret_cast<const Gpu*>(image.data() + sizeof(ImageHeader) + sizeof(Node))[index];
}

std::uint32_t Machine::gpu_count() const { return reinterpret_cast<const ImageHeader*>(image.data())->gpu_count; }

}  // namespace nvmlab::workshop
