// SPDX-License-Identifier: Apache-2.0
//
// Simulated nodes for unit tests of programs that use NVML: no GPU, no driver, no set-up, no other process.
//
//   nvml::testing::Node node{"dgx-h100"};
//   node.gpu(3).fault(nvmlab::FaultKind::xid, 79);
//   auto library = node.open();                     // an nvml::Library like any other
//   EXPECT_EQ(code_under_test(*library), "GPU 3 fell off the bus");
//
// Each Node is a machine of its own with a copy of the simulated driver of its own, so any number of them live side by
// side in a process, and beside the installed driver. What the code under test does through NVML, the Node sees, and
// the other way round; of the environment, NVMLAB_LOG alone counts. Time is virtual and stands until advance(), and
// what is left to chance follows a seed, so that a test gives the same each time.
//
// The driver that is copied is that of the build, NVMLAB_TESTING_DRIVER, which the CMake target defines.
// Tests: tests/testing/node_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "control/calls.hpp"
#include "control/machine.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "nvmlab/nvml/library.hpp"

namespace nvml::testing {

/// Whom a driver takes a program for: root, a user, or a user with a capability of MIG or both. `mig_config` may make
/// and destroy instances, `mig_monitor` may look at those of all; the mode takes an administrator.
enum class Role : std::uint8_t { of_process, administrator, user, mig_config, mig_monitor, mig_config_and_monitor };

struct NodeOptions {
  /// The number of GPUs, 0 to 4096: those of the profile again, in order. Absent: as many as it has.
  std::optional<unsigned> gpus = {};

  /// The driver, by branch ("470") or version ("535.161.08"): its version string, exported functions, struct layouts.
  /// Empty: the profile's, with every function that any driver has.
  std::string driver = {};

  /// The machine's clock. Without it, time stands at the beginning of 2026 until Node::advance().
  nvmlab::ClockBeginning clock = {.mode = nvmlab::ClockMode::virtual_time, .seeded = true, .seed = 1};

  /// For whom the program under test stands: whether setters are refused.
  Role role = Role::of_process;

  /// Whether Node::calls() can tell what NVML was asked.
  bool record_calls = false;

  /// The library that is copied. Those of single drivers lie in `drivers/BRANCH/` beside it.
#ifdef NVMLAB_TESTING_DRIVER
  std::string library = NVMLAB_TESTING_DRIVER;
#else
  std::string library = {};
#endif
};

/// A change that the machine refused, or a node that could not be made; what() says why, and what would be right.
class Refused : public std::runtime_error {
 public:
  explicit Refused(const std::string& why, nvml::Return code = nvml::Return::unknown)
      : std::runtime_error(why), code_(code) {}

  /// What NVML would answer; unknown where the refusal is not NVML's.
  [[nodiscard]] nvml::Return code() const noexcept { return code_; }

 private:
  nvml::Return code_;
};

class Node;

/// A GPU of a Node. A small value; the Node must outlive it. What is refused throws Refused, and then nothing changed.
class NodeGpu {
 public:
  [[nodiscard]] unsigned index() const noexcept { return index_; }

  /// Fields by the names, units and values of `nvmlab get` and `nvmlab set`, such as "thermal.gpu_c" or
  /// "power.limit_mw". What follows from them follows.
  [[nodiscard]] std::string get(const std::string& field) const;
  const NodeGpu& set(const std::string& field, const std::string& value) const;
  /// Sets also what follows from others, and holds it until release().
  const NodeGpu& pin(const std::string& field, const std::string& value) const;
  const NodeGpu& release(const std::string& field) const;

  /// A fault befalls it, `times` times: fault(FaultKind::xid, 79), fault(FaultKind::lost),
  /// fault(FaultKind::nvlink_down, 2). `number` is that of the Xid, link, fan, or place among nvmlab::kEccLocations.
  const NodeGpu& fault(nvmlab::FaultKind kind, std::uint32_t number = 0, std::uint32_t times = 1) const;
  /// Ends all of its faults, or one.
  const NodeGpu& heal() const;
  const NodeGpu& heal(nvmlab::FaultKind kind, std::uint32_t number = nvmlab::HealFault::kAnyNumber) const;

