// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/families.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

const Handlers& handlers() {
  static constexpr Handlers kAll = {integer, floating, half,  convert, compare, predicate,
                                    select,  load,     store, atomic,  across};
  return kAll;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
