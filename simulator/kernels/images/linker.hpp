// SPDX-License-Identifier: Apache-2.0
// What cuLink collects: several texts of PTX, read when they are added, and made one image when all are there. The
// image is a fatbin of ours whose entries belong together (kLinkedPtx). Tests: tests/unit/kernels/link_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/images/image.hpp"
#include "kernels/ptx/link.hpp"

namespace nvmlab::kernels {

class LinkSession {
 public:
  // `most_registers`: of a thread of what is linked; 0: as many as it has.
  explicit LinkSession(const ImageTarget& target, std::uint32_t most_registers = 0)
      : target_(target), linked_{{}, most_registers} {}

  std::uint32_t capability() const { return target_.capability; }

  // `kind` is a CUjitInputType. What is wrong, or what was read.
  std::expected<std::string, ImageFailure> add(std::uint32_t kind, std::string_view data, const std::string& name);
  // The image, which is as long here as this object is.
  std::expected<std::string_view, ImageFailure> finish();

 private:
  std::expected<PtxTexts, ImageFailure> texts_of(std::uint32_t kind, std::string_view data) const;
  std::expected<std::size_t, ImageFailure> take(PtxTexts read, const std::string& name);
  std::expected<std::string, ImageFailure> add_device_runtime(const std::string& name);

  ImageTarget target_;
  std::vector<std::string> names_;
  PtxTexts linked_;
  bool has_device_runtime_ = false;
  std::string image_;
};

// The module of these texts, which were linked where they are several.
std::expected<ptx::Module, ImageFailure> read_modules(std::vector<std::string> texts, const ImageTarget& target,
                                                      const std::vector<std::string>& names = {});

}  // namespace nvmlab::kernels
