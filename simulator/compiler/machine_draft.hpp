// SPDX-License-Identifier: Apache-2.0
//
// A machine in the making: a node, and GPUs that are listed one after the other. Once all of them are listed, each gets
// what profiles leave open, and the checks look for values that do not fit together.
// Tests: tests/unit/compiler/compile_test.cpp, drafts_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/checks.hpp"
#include "compiler/derive.hpp"
#include "compiler/gpu_drafts.hpp"

namespace nvmlab::compiler {

class MachineDraft {
 public:
  NodeDraft& node() { return node_; }
  const GpuDrafts& gpus() const { return gpus_; }

  // A GPU without values, for a profile to be laid over it, and that profile's GPU as the start of others.
  GpuDraft& blank() { return gpus_.blank(); }
  const GpuDrafts::Start& keep_start() { return gpus_.keep_start(); }

  // A GPU that begins as `start`. list() adds it to the machine, `count` times; kMaxGpus is the limit.
  GpuDraft& begin(const GpuDrafts::Start& start);
  void list(std::uint32_t count, const yaml::Place& place);

  // Every GPU is listed and the node is complete.
  void settle(const std::string& name);
  // The GPU with what profiles leave open. Good until the next one is asked for.
  GpuDraft& finished(std::uint32_t index);
  // Completes the checks. Those of a GPU run when finished() first returns it, in the order of the list.
  void check();

  Findings& problems() { return problems_; }
  Findings& notes() { return notes_; }

 private:
  Findings problems_;
  Findings notes_;
  std::string name_;
  NodeDraft node_;
  GpuDrafts gpus_;
  GpuDraft* begun_ = nullptr;
  const GpuDrafts::Start* begun_as_ = nullptr;
  Addresses addresses_;
  Text<80> driver_{};  // of the profile, whatever the caller of the compiler asks for
  MachineChecks checks_{problems_, notes_};
  std::uint32_t checked_ = 0;  // GPUs
};

// The problem of a machine with more than kMaxGpus.
std::string too_many_gpus();

}  // namespace nvmlab::compiler
