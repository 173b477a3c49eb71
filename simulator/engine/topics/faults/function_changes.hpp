// SPDX-License-Identifier: Apache-2.0
//
// Faults of functions, and their end. Tests: tests/unit/changes/function_faults_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

// One that is of the same function, GPU and process takes the place of the one before. What `fault` says of its id and
// its beginning does not count; without a seed it takes the machine's.
struct FailFunction {
  FunctionFault fault;
};

struct HealFunctions {
  std::uint32_t gpu;  // those of calls about this one alone; kAnyGpu: whatever calls are about
  std::uint32_t unused;
  char function[72];  // as it was said; empty: any
};

// What a change makes of them before anybody sees it. Used under the WriteLock.
class FunctionEdit {
 public:
  FunctionEdit(Store& store, FunctionFaults& scratch);

  FunctionFaults& faults() { return faults_; }
  std::uint64_t now_ns() const { return now_ns_; }
  std::uint32_t gpu_count() const { return store_.header.gpu_count; }
  std::uint64_t next_id() { return ++last_id_; }
  std::uint64_t machine_seed() const { return store_.header.seed; }

  // Calls that hang look whether they are to, wherever they are; handles tell of it (follow_function_faults()).
  void publish(bool shared);

 private:
  Store& store_;
  FunctionFaults& faults_;
  std::uint64_t now_ns_;
  std::uint64_t last_id_;
};

// kInvalidArgument: it names no function or GPU, or does nothing. kInsufficientResources: there are as many as can be.
Code make(const FailFunction& change, FunctionEdit& functions);

// kNotFound: of a function that is named there is none.
Code make(const HealFunctions& change, FunctionEdit& functions);

}  // namespace nvmlab
