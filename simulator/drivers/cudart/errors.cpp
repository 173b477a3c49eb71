// SPDX-License-Identifier: Apache-2.0
// The last error of each thread, and what errors are called. Tests: tests/drivers/cudart/errors_test.cpp.
#include "drivers/cudart/export.hpp"
#include "drivers/cudart/generated/error_texts.hpp"

namespace nvmlab::cudart {
namespace {

// After these a context is of no use any more; asking for the error does not clear it.
bool stays(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

const ErrorRow* row_of(cudaError_t code) {
  for (const ErrorRow& row : kErrors) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

constexpr const char* kUnrecognized = "unrecognized error code";

}  // namespace

cudaError_t finish(Function function, cudaError_t code) {
  if (code != cudaSuccess) this_thread().last = code;
  if (log_level() >= kLogCalls) {
    driver::Line line;
    line << kFunctions[static_cast<std::uint16_t>(function)].name << " = " << static_cast<std::uint64_t>(code);
    log(kLogCalls, line);
  }
  return code;
}

cudaError_t refuse(Function function) {
  driver();  // whose log it is
  const FunctionRow& row = kFunctions[static_cast<std::uint16_t>(function)];
  driver::Line line;
  line << row.name << ": cudaErrorNotSupported: " << (row.refused == nullptr ? "not of this release" : row.refused);
  log(kLogInfo, line);
  return finish(function, cudaErrorNotSupported);
}

}  // namespace nvmlab::cudart

using namespace nvmlab::cudart;

extern "C" {

NVMLAB_EXPORT cudaError_t cudaGetLastError() {
  Thread& thread = this_thread();
  const cudaError_t code = thread.last;
  if (!stays(code)) thread.last = cudaSuccess;
  return code;
}

NVMLAB_EXPORT cudaError_t cudaPeekAtLastError() { return this_thread().last; }

NVMLAB_EXPORT const char* cudaGetErrorName(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? kUnrecognized : row->name;
}

NVMLAB_EXPORT const char* cudaGetErrorString(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? kUnrecognized : row->text;
}

NVMLAB_EXPORT cudaError_t cudaProfilerStart() {
  return answer(Function::cudaProfilerStart,
                [] { return with_context([](const Driver& below) { return ask(below.cuProfilerStart); }); });
}

NVMLAB_EXPORT cudaError_t cudaProfilerStop() {
  return answer(Function::cudaProfilerStop,
                [] { return with_context([](const Driver& below) { return ask(below.cuProfilerStop); }); });
}

NVMLAB_EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f) { return {x, y, z, w, f}; }

}  // extern "C"
