// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels {

const Handlers& handlers() {
#if defined(__x86_64__)
  static const Handlers& best =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")
          ? avx2::handlers()
          : baseline::handlers();
  return best;
#else
  return baseline::handlers();
#endif
}

}  // namespace nvmlab::kernels
