// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_type.hpp"

#include <cstddef>
#include <cstring>

namespace nvmlab {
namespace {

constexpr std::uint32_t kMostTimeSliced = 32;
constexpr std::uint32_t kVendor = 0x10DE;

// What one size of a run says: "3-20" is 20 GiB in a GPU instance of three slices.
struct Size {
  std::uint32_t slices;
  std::uint32_t gib;
};

bool digit(char c) { return c >= '0' && c <= '9'; }

std::uint32_t read_number(const char*& text) {
  std::uint32_t number = 0;
  for (; digit(*text); ++text)
    number = number * 10 + static_cast<std::uint32_t>(*text - '0');
  return number;
}

// False behind the last one.
bool read_size(const char*& text, Size* out) {
  while (*text == ' ')
    ++text;
  if (*text == '\0') return false;
  *out = {0, read_number(text)};
  if (*text == '-') {
    ++text;
    *out = {out->gib, read_number(text)};
  }
  return true;
}

template <std::size_t N>
void append(char (&to)[N], const char* text) {
  std::size_t at = std::strlen(to);
  for (; *text != '\0' && at + 1 < N; ++text)
    to[at++] = *text;
  to[at] = '\0';
}

template <std::size_t N>
void append(char (&to)[N], std::uint32_t number) {
  char digits[12] = {};
  std::size_t at = sizeof digits - 1;
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  append(to, digits + at);
}

// What the last letter of a name says.
struct Series {
  char letter;
  char vgpu_class[8];
  char license[96];
  std::uint32_t heads;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t frames;
};
constexpr Series kSeries[] = {
    {'A', "NVS", "GRID-Virtual-Apps,3.0", 1, 1280, 1024, 60},
    {'B', "NVS", "GRID-Virtual-PC,2.0;Quadro-Virtual-DWS,5.0;GRID-Virtual-WS,2.0;GRID-Virtual-WS-Ext,2.0", 4, 5120,
     2880, 45},
    {'C', "Compute", "NVIDIA-Virtual-Compute-Server,9.0;Quadro-Virtual-DWS,5.0", 1, 4096, 2160, 60},
    {'Q', "Quadro", "Quadro-Virtual-DWS,5.0;GRID-Virtual-WS,2.0;GRID-Virtual-WS-Ext,2.0", 4, 7680, 4320, 60},
};

const Series& series_of(char letter) {
  for (const Series& each : kSeries) {
    if (each.letter == letter) return each;
  }
  return kSeries[0];
}

// NVIDIA's ids of the GPU instance profiles, by slices. One of a single slice may have all media engines, or twice the
// memory.
std::uint32_t profile_of(const VgpuBoard& board, const Size& size, bool media) {
  constexpr std::uint32_t ids[] = {0, 19, 14, 9, 5, 0, 0, 0};
  const bool four_slices = board.gib == 24;  // A30
  if (four_slices) return size.slices == 4 ? 0 : size.slices == 2 ? (media ? 6 : 5) : (media ? 21 : 14);
  if (size.slices == 1 && media) return 20;
  if (size.slices == 1 && size.gib * 6 > board.gib) return 15;
  return ids[size.slices < 8 ? size.slices : 0];
}

std::uint32_t most_of(const VgpuBoard& board, const Size& size, bool media) {
  if (size.slices == 0) {
    const std::uint32_t fit = size.gib == 0 ? 0 : board.gib / size.gib;
    return fit < kMostTimeSliced ? fit : kMostTimeSliced;
  }
  if (media) return 1;
  const bool double_memory = size.slices == 1 && board.gib != 24 && size.gib * 6 > board.gib;
  const std::uint32_t slices = board.gib == 24 ? 4 : 7;
  return double_memory ? 4 : slices / size.slices;
}

VgpuType make_type(const VgpuBoard& board, const VgpuTypeRun& run, const Size& size, std::uint32_t place) {
  const Series& series = series_of(run.series[0]);
  const bool media = std::strcmp(run.series, "CME") == 0;
  VgpuType type{};
  type.id = run.first_id + place;
  type.device_id = board.device_id;
  type.subsystem_id = (run.first_subsystem + place) << 16 | kVendor;
  type.max_instances = most_of(board, size, media);
  // A VM may have up to 16 that take a GPU each, but for the series of virtual desktops.
  const bool whole = type.max_instances == 1 && size.slices == 0 && series.vgpu_class[0] != 'N';
  type.max_per_vm = whole ? 16 : 1;
  type.display_heads = series.heads;
  const bool small = series.letter == 'Q' && size.gib == 1;
  type.max_width = small ? 5120 : series.width;
  type.max_height = small ? 2880 : series.height;
  type.frame_rate_limit = series.frames;
  type.gpu_instance_profile = size.slices == 0 ? kNoGpuInstanceProfile : profile_of(board, size, media);
  type.capabilities = size.slices == 0 ? kVgpuExclusiveSize : 0;
  type.fb_bytes = std::uint64_t{size.gib} << 30;
  append(type.name, board.family);
  append(type.name, "-");
  if (size.slices != 0) {
    append(type.name, size.slices);
    append(type.name, "-");
  }
  append(type.name, size.gib);
  append(type.name, run.series);
  append(type.vgpu_class, series.vgpu_class);
  append(type.license, series.license);
  return type;
}

}  // namespace

bool vgpu_type_at(const VgpuBoard& board, std::uint32_t index, VgpuType* out) {
  for (std::uint32_t i = 0; i < board.run_count; ++i) {
    const VgpuTypeRun& run = board.runs[i];
    const char* rest = run.sizes;
    Size size{};
    for (std::uint32_t place = 0; read_size(rest, &size); ++place, --index) {
      if (index != 0) continue;
      *out = make_type(board, run, size, place);
      return true;
    }
  }
  return false;
}

VgpuType listed_vgpu_type(const Vgpu::Type& row) {
  VgpuType type{};
  type.id = row.id.value_or(0);
  type.device_id = row.device_id.value_or(0);
  type.subsystem_id = row.subsystem_id.value_or(0);
  type.max_instances = row.max_instances.value_or(1);
  type.max_per_vm = 1;
  type.display_heads = row.display_heads.value_or(1);
  type.max_width = row.max_width.value_or(0);
  type.max_height = row.max_height.value_or(0);
  type.frame_rate_limit = row.frame_rate_limit.value_or(0);
  type.gpu_instance_profile = row.gpu_instance_profile.value_or(kNoGpuInstanceProfile);
  type.capabilities = row.capabilities.value_or(0);
  type.fb_bytes = row.fb_bytes.value_or(0);
  append(type.name, row.name.data);
  append(type.vgpu_class, row.vgpu_class.data);
  append(type.license, row.license.data);
  return type;
}

}  // namespace nvmlab
