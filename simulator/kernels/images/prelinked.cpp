// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/prelinked.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/images/device_runtime.hpp"
#include "kernels/images/fatbin.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::size_t kMostParts = 1 << 16;

bool calls_runtime(const std::string& text) {
  return launches(text) || text.find("cudaCG") != std::string::npos ||
         text.find("cudaGraphSetConditional") != std::string::npos;  // which is there without it
}

// The runtime's own PTX, which is there for GPUs that are newer than its code.
bool is_runtime(const std::string& text) {
  return text.find(".visible .func  (.param .b32 func_retval0) __cudaCDP2LaunchDeviceV2") != std::string::npos;
}

void limit(PtxTexts& all, std::uint32_t most) {
  if (most != 0) all.most_registers = all.most_registers == 0 ? most : std::min(all.most_registers, most);
}

}  // namespace

std::expected<PtxTexts, ImageFailure> ptx_of_parts(const char* const* fatbins, const ImageTarget& device) {
  PtxTexts all;
  ImageFailure without;
  std::size_t missing = 0;
  for (std::size_t i = 0; fatbins[i] != nullptr; ++i) {
    const std::uint64_t size = i < kMostParts ? fatbin_size(fatbins[i]) : 0;
    if (size == 0) return failure(kInvalidImage, "part " + std::to_string(i + 1) + " of this program is no fatbin");
    auto read = ptx_in_fatbin({fatbins[i], size}, device);
    if (!read) {
      if (read.error().code != kNoBinaryForGpu) return std::unexpected(read.error());
      without = read.error();
      ++missing;
      continue;
    }
    std::ranges::copy_if(std::move(read->texts), std::back_inserter(all.texts),
                         [](const std::string& text) { return !is_runtime(text); });
    limit(all, read->most_registers);
  }
  const bool wants_runtime = std::ranges::any_of(all.texts, calls_runtime);
  if (missing > (wants_runtime ? 1U : 0U)) return std::unexpected(without);
  if (all.texts.empty()) return failure(kInvalidImage, "this program was linked of no parts");
  const bool wants_launches = std::ranges::any_of(all.texts, [](const std::string& text) { return launches(text); });
  if (wants_runtime) all.texts.emplace_back(device_runtime());
  if (wants_launches) {
    all.texts.emplace_back(device_launches());
    all.texts.emplace_back(device_copies());
  }
  return all;
}

}  // namespace nvmlab::kernels
