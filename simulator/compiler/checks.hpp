// SPDX-License-Identifier: Apache-2.0
//
// Values that are right one by one and wrong together: memory that does not fit, limits in the wrong order, two GPUs
// with one identity. A finding names the place of one of them: in a profile, or in the capture that a draft was read
// from (drafts.hpp). Tests: tests/unit/compiler/checks_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

struct Finding {
  const yaml::Place* place = nullptr;  // of the value, else of the GPU in the machine's list; null: no place is known
  std::string message;
};
using Findings = std::vector<Finding>;

// The findings as problems of files.
Problems located(const Findings& findings);

// "GPU-", 32 hexadecimal digits in lower case and dashes between them.
bool is_gpu_uuid(std::string_view text);

// `place` is what to name where a value has no place of its own, or null. `notes` take what is odd in a capture and a
// mistake in a profile that somebody wrote: a board that was overclocked, a driver that nobody knows.
void check_driver(const NodeDraft& node, const yaml::Place* place, Findings& problems, Findings& notes);

// The GPUs of one machine, one after the other.
class MachineChecks {
 public:
  MachineChecks(Findings& problems, Findings& notes) : problems_(problems), notes_(notes) {}

  void add(const GpuDraft& gpu, const yaml::Place& place);
  void finish();

 private:
  // Two GPUs of one machine never share these. A serial number they may: that of the module that both sit on.
  class Unique {
   public:
    Unique(const char* name, const char* what);
    void add(std::size_t index, std::string value, const GpuDraft& gpu, const yaml::Place& place, Findings& problems);

   private:
    std::uint32_t leaf_;
    const char* what_;
    std::map<std::string, std::size_t> seen_;
  };

  Findings& problems_;
  Findings& notes_;
  Findings shared_;
  std::size_t gpus_ = 0;
  Unique uuids_{"identity.uuid", "UUID"};
  Unique minors_{"identity.minor_number", "minor number"};
  Unique addresses_{"pci.bus", "PCI address"};
};

// All problems and notes, for GPUs that are there at once.
Findings check(const NodeDraft& node, const std::vector<GpuDraft>& gpus, const std::vector<const yaml::Place*>& places);

}  // namespace nvmlab::compiler
