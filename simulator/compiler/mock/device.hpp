// SPDX-License-Identifier: Apache-2.0
//
// One device block of a Go mock configuration, laid over a GPU. Internal to mock_config. Tests: mock_config_test.cpp.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "compiler/layers.hpp"
#include "compiler/mock/behaviour.hpp"

namespace nvmlab::compiler {

class MockDevice {
 public:
  MockDevice(GpuDraft& gpu, Problems& problems, Problems& notes, std::set<std::string>& unheeded)
      : gpu_(gpu), problems_(problems), notes_(notes), unheeded_(unheeded) {}

  void apply(const yaml::Node& block) { walk(block, ""); }
  // A block of a file of overrides: what that mock does not reload stays, and a key that nobody knows is a problem.
  void override_with(const yaml::Node& block, Problems& notes);
  // Works out what that mock works out from its configuration.
  void finish();
  const MockBehaviour& behaviour() const { return behaviour_; }

 private:
  void walk(const yaml::Node& node, const std::string& key);
  bool special(const yaml::Node& node, const std::string& key);
  void set(const yaml::Node& node, const std::string& field);
  void bus_id(const yaml::Node& node);
  void fans(const yaml::Node& node);
  void throttle(const yaml::Node& node, const std::string& reason);
  void ecc_errors(const yaml::Node& node);
  void fabric_health(const yaml::Node& node);
  template <class Sessions>
  void sessions(const yaml::Node& node, const std::string& key, const char* field, Sessions& list);
  void processes(const yaml::Node& node);
  void performance_monitor(const yaml::Node& node);
  void supported_clocks(const yaml::Node& node);
  void topology_level(const yaml::Node& node);
  void fabric_summary();
  void temperature_limits();
  void readings_that_change();
  void monitored_shares();
  void monitored_traffic();

  bool is_mapping(const yaml::Node& node, const std::string& key);
  void problem(const yaml::Node& node, std::string message) { problems_.push_back(node.error(std::move(message))); }
  void note(const yaml::Node& node, std::string message) { notes_.push_back(node.error(std::move(message))); }

  GpuDraft& gpu_;
  Problems& problems_;
  Problems& notes_;
  std::set<std::string>& unheeded_;
  bool overriding_ = false;
  MockBehaviour behaviour_;
  std::optional<std::uint32_t> full_tx_mib_;  // of the PCIe link at 100 %, a second
  std::optional<std::uint32_t> full_rx_mib_;
};

}  // namespace nvmlab::compiler
