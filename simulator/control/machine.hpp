// SPDX-License-Identifier: Apache-2.0
//
// A machine that is up, for programs in C++: what the nvmlab command does, and what the command itself is made of.
//
//   auto machine = nvmlab::Machine::create("node", {.profile = "dgx-h100"});
//   machine->set("thermal.gpu_c", "91", 3);
//   machine->advance(std::chrono::hours(1));
//
// Every process of the user that names the machine (NVMLAB_MACHINE) sees what is done to it.
//
// All members may be called from any thread at once, on one Machine or on several of the same machine; only the
// destructor, a move, and the readers that events() and log() give are one thread's. Changes take the lock of the
// machine's file and wait for another writer for two seconds at most; nothing else waits for anybody.
//
// Errors are sentences that say what to do. Nothing throws but for want of memory, prints, or ends the process.
// Tests: tests/unit/control/machine_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "control/assignments.hpp"
#include "control/differences.hpp"
#include "control/events.hpp"
#include "control/log.hpp"
#include "control/snapshot.hpp"
#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"

namespace nvmlab {

/// How a machine comes up.
struct MachineOptions {
  std::string profile = "dgx-a100";       ///< a shipped one, or the path of a YAML file
  compiler::CompileOptions compile = {};  ///< another number of GPUs (0 to 4096), another driver ("535", "535.161.08")
  Sharing sharing = {};                   ///< the owner alone, where nothing is said
  ClockBeginning clock = {};              ///< real, and seeded by chance
};

/// Of several changes none was made, because of this one.
struct Refusal {
  Code code = kSuccess;    ///< NVML's return code; kTimeout where another process has had the lock for too long
  std::size_t change = 0;  ///< which of them
  std::string text;        ///< in words, with what to do
};

/// A machine that is up. The head of this file says what threads may do, and what errors are.
class Machine {
 public:
  /// Brings up a machine. `name` is 1 to 63 letters, digits, '-', '_' or '.', or the path of its file. Refuses a
  /// profile that is wrong (all complaints at once), a name that is taken and a file that cannot be made. It stays up
  /// until take_down(), `nvmlab down` or the next boot.
  static std::expected<Machine, Complaints> create(const std::string& name, const MachineOptions& options = {});
  /// The same of what is compiled already; `options.profile` and `.compile` do not count.
  static std::expected<Machine, std::string> create(const std::string& name, const compiler::Machine& compiled,
                                                    const MachineOptions& options = {});

  /// A machine that is up. Where the user may only read it, what changes it is refused.
  static std::expected<Machine, std::string> open(const std::string& name);

  ~Machine() { detach_store(&attached_); }
  /// The same machine; the other may only be destroyed then.
  Machine(Machine&& other) noexcept;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine& operator=(Machine&&) = delete;

  const std::string& name() const { return name_; }                     ///< as it was brought up
  std::string path() const { return attached_.file.path; }              ///< of its file
  std::uint32_t gpu_count() const { return attached_.file.gpu_count; }  ///< those that were removed too
  bool is_up() const { return !taken_down(*attached_.store); }          ///< false: somebody has taken it down
  bool has_gpu(std::uint32_t gpu) const;          ///< false: it was removed, or its driver is not loaded
  std::uint64_t handle(std::uint32_t gpu) const;  ///< as nvmlDeviceGetHandleByIndex returns it

  /// Programs that run on it find a driver that is gone. Refused where somebody else has taken it down before, because
  /// another machine may have its name by now. This Machine can still be read.
  std::expected<void, std::string> take_down();

  /// Changes (engine/change/change.hpp), all of them or none; those of one GPU become visible at once. Whatever
  /// follows from them follows. An administrator asks, whoever runs the program.
  std::expected<void, Refusal> apply(const Change& change) { return apply(std::span(&change, 1)); }
  std::expected<void, Refusal> apply(std::span<const Change> changes);  ///< several

