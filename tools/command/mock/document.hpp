// SPDX-License-Identifier: Apache-2.0
//
// The file of overrides of NVIDIA's Go mock, as its control program writes it: read, changed under a lock beside it,
// and written whole. What is in it, compiler/mock/overrides.hpp says. Tests: tests/command/mock_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/yaml/tree.hpp"

namespace nvmlab::tool::mock {

// The file that MOCK_NVML_OVERRIDES names, else overrides.yaml beside the configuration; empty without one.
std::string overrides_path(const std::string& config);

// Nodes that no file has.
yaml::Node yaml_scalar(std::string value);
yaml::Node yaml_text(std::string value);  // in quotes
yaml::Node yaml_mapping();
yaml::Node& yaml_member(yaml::Node& mapping, std::string_view key);  // made where it is not there

// Mappings are merged key by key; anything else takes the place of what was there.
void merge(yaml::Node& into, const yaml::Node& from);

class OverridesDocument {
 public:
  // One that is not there is empty.
  static std::expected<OverridesDocument, std::string> read(const std::string& path);

  // The block of one GPU, or of all of them.
  yaml::Node& block(std::optional<std::uint32_t> gpu);
  const yaml::Node* find(std::optional<std::uint32_t> gpu) const;
  void clear(std::optional<std::uint32_t> gpu);  // all blocks where no GPU is named
  bool empty() const;

  const std::string& text_as_read() const { return text_as_read_; }
  // With the block of this GPU and that of all alone, where one is named.
  std::string text(std::optional<std::uint32_t> gpu = std::nullopt) const;
  std::expected<void, std::string> write(const std::string& path) const;

 private:
  yaml::Node root_ = yaml_mapping();
  std::string text_as_read_;
};

// Held by whoever changes the file, until it goes.
class OverridesLock {
 public:
  static std::expected<OverridesLock, std::string> take(const std::string& path);
  ~OverridesLock();
  OverridesLock(OverridesLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OverridesLock(const OverridesLock&) = delete;
  OverridesLock& operator=(const OverridesLock&) = delete;
  OverridesLock& operator=(OverridesLock&&) = delete;

 private:
  explicit OverridesLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace nvmlab::tool::mock
