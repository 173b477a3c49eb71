// SPDX-License-Identifier: Apache-2.0
//
// Contexts: the primary one of each device, those that a program creates, and which is current to each thread. A
// process that has one on a GPU is listed there by NVML, with the memory that it holds. All under the lock of the
// process. Tests: tests/drivers/cuda/contexts_test.cpp.
#pragma once

#include "drivers/cuda/process/pool.hpp"
#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {

struct WorkQueue;

inline constexpr std::uint32_t kLimits = 11;

struct Context {
  std::uint32_t device;  // ordinal
  std::uint32_t flags;
  std::uint32_t users;
  bool primary;
  std::uint32_t cache_config;
  std::uint32_t shared_config;
  std::uint64_t id;
  std::uint64_t limits[kLimits];
  CUresult fault;        // what a kernel ended with, and every later call here too
  std::uint64_t errors;  // in the memory of the GPU that could not be corrected, when it began
  WorkQueue* legacy;     // of the stream that waits for all others; null: nobody has used it
  WorkQueue* after;      // that streams wait for which are created later; null: none

  static constexpr std::uint32_t kPeerWords = kMaxVisibleDevices / 64;
  std::uint64_t peers[kPeerWords];  // bit N: device N may be reached
};

// What a context takes of a GPU before anything is allocated; assumed, as it differs from chip to chip.
inline constexpr std::uint64_t kContextBytes = std::uint64_t{416} << 20;

Context* find_context(CUcontext handle);
// CUDA_ERROR_CONTEXT_IS_DESTROYED or CUDA_ERROR_INVALID_CONTEXT, of a handle that find_context() does not know.
CUresult no_context(CUcontext handle);

// The context current to the calling thread, the primary one of a green one; null: there is none.
CUcontext current_context();
CUcontext current_handle();            // as the program named it
bool push_context(CUcontext context);  // false: too many
CUcontext pop_context();
bool set_context(CUcontext context);

// Whatever of the GPU's becomes the context's: a new error in memory stays, one by which the GPU does not answer goes
// with it.
CUresult state_of_context(Context& context);

// Makes one, with its process on the GPU.
CUresult create_context(std::uint32_t device, std::uint32_t flags, bool primary, CUcontext* handle);
// Removes a context of which nothing is left; destroy_context() (hooks/destroy_context.hpp) releases what it has.
void remove_context(CUcontext handle);
bool is_last_context(std::uint32_t device);

struct Primary {
  CUcontext context;  // null: not active
  std::uint32_t users;
  std::uint32_t flags;
};
Primary& primary_of(std::uint32_t device);

// Counts memory against a device for the process, or gives it back; sizes are signed.
CUresult charge(std::uint32_t device, std::int64_t bytes);

// Whether the calling thread is in a function that a stream called, which may not call CUDA. Under the lock.
bool in_host_function();
void enter_host_function(bool enter);

// The current context of the calling thread, as a call needs it.
struct CurrentContext {
  CUresult code;  // CUDA_SUCCESS, or why the call cannot be done; then the rest is nothing
  CUcontext handle;
  Context* context;
};
CurrentContext find_current();  // under the lock

// Holds the lock for a call that needs the current context. A call returns code() unless it is CUDA_SUCCESS.
class ContextGuard {
 public:
  CUresult code() const { return current_.code; }
  CUcontext handle() const { return current_.handle; }
  Context& context() const { return *current_.context; }

 private:
  Locked lock_;
  CurrentContext current_ = find_current();
};

}  // namespace nvmlab::cuda
