// SPDX-License-Identifier: Apache-2.0
//
// Boxes of bytes that are copied, between memory and arrays, for streams and graphs alike. What is said to lie on a
// device must lie within one allocation there, from the first byte of the first row to the last of the last; of an
// array a box must lie within it. Under the lock of the process. Tests: tests/drivers/cuda/memory_test.cpp,
// array_copies_test.cpp, graph_nodes_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

inline constexpr int kHostEnd = 1;
inline constexpr int kDeviceEnd = 2;
inline constexpr int kArrayEnd = 3;
inline constexpr int kUnifiedEnd = 4;  // whatever the address says

// One end of a copy as CUDA_MEMCPY3D has it.
struct CopyEnd {
  std::uint64_t x, y, z, level;
  int type;
  std::uint64_t host;
  std::uint64_t device;
  CUarray array;
  std::uint64_t reserved;
  std::uint64_t pitch;
  std::uint64_t height;  // rows of a slice
};

struct BoxCopy {
  CopyEnd from;
  CopyEnd to;
  std::uint64_t width, height, depth;
};
static_assert(sizeof(BoxCopy) == sizeof(CUDA_MEMCPY3D));

// Where the first byte of an end is, and how far it is to the next row and slice.
struct PlacedBox {
  std::uint64_t address;
  std::uint64_t pitch;
  std::uint64_t slice;
  std::uint64_t extent;  // from the first byte behind the last
  CUarray array;         // null: it is memory
  bool known;            // memory that was allocated here
};

struct PlacedCopy {
  BoxCopy asked;
  PlacedBox from;
  PlacedBox to;
};

BoxCopy box_copy(const CUDA_MEMCPY3D& of);
// A line of bytes between two addresses of these types of ends.
BoxCopy line_copy(int to_type, std::uint64_t to, int from_type, std::uint64_t from, std::uint64_t bytes);

// CUDA_ERROR_INVALID_VALUE and others where it cannot be done.
CUresult place_copy(const BoxCopy& asked, PlacedCopy* out);
// The item of a copy; its payload is the PlacedCopy.
CUresult make_copy(const PlacedCopy& placed, WorkItem** out);
CUresult make_copy(const BoxCopy& asked, WorkItem** out);

}  // namespace nvmlab::cuda