  /// Calls of an NVML function about this GPU answer `code` from now on, the next `times` of them or, with 0, all.
  const NodeGpu& fail_calls(const std::string& function, nvml::Return code, std::uint32_t times = 0) const;

  /// Something works on it from now on, as `nvmlab load` does: load(LoadKind::training), load(LoadKind::idle).
  const NodeGpu& load(nvmlab::LoadKind kind) const;
  const NodeGpu& load(const nvmlab::SetLoad& load) const;

  /// A process that computes on it appears and leaves.
  const NodeGpu& start_process(std::uint32_t pid, std::uint64_t used_bytes, const std::string& name) const;
  const NodeGpu& end_process(std::uint32_t pid) const;

  /// As `nvidia-smi --gpu-reset` does; taken out of the node, and back.
  const NodeGpu& reset() const { return apply(nvmlab::ResetGpu{}); }
  const NodeGpu& remove() const;
  const NodeGpu& put_back() const { return apply(nvmlab::ReturnGpu{}); }

  /// Whatever else there is: engine/change/change.hpp lists it.
  template <class Body>
  const NodeGpu& apply(const Body& body) const;

 private:
  friend class Node;
  NodeGpu(nvmlab::Machine& machine, unsigned index) noexcept : machine_(&machine), index_(index) {}

  nvmlab::Machine* machine_;
  unsigned index_;
};

/// A simulated node in this process. Threads: as nvmlab::Machine.
///
/// Errors throw Refused. At its end the machine is gone: libraries that were opened on it answer GPU_IS_LOST, and may
/// be closed at leisure.
class Node {
 public:
  /// `profile` is a shipped one (`nvmlab profiles` lists them) or the path of a YAML file.
  explicit Node(const std::string& profile = "dgx-h100", NodeOptions options = {});
  ~Node();
  Node(Node&&) noexcept;
  Node& operator=(Node&&) noexcept;

  /// NVML on this node, initialised. Each call gives a library of its own on the same node.
  [[nodiscard]] Result<Library> open() const;

  /// The file of the node's driver, for whatever opens NVML by a path; it lives as long as the Node.
  [[nodiscard]] const std::string& library_path() const noexcept;

  [[nodiscard]] unsigned gpu_count() const;
  [[nodiscard]] NodeGpu gpu(unsigned index);

  /// Time of the node goes on by so much.
  void advance(std::chrono::nanoseconds span);

  /// The driver is unloaded, or cannot be initialised: nvmlInit answers this until heal_driver().
  void fail_init(nvml::Return code);
  void heal_driver();

  /// Calls of an NVML function answer `code`, whatever they are about: the next `times` of them or, with 0, all.
  void fail_calls(const std::string& function, nvml::Return code, std::uint32_t times = 0);
  void heal_calls();

  /// The calls that came back, in that order, of a Node with NodeOptions::record_calls; how often one was made,
  /// as `nvmlab calls` writes it: called("nvmlDeviceGetTemperature(device=GPU 3) -> GPU_IS_LOST"). A name means its
  /// later versions too.
  [[nodiscard]] std::vector<nvmlab::control::Call> calls() const;
  [[nodiscard]] std::uint64_t called(const std::string& call) const;
  void forget_calls();

  /// All that there is beside: fields of the node, waiting, events, snapshots, the log of changes.
  [[nodiscard]] nvmlab::Machine& machine();

 private:
  struct Parts;
  std::string recorded() const;

  std::unique_ptr<Parts> parts_;
};

namespace detail {
void apply(nvmlab::Machine& machine, const nvmlab::Change& change);
}

template <class Body>
const NodeGpu& NodeGpu::apply(const Body& body) const {
  detail::apply(*machine_, nvmlab::make_change(index_, body));
  return *this;
}

}  // namespace nvml::testing
