// SPDX-License-Identifier: Apache-2.0
// libcudart as a stranger holds it: opened by its path, functions found by name, types written down by hand.
#pragma once

#include <cstring>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cudart_test {

using abi_test::in_child;

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidPitch = 12,
  kInvalidSymbol = 13,
  kInvalidDirection = 21,
  kInsufficientDriver = 35,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoKernelImage = 209,
  kSymbolNotFound = 500,
  kInvalidHandle = 400,
  kIllegalAddress = 700,
  kNotSupported = 801
};

enum Direction : int { kToDevice = 1, kToHost = 2, kWithinDevice = 3, kByAddress = 4 };

struct Dim3 {
  unsigned x, y, z;
};

inline std::string library_of(int major) {
  const std::string number = std::to_string(major);
  return abi_test::driver_folder() + "/cudart/" + number + "/libcudart.so." + number;
}

class Cudart {
 public:
  explicit Cudart(int major) : handle_(::dlopen(library_of(major).c_str(), RTLD_NOW)) {}

  bool open() const { return handle_ != nullptr; }
  void* address(const char* name) const { return ::dlsym(handle_, name); }

  // call<int(void**, std::size_t)>("cudaMalloc", &pointer, 16); -1000 where the name is missing.
  template <class Signature, class... Arguments>
  auto call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Signature*>(address(name));
    using Result = decltype(function(arguments...));
    if (function != nullptr) return function(arguments...);
    if constexpr (std::is_pointer_v<Result>) {
      return static_cast<Result>(nullptr);
    } else {
      return static_cast<Result>(-1000);
    }
  }

  int set_device(int device) const { return call<int(int)>("cudaSetDevice", device); }
  int device() const {
    int device = -1;
    const int code = call<int(int*)>("cudaGetDevice", &device);
    return code == kSuccess ? device : -code;
  }
  int count() const {
    int count = -1;
    const int code = call<int(int*)>("cudaGetDeviceCount", &count);
    return code == kSuccess ? count : -code;
  }
  void* allocate(std::size_t size) const {
    void* made = nullptr;
    return call<int(void**, std::size_t)>("cudaMalloc", &made, size) == kSuccess ? made : nullptr;
  }
  int copy(void* to, const void* from, std::size_t bytes, int direction) const {
    return call<int(void*, const void*, std::size_t, int)>("cudaMemcpy", to, from, bytes, direction);
  }
  int last_error() const { return call<int()>("cudaGetLastError"); }

 private:
  void* handle_;
};

// Runs `work` with libcudart of that release on a node of that driver, in a child; "exit 0" where every step went well.
inline std::string in_runtime(int major, const std::function<int(const Cudart&)>& work,
                              const std::map<std::string, std::string>& environment = {}) {
  return in_child([&] {
    ::setenv("NVMLAB_DRIVER", major == 13 ? "580" : "550", 1);
    for (const auto& [name, value] : environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    const Cudart runtime(major);
    return runtime.open() ? work(runtime) : 250;
  });
}

// As compilers lay out what a program holds: one image of PTX in a container, and the wrapper that programs register.
class FatBinary {
 public:
  explicit FatBinary(const std::string& ptx) {
    constexpr unsigned kHeader = 64;
    const std::string payload = ptx + std::string(8 - ptx.size() % 8, '\0');
    put(0xBA55ED50u, 4);
    put(1, 2);
    put(16, 2);
    put(kHeader + payload.size(), 8);
    put(1, 2);  // PTX
    put(0x101, 2);
    put(kHeader, 4);
    put(payload.size(), 8);
    put(0, 4);  // not compressed
    put(0, 4);
    put(0, 2);  // PTX 7.0
    put(7, 2);
    put(50, 4);  // sm_50
    put(0, 8);
    put(0x11, 8);  // 64-bit, Linux
    put(0, 8);
    put(0, 8);
    bytes_ += payload;
    wrapper_ = {0x466243B1u, 1, bytes_.data(), nullptr};
  }
  void* wrapper() { return &wrapper_; }
  std::string& bytes() { return bytes_; }

 private:
  struct Wrapper {
    unsigned magic;
    unsigned version;
    const void* data;
    void* list;
  };
  void put(unsigned long long value, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      bytes_ += static_cast<char>(value >> 8 * i & 0xFF);
  }

  std::string bytes_;
  Wrapper wrapper_{};
};

}  // namespace nvmlab::cudart_test
