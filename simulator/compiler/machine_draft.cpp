// SPDX-License-Identifier: Apache-2.0
#include "compiler/machine_draft.hpp"

#include <fmt/format.h>

#include "compiler/deprecations.hpp"
#include "engine/store/image.hpp"

namespace nvmlab::compiler {

GpuDraft& MachineDraft::begin(const GpuDrafts::Start& start) {
  begun_as_ = &start;
  begun_ = &gpus_.begin(start);
  return *begun_;
}

void MachineDraft::list(std::uint32_t count, const yaml::Place& place) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Marks marks = begun_->marks;
    mark_identity_derived(begun_as_->marks(), gpus_.size() + i, i, marks);
    addresses_.list(begun_->state->pci, marks);
  }
  gpus_.keep(count, place);
}

void MachineDraft::settle(const std::string& name) {
  name_ = name;
  driver_ = node_.state->system.driver_version;
  check_driver(node_, gpus_.size() == 0 ? nullptr : &gpus_.place(0), problems_, notes_);
  addresses_.settle();
}

GpuDraft& MachineDraft::finished(std::uint32_t index) {
  GpuDraft& gpu = gpus_.load(index);
  mark_identity_derived(gpus_.start(index).marks(), index, gpus_.repetition(index), gpu.marks);
  derive_identity(name_, index, gpu);
  addresses_.derive(index, gpu);
  keep_unexplained_deprecations(driver_, gpu);
  if (index == checked_) {
    checks_.add(gpu, gpus_.place(index));
    ++checked_;
  }
  return gpu;
}

void MachineDraft::check() {
  while (checked_ < gpus_.size())
    finished(checked_);
  checks_.finish();
}

std::string too_many_gpus() { return fmt::format("more than {} GPUs in one machine", kMaxGpus); }

}  // namespace nvmlab::compiler
