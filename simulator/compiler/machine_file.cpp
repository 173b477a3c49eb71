// SPDX-License-Identifier: Apache-2.0
#include "compiler/machine_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/store/hash.hpp"
#include "engine/topics/derived.hpp"

namespace nvmlab::compiler {

std::expected<std::vector<std::byte>, std::string> read_machine_file(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return std::unexpected(fmt::format("{}: {}", path, failed.message()));
  if (size > kMaxImageSize) return std::unexpected(fmt::format("{}: {}", path, describe(ImageError::damaged)));
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return std::unexpected(fmt::format("{}: cannot be read", path));
  return bytes;
}

std::expected<Machine, std::string> open_machine_file(const std::string& path, const CompileOptions& options) {
  auto bytes = read_machine_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  Image image;
  if (const ImageError error = open_image(bytes->data(), bytes->size(), &image); error != ImageError::none)
    return std::unexpected(fmt::format("{}: {}", path, describe(error)));
  Zeroed<Node> node;
  read_node(image, node.get());
  Gpu made;
  const auto gpu = [&](std::uint32_t index) -> Gpu& {
    made = {};
    read_gpu(image, index, &made);
    derived::compute(made);
    return made;
  };
  return assemble({image.header->name, std::move(node), image.header->gpu_count, gpu}, options);
}

std::uint64_t hash_of(const Machine& machine) {
  return fnv1a(reinterpret_cast<const char*>(machine.image.data()), machine.image.size());
}

}  // namespace nvmlab::compiler
