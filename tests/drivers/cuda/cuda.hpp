// SPDX-License-Identifier: Apache-2.0
// libcuda as a stranger holds it: opened by its path, functions found by name, types written down by hand.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <type_traits>

#include "tests/drivers/abi/driver.hpp"

namespace nvmlab::cuda_test {

using abi_test::in_child;
using Device = int;
using Pointer = unsigned long long;

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kContextIsDestroyed = 709,
  kNotSupported = 801,
  kSystemDriverMismatch = 803,
  kUnknown = 999
};

// `driver` is a branch whose library to take; empty: the one that exports everything.
class Cuda {
 public:
  explicit Cuda(const std::string& driver = "")
      : handle_(::dlopen(
            (abi_test::driver_folder() + (driver.empty() ? "" : "/drivers/" + driver) + "/libcuda.so.1").c_str(),
            RTLD_NOW)) {}

  bool open() const { return handle_ != nullptr; }
  void* address(const char* name) const { return handle_ == nullptr ? nullptr : ::dlsym(handle_, name); }

  // call<int(unsigned)>("cuInit", 0u); -1000 where the name is missing.
  template <class Signature, class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    return call_at(reinterpret_cast<Signature*>(address(name)), arguments...);
  }

  int init() const { return call<int(unsigned)>("cuInit", 0u); }
  int count() const {
    int devices = -1;
    const int code = call<int(int*)>("cuDeviceGetCount", &devices);
    return code == kSuccess ? devices : -code;
  }
  int attribute(int id, Device device) const {
    int value = -1;
    const int code = call<int(int*, int, int)>("cuDeviceGetAttribute", &value, id, device);
    return code == kSuccess ? value : -code;
  }
  // A context of its own, current to the thread.
  void* context(Device device = 0) const {
    void* made = nullptr;
    call<int(void**, unsigned, int)>("cuCtxCreate_v2", &made, 0u, device);
    return made;
  }
  Pointer allocate(std::size_t size) const {
    Pointer made = 0;
    return call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &made, size) == kSuccess ? made : 0;
  }
  std::size_t free_memory() const {
    std::size_t free = 0;
    std::size_t total = 0;
    call<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2", &free, &total);
    return free;
  }

 private:
  // Numbers may be written as they are read; pointers must be of the right type.
  template <class To, class From>
  static To as(From from) {
    if constexpr (std::is_integral_v<To>) {
      return static_cast<To>(from);
    } else {
      return from;
    }
  }
  template <class... Parameters, class... Arguments>
  static int call_at(int (*function)(Parameters...), Arguments... arguments) {
    return function == nullptr ? -1000 : function(as<Parameters>(arguments)...);
  }

  void* handle_;
};

// A step of a child: its number is what the child ends with where the two differ.
#define CUDA_STEP(number, expected, ...)            \
  do {                                              \
    if ((__VA_ARGS__) != (expected)) return number; \
  } while (false)

// Runs `work` with an initialised libcuda in a child that has these variables; "exit 0" where every step went well.
inline std::string in_cuda(const std::map<std::string, std::string>& environment,
                           const std::function<int(const Cuda&)>& work, int expected_init = kSuccess) {
  return in_child([&] {
    for (const auto& [name, value] : environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    const Cuda cuda;
    if (!cuda.open()) return 250;
    const int code = cuda.init();
    return code == expected_init ? work(cuda) : 251;
  });
}

}  // namespace nvmlab::cuda_test
