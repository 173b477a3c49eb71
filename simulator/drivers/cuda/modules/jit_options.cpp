// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/jit_options.hpp"

#include <cstring>

namespace nvmlab::cuda {

bool JitOptions::read(unsigned count, const CUjit_option* options, void** values) {
  constexpr CUjit_option kMostRegisters = 0;
  constexpr CUjit_option kWallTime = 2;
  constexpr CUjit_option kInfoBuffer = 3;
  constexpr CUjit_option kInfoSize = 4;
  constexpr CUjit_option kErrorBuffer = 5;
  constexpr CUjit_option kErrorSize = 6;
  constexpr CUjit_option kVerbose = 12;
  if (count != 0 && (options == nullptr || values == nullptr)) return false;
  const auto number = [values](unsigned i) { return reinterpret_cast<std::uint64_t>(values[i]) & 0xFFFFFFFF; };
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case kMostRegisters:
        most_registers_ = static_cast<std::uint32_t>(number(i));
        break;
      case kInfoBuffer:
        info_.text = static_cast<char*>(values[i]);
        break;
      case kErrorBuffer:
        error_.text = static_cast<char*>(values[i]);
        break;
      case kInfoSize:
        info_.room = number(i);
        info_.size = &values[i];
        break;
      case kErrorSize:
        error_.room = number(i);
        error_.size = &values[i];
        break;
      case kVerbose:
        verbose_ = values[i] != nullptr;
        break;
      case kWallTime:  // a float in the place of a pointer: reading takes no time that matters
        values[i] = nullptr;
        break;
      default:  // how a compiler should work, of which there is none
        break;
    }
  }
  add(info_, "");
  add(error_, "");
  return true;
}

void JitOptions::add(Log& log, const char* message) {
  if (log.text != nullptr && log.used < log.room) {
    const auto put = [&log](const char* text, std::uint64_t length) {
      const std::uint64_t kept = length < log.room - log.used - 1 ? length : log.room - log.used - 1;
      std::memcpy(log.text + log.used, text, kept);
      log.used += kept;
    };
    const std::uint64_t length = std::strlen(message);
    if (length != 0 && log.used != 0) put("\n", 1);
    put(message, length);
    log.text[log.used] = '\0';
  }
  if (log.size != nullptr) *log.size = reinterpret_cast<void*>(log.used);
}

void JitOptions::tell(CUresult code, const char* message) { add(code == CUDA_SUCCESS ? info_ : error_, message); }

}  // namespace nvmlab::cuda
