// SPDX-License-Identifier: Apache-2.0
// What a memory pool is created with.
#pragma once

#include <cstddef>

namespace nvmlab::cuda_test {

struct PoolProperties {  // CUmemPoolProps
  int type = 1;
  int handles = 0;
  int location_type = 1;
  int device = 0;
  void* security = nullptr;
  std::size_t most = 0;
  unsigned char rest[56] = {};
};
static_assert(sizeof(PoolProperties) == 88);

}  // namespace nvmlab::cuda_test
