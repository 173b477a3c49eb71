// SPDX-License-Identifier: Apache-2.0
//
// The driver as a stranger holds it: opened by path, functions found by name, types written down by hand. A child
// process for whatever could end badly, because a test must not trust what it tests.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

namespace nvmlab::abi_test {

using Handle = void*;  // nvmlDevice_t

struct Memory {  // nvmlMemory_t
  unsigned long long total, free, used;
};

struct Utilization {  // nvmlUtilization_t
  unsigned gpu, memory;
};

enum Code : int { kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNotSupported = 3, kInsufficientSize = 7 };

// What a driver without any configuration simulates (README.md): eight of this board.
inline constexpr unsigned kDefaultGpus = 8;
inline constexpr const char* kDefaultName = "NVIDIA A100-SXM4-40GB";

// The size of a buffer as NVML's functions take it.
template <class Buffer>
constexpr unsigned size_of(const Buffer& buffer) {
  return static_cast<unsigned>(std::size(buffer));
}

// Paths inside the build that is tested (environment NVMLAB_BINARY_DIR).
std::string driver_folder();
std::string driver_path();

class Driver {
 public:
  // Flags as for dlopen; with new_namespace by dlmopen in one of its own, with a C library of its own.
  explicit Driver(int flags = RTLD_NOW, bool new_namespace = false);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  bool open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }
  void* address(const char* name) const { return handle_ == nullptr ? nullptr : ::dlsym(handle_, name); }

  // call<int(unsigned*)>("nvmlDeviceGetCount_v2", &count); -1000 where the name is missing.
  template <class Signature, class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Signature*>(address(name));
    return function == nullptr ? -1000 : function(arguments...);
  }

  int init() const { return call<int()>("nvmlInit_v2"); }
  int shutdown() const { return call<int()>("nvmlShutdown"); }
  int count(unsigned& gpus) const { return call<int(unsigned*)>("nvmlDeviceGetCount_v2", &gpus); }
  int gpu(unsigned index, Handle& device) const {
    return call<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2", index, &device);
  }
  int name(Handle device, char* text, unsigned size) const {
    return call<int(Handle, char*, unsigned)>("nvmlDeviceGetName", device, text, size);
  }

  // One round of everyday getters on every GPU: 0, or a number that tells which step did not give what it should.
  int read_everything(unsigned gpus = kDefaultGpus) const;

 private:
  void* handle_ = nullptr;
  std::string error_;
};

// Runs `work` in a forked child and says how it ended: "exit 0", "signal 11 (Segmentation fault)". SIGALRM ends a
// child that is not finished by the deadline of all tests.
std::string in_child(const std::function<int()>& work);

}  // namespace nvmlab::abi_test
