// SPDX-License-Identifier: Apache-2.0
// Which number stands for what is from NVIDIA's public catalogue of Xids, and for those that it calls unused, from its
// list for Volta and older boards; the words are ours.
#include "nvmlab/nvml/xid.hpp"

#include <algorithm>
#include <iterator>

namespace nvml::inline v1 {
namespace {

struct Meaning {
  std::uint16_t xid;
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {8, "GPU stopped processing"},
    {11, "corrupted push buffer"},
    {13, "graphics engine exception"},
    {25, "illegal push buffer"},
    {31, "GPU memory page fault"},
    {32, "corrupted push buffer"},
    {37, "error of the context switching firmware"},
    {38, "error of the context switching firmware"},
    {39, "error of copy engine 0"},
    {40, "error of copy engine 1"},
    {41, "error of copy engine 2"},
    {43, "GPU stopped processing"},
    {44, "fault of the graphics engine at a context switch"},
    {45, "preemptive cleanup"},
    {46, "GPU stopped processing"},
    {48, "double-bit ECC error"},
    {54, "auxiliary power is not connected"},
    {56, "display engine error"},
    {57, "training of the memory interface failed"},
    {58, "unstable memory interface"},
    {59, "error of the power management unit"},
    {60, "error of the security engine"},
    {61, "breakpoint of the power management unit"},
    {62, "the power management unit halted"},
    {63, "memory row remapped or page retired"},
    {64, "memory row not remapped or page not retired"},
    {66, "illegal access by the driver"},
    {67, "illegal access by the driver"},
    {68, "error of video decoder 0"},
    {69, "class error of the graphics engine"},
    {70, "error of copy engine 3"},
    {71, "error of copy engine 4"},
    {72, "error of copy engine 5"},
    {74, "NVLink error"},
    {75, "error of copy engine 6"},
    {76, "error of copy engine 7"},
    {77, "error of copy engine 8"},
    {78, "a vGPU could not be started"},
    {79, "GPU has fallen off the bus"},
    {80, "push buffer with a wrong checksum"},
    {82, "error of JPEG engine 0"},
    {83, "error of video decoder 1"},
    {84, "error of video decoder 2"},
    {85, "error of copy engine 9"},
    {86, "error of the optical flow engine"},
    {88, "error of video decoder 3"},
    {89, "error of video decoder 4"},
    {92, "many single-bit ECC errors"},
    {93, "wear limit of the InfoROM exceeded"},
    {94, "contained memory error"},
    {95, "uncontained memory error"},
    {96, "error of video decoder 5"},
    {97, "error of video decoder 6"},
    {98, "error of video decoder 7"},
    {99, "error of JPEG engine 1"},
    {100, "error of JPEG engine 2"},
    {101, "error of JPEG engine 3"},
    {102, "error of JPEG engine 4"},
    {103, "error of JPEG engine 5"},
    {104, "error of JPEG engine 6"},
    {105, "error of JPEG engine 7"},
    {106, "test message of SMBPBI"},
    {107, "silent test message of SMBPBI"},
    {109, "context switch timeout"},
    {110, "security fault"},
    {119, "GSP RPC timeout"},
    {120, "GSP error"},
    {121, "error of the link between the chips (C2C)"},
    {126, "error of copy engine 10"},
    {127, "error of copy engine 11"},
    {128, "error of copy engine 12"},
    {129, "error of copy engine 13"},
    {130, "error of copy engine 14"},
    {131, "error of copy engine 15"},
    {132, "error of copy engine 16"},
    {133, "error of copy engine 17"},
    {134, "error of copy engine 18"},
    {135, "error of copy engine 19"},
    {136, "training of an NVLink failed"},
    {137, "privilege error of NVLink"},
    {139, "error of optical flow engine 1"},
    {140, "ECC error that could not be recovered"},
    {141, "error of CUDA's fast path"},
    {142, "error of video encoder 3"},
    {143, "GPU could not be initialized"},
    {144, "NVLink error in SAW"},
    {145, "NVLink error in RLW"},
    {146, "NVLink error in TLW"},
    {147, "NVLink error in TREX"},
    {148, "NVLink error in NVLPW_CTRL"},
    {149, "NVLink error in NETIR"},
    {150, "NVLink error in MSE"},
    {151, "key rotation failed"},
    {152, "error of the DLA's memory unit"},
    {153, "timeout of the DLA"},
    {154, "GPU recovery action changed"},
    {155, "NVLink error told by software"},
    {156, "resources were retired"},
    {157, "resources could not be retired"},
    {158, "fatal timeout of the GPU"},
    {159, "CHI non-data error"},
    {160, "a channel was retired"},
    {161, "a channel could not be retired"},
    {162, "power smoothing is engaged again"},
    {163, "power smoothing is disengaged"},
    {164, "power smoothing hardware is nearly worn out"},
    {165, "power smoothing hardware is worn out"},
    {166, "NVLink traffic before encryption was set up"},
    {167, "fatal timeout of PCI Express"},
    {168, "less GPU memory than the board has"},
    {169, "the security processor halted"},
    {170, "NVLink interrupt with confidential computing"},
    {171, "uncorrectable error of device memory"},
    {172, "uncorrectable error of on-chip memory"},
};

static_assert(std::ranges::is_sorted(kMeanings, {}, &Meaning::xid));

}  // namespace

std::string_view meaning_of(Xid xid) noexcept {
  const auto number = static_cast<std::uint64_t>(xid);
  const auto* const found = std::ranges::lower_bound(kMeanings, number, {}, &Meaning::xid);
  return found != std::end(kMeanings) && found->xid == number ? found->text : std::string_view{};
}

std::string to_string(Xid xid) {
  std::string text = "Xid " + std::to_string(static_cast<std::uint64_t>(xid));
  if (const std::string_view meaning = meaning_of(xid); !meaning.empty()) text.append(" (").append(meaning).append(")");
  return text;
}

}  // namespace nvml::inline v1
