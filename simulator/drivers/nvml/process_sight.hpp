// SPDX-License-Identifier: Apache-2.0
//
// Which processes of a GPU a caller sees, and under which pids: those of its own pid namespace and of those below, by
// the pids that they have for it. The kernel module translates so from 535.113.01 on; what the caller cannot see is
// left out. Before, a caller gets numbers of the host, which mean nothing in a container, and finds no names for them.
// Processes that only the machine knows are the same for everybody. Tests:
// tests/drivers/functions/pid_namespace_test.cpp; users: docs/guide/processes.md.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

class ProcessSight {
 public:
  // Looks up what lives in other namespaces, outside of the latch; nothing to do where no process is a real one.
  explicit ProcessSight(const GpuSlot& slot) {
    const Store* const store = current_store();
    if (store != nullptr && __atomic_load_n(&store->header.followed, __ATOMIC_RELAXED) != 0) [[unlikely]]
      look_up(*store, slot);
  }

  // Of a process under the latch.
  bool hides(const Processes::Process& each) const {
    if (count_ == 0) [[likely]]
      return false;
    const Foreign* const found = find(each);
    return found != nullptr && found->shown == 0 && leaves_out_;
  }
  bool renames(const Processes::Process& each, std::uint32_t* pid) const {
    if (count_ == 0) [[likely]]
      return false;
    const Foreign* const found = find(each);
    if (found == nullptr || found->shown == 0) return false;
    *pid = found->shown;
    return true;
  }
  bool names(const Processes::Process& each) const {
    const Foreign* const found = find(each);
    return found == nullptr || found->shown != 0;
  }

 private:
  struct Foreign {
    std::uint64_t pid_namespace;
    std::uint32_t pid;
    std::uint32_t shown;  // 0: it is not seen
  };
  const Foreign* find(const Processes::Process& each) const;
  void look_up(const Store& store, const GpuSlot& slot);

  std::uint32_t count_ = 0;
  bool leaves_out_ = true;  // what is not seen
  Foreign foreign_[decltype(Processes::running)::capacity];
};

}  // namespace nvmlab::driver
