// SPDX-License-Identifier: Apache-2.0
//
// What a sequence of CUDA calls is made of: bytes as numbers, handles and addresses, some of which are right.
#pragma once

#include <dlfcn.h>

#include <array>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {

using Address = unsigned long long;

class CudaCalls {
 protected:
  static constexpr std::size_t kSlots = 6;
  using Handles = std::array<void*, kSlots>;

  CudaCalls() : library_(::dlopen((abi_test::driver_folder() + "/libcuda.so.1").c_str(), RTLD_NOW)) {
    if (library_ == nullptr || call<int(unsigned)>("cuInit", 0u) != 0) wrong("libcuda cannot be opened");
  }

  void begin(const std::uint8_t* data, std::size_t size) {
    data_ = data;
    left_ = size;
  }
  bool at_end() const { return left_ == 0; }

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  // Small, round, huge or at random.
  std::uint64_t number() {
    const std::uint8_t choice = byte();
    switch (choice % 4) {
      case 0:
        return choice / 4;
      case 1:
        return std::uint64_t{1} << (choice / 4);
      case 2:
        return std::uint64_t{byte()} << 8 | byte();
      default:
        return ~std::uint64_t{0} - choice / 4;
    }
  }

  template <class Signature, class... Arguments>
  int call(const char* name, Arguments... arguments) {
    auto* const function = reinterpret_cast<Signature*>(::dlsym(library_, name));
    if (function == nullptr) return 0;
    const int code = function(arguments...);
    const char* text = nullptr;
    auto* const names = reinterpret_cast<int (*)(int, const char**)>(::dlsym(library_, "cuGetErrorName"));
    if (names(code, &text) != 0) wrong(std::string(name) + " answers a code that there is not");
    return code;
  }

  void*& slot(std::array<void*, kSlots>& of) {
    const std::uint8_t choice = byte();
    if (choice >= 250) nowhere_ = reinterpret_cast<void*>(number());
    return choice >= 250 ? nowhere_ : of[choice % kSlots];
  }
  Address address() {
    const std::uint8_t choice = byte();
    return choice >= 240 ? number() : memory_[choice % kSlots] + (choice >= 128 ? number() : 0);
  }
  // A handle of this kind that a call makes is kept.
  template <class Signature, class... Arguments>
  int make(Handles& of, const char* name, Arguments... arguments) {
    return call<Signature>(name, &slot(of), arguments...);
  }

  void* library_;
  const std::uint8_t* data_ = nullptr;
  std::size_t left_ = 0;
  void* nowhere_ = nullptr;
  Handles contexts_{};
  Handles streams_{};
  Handles events_{};
  Handles functions_{};
  std::array<Address, kSlots> memory_{};
};

}  // namespace nvmlab::fuzz
