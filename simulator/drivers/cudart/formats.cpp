// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/formats.hpp"

namespace nvmlab::cudart {
namespace {

enum ChannelKind : int { kSigned = 0, kUnsigned = 1, kFloat = 2 };

struct Row {
  int kind;
  int bits;
  int format;  // as CUarray_format numbers it
};
constexpr Row kRows[] = {{kUnsigned, 8, 0x01}, {kUnsigned, 16, 0x02}, {kUnsigned, 32, 0x03}, {kSigned, 8, 0x08},
                         {kSigned, 16, 0x09},  {kSigned, 32, 0x0a},   {kFloat, 16, 0x10},    {kFloat, 32, 0x20}};

const Row* row_of(int format) {
  for (const Row& row : kRows) {
    if (row.format == format) return &row;
  }
  return nullptr;
}

}  // namespace

cudaError_t format_of(const cudaChannelFormatDesc& of, Format* out) {
  const int bits[] = {of.x, of.y, of.z, of.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] == of.x)
    ++channels;
  for (unsigned i = channels; i < 4; ++i) {
    if (bits[i] != 0) return cudaErrorInvalidChannelDescriptor;
  }
  if (channels == 3) return cudaErrorInvalidChannelDescriptor;
  for (const Row& row : kRows) {
    if (row.kind != of.f || row.bits != of.x) continue;
    *out = {row.format, channels};
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

cudaChannelFormatDesc channels_of(Format of) {
  const Row* const row = row_of(of.format);
  if (row == nullptr) return {};
  const auto bits = [&](unsigned channel) { return channel < of.channels ? row->bits : 0; };
  return {bits(0), bits(1), bits(2), bits(3), row->kind};
}

std::size_t element_bytes(Format of) {
  const Row* const row = row_of(of.format);
  return row == nullptr ? 0 : static_cast<std::size_t>(row->bits) / 8 * of.channels;
}

}  // namespace nvmlab::cudart
