// SPDX-License-Identifier: Apache-2.0
// Elements of arrays: the runtime says bits of each channel and a kind, the driver a format and how many channels.
// Tests: tests/drivers/cudart/arrays_test.cpp.
#pragma once

#include "drivers/cudart/abi.hpp"

namespace nvmlab::cudart {

struct Format {
  int format;
  unsigned channels;
};

// cudaErrorInvalidChannelDescriptor for what is none.
cudaError_t format_of(const cudaChannelFormatDesc& of, Format* out);
cudaChannelFormatDesc channels_of(Format of);
std::size_t element_bytes(Format of);

}  // namespace nvmlab::cudart
