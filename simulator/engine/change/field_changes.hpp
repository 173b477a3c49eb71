// SPDX-License-Identifier: Apache-2.0
//
// Changes of fields by their place: settings whose rule is a row of model/state/, counters, and the assignments of
// `nvmlab set`. Tests: tests/unit/changes/pins_test.cpp,
// tests/command/get_set_test.cpp, tests/unit/control/restore_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// Writes a setting by its rule (engine/topics/field_rules.hpp).
struct WriteSetting {
  std::uint32_t offset;  // of a Fact<std::uint32_t>, within Gpu
  std::uint32_t value;
};

// Back to zero.
struct ClearCounter {
  std::uint32_t offset;  // of a fact within Gpu
  std::uint32_t wide;    // 1: of 64 bits
};

// The bytes that control writes to a place. Larger fields take several, one behind the other. Once all of a batch are
// written, the rule of each written field checks its value and does what follows (engine/change/written_fields.hpp).
struct PutBytes {
  std::uint32_t offset;  // within Gpu or Node; a multiple of eight, as is the size
  std::uint32_t size;
  std::uint8_t bytes[256];
};

// A value that stays whatever else happens, until it is released. Of a scalar field, code included.
struct PinField {
  std::uint32_t offset;
  std::uint32_t size;
  std::uint64_t value[2];
};

struct ReleaseField {
  std::uint32_t offset;
};

// A snapshot comes back (control/restore.hpp). Of each GPU that differs from it, and of the node, this is the first of
// the changes; RestorePin and RestoreBytes follow. What is saved was consistent when it was, so no rule runs and no pin
// is imposed: the state is byte by byte what it was.
struct RestoreSnapshot {
  std::uint64_t snapshot;  // its checksum
  std::uint32_t present;   // 1: the GPU was there, 0: it was removed; of the node, 1
  std::uint32_t pins;      // how many RestorePin follow
  std::uint32_t places;    // how many RestoreBytes
};

// Pins of before are gone; each of these is one of those that were.
struct RestorePin {
  Pin pin;
};

// As PutBytes, without the rules of fields.
struct RestoreBytes {
  std::uint32_t offset;
  std::uint32_t size;
  std::uint8_t bytes[256];
};

Code make(const WriteSetting& change, GpuEdit& gpu);
Code make(const ClearCounter& change, GpuEdit& gpu);
Code make(const PutBytes& change, GpuEdit& gpu);
Code make(const PutBytes& change, NodeEdit& node);
Code make(const PinField& change, GpuEdit& gpu);
Code make(const PinField& change, NodeEdit& node);
Code make(const ReleaseField& change, GpuEdit& gpu);
Code make(const ReleaseField& change, NodeEdit& node);
Code make(const RestoreSnapshot& change, GpuEdit& gpu);
Code make(const RestoreSnapshot& change, NodeEdit& node);
Code make(const RestorePin& change, GpuEdit& gpu);
Code make(const RestorePin& change, NodeEdit& node);
Code make(const RestoreBytes& change, GpuEdit& gpu);
Code make(const RestoreBytes& change, NodeEdit& node);

}  // namespace nvmlab
