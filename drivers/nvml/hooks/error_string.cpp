// SPDX-License-Identifier: Apache-2.0
//
// Texts of the return codes, as the libraries of drivers 340 to 555 give them. A driver knows the codes of its time; to
// it any other is an unknown error. Texts are static: a client may keep the pointer as long as the library is loaded.
// Tests: tests/oracle compares with every real library, tests/abi looks at the pointers.
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {
namespace {

// The driver whose library is the first to have a text for the code; 0: all of them. Between two that could be asked,
// the header that first declares the code decides.
std::uint32_t known_since(nvmlReturn_t code) {
  switch (code) {
    case NVML_ERROR_OPERATING_SYSTEM:
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
    case NVML_ERROR_MEMORY:
      return 390;
    case NVML_ERROR_IN_USE:
      return 418;
    case NVML_ERROR_INSUFFICIENT_RESOURCES:
      return 450;
    case NVML_ERROR_FREQ_NOT_SUPPORTED:
      return 470;
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return 520;
    case NVML_ERROR_NO_DATA:
    case NVML_ERROR_VGPU_ECC_NOT_SUPPORTED:
    case NVML_ERROR_DEPRECATED:
      return 525;
    case NVML_ERROR_NOT_READY:
      return 535;
    case NVML_ERROR_GPU_NOT_FOUND:
      return 545;
    case NVML_ERROR_INVALID_STATE:
      return 550;
    default:
      return 0;
  }
}

const char* text_of(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NO_PERMISSION:
      return "Insufficient Permissions";
    case NVML_ERROR_ALREADY_INITIALIZED:
      return "Already Initialized";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_INSUFFICIENT_POWER:
      return "Insufficient External Power";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT:
      return "Timeout";
    case NVML_ERROR_IRQ_ISSUE:
      return "Interrupt Request Issue";
    case NVML_ERROR_LIBRARY_NOT_FOUND:
      return "NVML Shared Library Not Found";
    case NVML_ERROR_FUNCTION_NOT_FOUND:
      return "Function Not Found";
    case NVML_ERROR_CORRUPTED_INFOROM:
      return "Corrupted infoROM";
    case NVML_ERROR_GPU_IS_LOST:
      return "GPU is lost";
    case NVML_ERROR_RESET_REQUIRED:
      return "GPU requires reset";
    case NVML_ERROR_OPERATING_SYSTEM:
      return "GPU access blocked by the operating system";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
      return "Driver/library version mismatch";
    case NVML_ERROR_IN_USE:
      return "In use by another client";
    case NVML_ERROR_MEMORY:
      return "Insufficient Memory";
    case NVML_ERROR_NO_DATA:
      return "No data";
    case NVML_ERROR_VGPU_ECC_NOT_SUPPORTED:
      return "vGPU ECC not supported";
    case NVML_ERROR_INSUFFICIENT_RESOURCES:
      return "Insufficient Resources";
    case NVML_ERROR_FREQ_NOT_SUPPORTED:
      return "Invalid Frequency";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return "Argument version mismatch";
    case NVML_ERROR_DEPRECATED:
      return "Requested functionality has been deprecated";
    case NVML_ERROR_NOT_READY:
      return "System is not in ready state";
    case NVML_ERROR_GPU_NOT_FOUND:
      return "No supported GPUs were found";
    case NVML_ERROR_INVALID_STATE:
      return "Resource not in correct state to perform requested operation";
    case NVML_ERROR_UNKNOWN:
      return "Unknown Error";
    default:
      return "Unknown Error";
  }
}

}  // namespace

const char* hooks::nvmlErrorString(nvmlReturn_t result) {
  const std::uint32_t since = known_since(result);
  return since == 0 || driver_release(row_before_init()).major >= since ? text_of(result) : text_of(NVML_ERROR_UNKNOWN);
}

}  // namespace nvmlab::driver
