// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/families.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

namespace {

Handler any_matrix(std::string_view word) {
  const Handler product = matrix(word);
  return product != nullptr ? product : matrix_memory(word);
}

}  // namespace

const Handlers& handlers() {
  static constexpr Handlers kAll = {integer, floating, half,  convert, compare, predicate,
                                    select,  load,     store, atomic,  across,  any_matrix};
  return kAll;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