  /// Fields by the names and with the values that `nvmlab get` and `set` know, such as "power.limit_mw". `gpu` counts
  /// from 0 and does not matter for fields of the machine as a whole. Units are those in the names. Refuses names that
  /// there are none of, values out of range, and GPUs that are not there.
  std::expected<std::string, std::string> get(const std::string& field, std::uint32_t gpu = 0) const;
  /// Sets a field, and what follows from it.
  std::expected<void, std::string> set(const std::string& field, const std::string& value, std::uint32_t gpu = 0,
                                       control::Force force = control::Force::no);
  /// Lets go of a field that was set with Force::yes.
  std::expected<void, std::string> release(const std::string& field, std::uint32_t gpu = 0);

  /// Sets several fields of the machine and of these GPUs, all of them or none. Returns everything that is wrong.
  Complaints set(const std::vector<control::Assignment>& assignments, const std::vector<std::uint32_t>& gpus,
                 control::Force force = control::Force::no);
  /// Releases these fields of the machine and of these GPUs; without `fields`, all that are pinned there.
  Complaints release(const std::vector<compiler::FieldRef>& fields, const std::vector<std::uint32_t>& gpus);

  /// The clock (docs/guide/clock.md): which, and what it shows, in nanoseconds since 1970.
  ClockReading clock() const { return read_clock(attached_.store->clock); }
  /// `rate` counts for a scaled clock alone, in millionths: 60'000'000 is a minute in a second; 1 to 10^12.
  std::expected<void, Refusal> set_clock(ClockMode mode, std::uint64_t rate = kRealRate);
  std::expected<void, Refusal> resume_clock();  ///< kInvalidState where it is not frozen
  /// kInvalidState of a frozen clock, kInvalidArgument of a span below 0 or beyond the year 2262.
  std::expected<void, Refusal> advance(std::chrono::nanoseconds span);

  /// Whoever waits for such an event gets it. kNotSupported where the board reports none.
  std::expected<void, Refusal> raise(std::uint32_t gpu, const RaiseEvent& event);
  /// kInUse: it runs there already; kMemory: so much is not free. kNotFound: it does not run there.
  std::expected<void, Refusal> start_process(std::uint32_t gpu, const StartProcess& process);
  /// Ends a process.
  std::expected<void, Refusal> end_process(std::uint32_t gpu, std::uint32_t pid);

  /// From now on. The Machine must outlive it.
  control::EventReader events() { return control::EventReader(*attached_.store, attached_.file.writable); }

  /// A number that differs after each change of the machine, whoever makes it.
  std::uint32_t changes() const;
  /// Sleeps until changes() differs from `seen`, or for `timeout` of host time.
  void wait_for_change(std::uint32_t seen, std::chrono::nanoseconds timeout) const;
  /// Sleeps until `holds` does, which is asked at the beginning and after each change of the machine, whoever makes it.
  /// False where it did not in time, or the machine was taken down first. Time is the host's.
  bool wait_until(const std::function<bool()>& holds, std::chrono::nanoseconds timeout) const;

  /// All of the state at one moment; back to it; what has changed since (docs/guide/snapshots.md).
  std::expected<control::Snapshot, std::string> snapshot() const;
  /// Back to it; refused where the machine has another number of GPUs.
  std::expected<void, std::string> restore(const control::Snapshot& snapshot);
  /// What has changed since.
  std::expected<std::vector<control::Difference>, std::string> diff(const control::Snapshot& before) const;

  /// Who changed what, from the oldest entry that is still there; only entries for which `wanted` returns true, if it
  /// is given. The Machine must outlive it.
  control::LogReader log(control::LogReader::Wanted wanted = nullptr) const {
    return control::LogReader(attached_.store->log, std::move(wanted));
  }

  /// For the functions of control/ and for tests: the rules of engine/store/store.hpp hold. Programs, the nvmlab
  /// command among them, use everything else.
  Store& store() { return *attached_.store; }
  const Store& store() const { return *attached_.store; }   ///< the same, to read
  StoreFile& file() { return attached_.file; }              ///< the file of the store
  const StoreFile& file() const { return attached_.file; }  ///< the same, to read

 private:
  Machine(std::string name, const AttachedStore& attached) : name_(std::move(name)), attached_(attached) {}

  std::string name_;
  AttachedStore attached_;
};

}  // namespace nvmlab
