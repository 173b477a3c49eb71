// SPDX-License-Identifier: Apache-2.0
//
// Changes of fields by their place, for what has no rule of its own: settings that take any value in a range, counters,
// and whatever control sets (`nvmlab set`). Tests: tests/unit/changes/pins_test.cpp, tests/tool/get_set_test.cpp.
#pragma once

#include "engine/machine/code.hpp"
#include "engine/machine/edit.hpp"

namespace nvmlab {

// A setting that takes any value up to `highest`.
struct WriteSetting {
  std::uint32_t offset;  // of a Fact<std::uint32_t>, within Gpu
  std::uint32_t value;
  std::uint32_t highest;
};

// Back to zero.
struct ClearCounter {
  std::uint32_t offset;  // of a fact within Gpu
  std::uint32_t wide;    // 1: of 64 bits
};

// What control puts in a place, with what follows from it. Larger fields take several, one behind the other.
struct PutBytes {
  std::uint32_t offset;  // within Gpu or Node; a multiple of eight, as is the size
  std::uint32_t size;
  std::uint8_t bytes[256];
};

// A value that stays whatever else happens, until it is released. Of a scalar field, code included.
struct PinField {
  std::uint32_t offset;
  std::uint32_t size;
  std::uint64_t value[2];
};

struct ReleaseField {
  std::uint32_t offset;
};

Code make(const WriteSetting& change, GpuEdit& gpu);
Code make(const ClearCounter& change, GpuEdit& gpu);
Code make(const PutBytes& change, GpuEdit& gpu);
Code make(const PutBytes& change, NodeEdit& node);
Code make(const PinField& change, GpuEdit& gpu);
Code make(const PinField& change, NodeEdit& node);
Code make(const ReleaseField& change, GpuEdit& gpu);
Code make(const ReleaseField& change, NodeEdit& node);

}  // namespace nvmlab
