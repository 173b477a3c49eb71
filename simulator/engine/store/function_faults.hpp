// SPDX-License-Identifier: Apache-2.0
//
// Functions of the API that are made to answer a code, to be slow or to hang, as they lie in the store: in two copies,
// of which the sequence publishes one. They are no fault of a GPU, but of a call; which ones it befalls is told by
// patterns of names, so that the table serves every API that a driver has. The rules: engine/topics/faults/. Tests:
// tests/unit/changes/function_faults_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

inline constexpr std::uint32_t kMaxFunctionFaults = 16;
inline constexpr std::uint32_t kAnyGpu = ~std::uint32_t{0};
inline constexpr std::uint32_t kCertain = 1'000'000;

struct FunctionFault {
  std::uint64_t id;        // that no other of the machine ever had; 0: there is none in this place
  std::uint64_t since_ns;  // machine time
  std::uint64_t from_ns;   // of calls that begin at this machine time
  std::uint64_t until_ns;  // and before this one; 0: no end
  std::uint64_t delay_ns;  // such a call takes so much longer, of the host's time
  std::uint64_t seed;      // of what chance decides
  std::uint32_t gpu;       // of calls about this one; kAnyGpu: of all calls
  std::uint32_t code;      // what it answers; 0: what it would
  std::uint32_t hangs;     // 1: it does not come back until the fault is healed
  std::uint32_t skip;      // so many calls go well first;
  std::uint32_t every;     // each so-manieth of those behind them has the fault,
  std::uint32_t times;     // until so many had it; 0: no end
  std::uint32_t chance;    // how probable it is that one has it, of kCertain
  std::uint32_t shared;    // 1: calls of all processes that may write to the store are counted together
  std::uint32_t befalls;   // its GPU has this fault from then on: FaultKind + 1; 0: none
  std::uint32_t xid;       // and this Xid is told of, unless the fault tells of it; 0: none
  char function[72];       // a name, also of its later versions (_v2), or a pattern with '*' and '?'
  char process[24];        // the name of a process, likewise; empty: any
};

struct FunctionFaults {
  FunctionFault items[kMaxFunctionFaults];  // each stays in its place

  bool none() const {
    for (const FunctionFault& fault : items) {
      if (fault.id != 0) return false;
    }
    return true;
  }
};

struct alignas(64) FunctionFaultTable {
  std::uint32_t sequence;  // & 1: the copy that is published; calls that hang sleep on it
  std::uint32_t followed;  // the sequence that handles tell of
  std::uint64_t last_id;
  std::uint64_t counted[kMaxFunctionFaults];  // calls of all processes, where they are counted together
  FunctionFaults copies[2];
};
static_assert(sizeof(FunctionFault) % 8 == 0 && sizeof(FunctionFaults) % 8 == 0);

}  // namespace nvmlab
