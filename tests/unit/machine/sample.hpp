// SPDX-License-Identifier: Apache-2.0
//
// A small machine for tests of the core, made by hand so that they depend on no profile: every GPU has a UUID, a serial
// number, a minor number and a PCI address of its own.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/image.hpp"

namespace nvmlab::test {

template <std::uint32_t N>
void put(Text<N>* field, const std::string& text) {
  field->set(text.data(), static_cast<std::uint32_t>(text.size()));
}

template <std::uint32_t N>
std::string text_of(const Text<N>& field) {
  return {field.data, field.length};
}

// A node and its GPUs, and the bytes of their image; words, because an image must be aligned to eight.
class SampleImage {
 public:
  explicit SampleImage(std::uint32_t gpu_count, const char* name = "sample")
      : node_(std::make_unique<Node>()), gpus_(gpu_count) {
    put(&node_->system.driver_version, "550.163.01");
    for (std::uint32_t i = 0; i < gpu_count; ++i) {
      Gpu& gpu = gpus_[i];
      put(&gpu.identity.name, "Sample GPU");
      put(&gpu.identity.uuid, "GPU-00000000-0000-4000-8000-00000000000" + std::to_string(i % 10));
      put(&gpu.identity.serial, std::to_string(1'650'000'000'000 + i));
      gpu.identity.minor_number.set(i);
      gpu.identity.pdi.set(0x1000 + i);
      gpu.pci.domain.set(0);
      gpu.pci.bus.set(0x10 + i);
      gpu.pci.device.set(0);
      gpu.power.limit_mw.set(700'000);
    }
    write(name);
  }

  // Again after a change of the node or a GPU.
  void write(const char* name) {
    const auto count = static_cast<std::uint32_t>(gpus_.size());
    words_.resize(write_image(*node_, gpus_.data(), count, name, nullptr) / 8);
    write_image(*node_, gpus_.data(), count, name, words_.data());
  }

  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
  std::uint64_t size() const { return words_.size() * 8; }
  ImageHeader* header() { return reinterpret_cast<ImageHeader*>(bytes()); }
  Node* node() { return node_.get(); }
  Gpu* gpus() { return gpus_.data(); }
  Image view() {
    Image image;
    open_image(bytes(), size(), &image);
    return image;
  }

 private:
  std::unique_ptr<Node> node_;
  std::vector<Gpu> gpus_;
  std::vector<std::uint64_t> words_;
};

}  // namespace nvmlab::test
