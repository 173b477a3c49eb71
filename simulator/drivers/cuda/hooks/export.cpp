// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/hooks/export.hpp"

namespace nvmlab::cuda {

CUresult traced(Function function, CUresult code) {
  driver::Line line;
  line << kFunctions[static_cast<std::uint16_t>(function)].name << " = " << static_cast<std::uint64_t>(code);
  log(kLogCalls, line);
  return code;
}

CUresult refuse(Function function) {
  if (const CUresult code = check_initialised(); code != CUDA_SUCCESS) return code;
  if (log_level() >= kLogInfo) {
    const FunctionRow& row = kFunctions[static_cast<std::uint16_t>(function)];
    driver::Line line;
    line << row.name << ": CUDA_ERROR_NOT_SUPPORTED: " << row.refused;
    log(kLogInfo, line);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace nvmlab::cuda
