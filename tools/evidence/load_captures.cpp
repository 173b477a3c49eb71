// SPDX-License-Identifier: Apache-2.0
#include "evidence/load_captures.hpp"

namespace nvmlab::evidence {
namespace {

#define NVMLAB_EXPORTER "utkuozdemir+nvidia_gpu_exporter/linux-x86_64__nvidia-"
constexpr const char* kH100 = NVMLAB_EXPORTER "h100-80gb-hbm3__590.48.01.txt";
constexpr const char* kH100Mig = NVMLAB_EXPORTER "h100-mig__590.48.01.txt";
constexpr const char* kL40s = NVMLAB_EXPORTER "l40s__595.80.txt";
constexpr const char* k2080Super = NVMLAB_EXPORTER "geforce-rtx-2080-super__595.71.05.txt";
#undef NVMLAB_EXPORTER

SetLoad asked(LoadKind kind, std::uint32_t sm_percent, std::uint32_t memory_percent, std::uint32_t encoder_percent) {
  return {.kind = kind,
          .sm_percent = sm_percent,
          .memory_percent = memory_percent,
          .air_c = kSameAir,
          .for_ns = 0,
          .encoder_percent = encoder_percent};
}

constexpr auto kTraining = LoadKind::training;
constexpr auto kEncode = LoadKind::encode;
constexpr std::uint32_t k3g = 2;  // its id in that capture
constexpr Seen kUntold{Use::none, 0};
constexpr Seen fitted(double value) { return {Use::fitted, value}; }
constexpr Seen judged(double value) { return {Use::judged, value}; }

// Of `-q` and `--query-gpu` the mean of both averages of power; of dmon the mean of five rows. Temperatures are those
// above the mean of the five idle rows of dmon. Of the H100 with MIG an instance with 60 of the 132 SMs worked; nobody
// can say how busy its memory was. The L40S was still cooling down from what had worked before, so its temperature
// tells nothing.
const LoadCapture kCaptures[] = {
    {"gpu-h100x1-80gb", kH100, "gpu_burn, `-q`", asked(kTraining, 100, 10, 0), 3, fitted(630.7), fitted(18),
     judged(7.3)},
    {"gpu-h100x1-80gb", kH100, "gpu_burn, `dmon`", asked(kTraining, 100, 10, 0), 11, judged(633.6), fitted(22.8),
     fitted(11)},
    {"gpu-h100x1-80gb-mig", kH100Mig, "gpu_burn on a 3g instance, `-q`", asked(kTraining, 100, 10, 0), 3, fitted(433),
     judged(11), judged(10.3), k3g},
    {"gpu-h100x1-80gb-mig", kH100Mig, "gpu_burn on a 3g instance, `dmon`", asked(kTraining, 100, 10, 0), 11,
     judged(438.6), judged(13.6), fitted(12.6), k3g},
    {"gpu-l40sx1-48gb", kL40s, "two NVENC streams, `-q`", asked(kEncode, 9, 2, 60), 3, judged(110.2), kUntold, kUntold},
    {"gpu-l40sx1-48gb", kL40s, "two NVENC streams, `dmon`", asked(kEncode, 9, 2, 63), 11, fitted(108.2), kUntold,
     kUntold},
    {"rtx-2080-super-desktop", k2080Super, "two NVENC streams, `-q`", asked(kEncode, 8, 3, 100), 3, kUntold, fitted(5),
     kUntold},
    {"rtx-2080-super-desktop", k2080Super, "two NVENC streams, `dmon`", asked(kEncode, 8, 3, 100), 11, fitted(98),
     judged(5), kUntold},
};

}  // namespace

std::span<const LoadCapture> load_captures() { return kCaptures; }

}  // namespace nvmlab::evidence
