// SPDX-License-Identifier: Apache-2.0
// Keeps all GPUs of a node within one power budget: who works gets more of it. tests/testing/power_cap_test.cpp is its
// unit test, on simulated nodes.
#pragma once

#include <algorithm>
#include <nvmlab/nvml.hpp>
#include <string>
#include <vector>

class PowerCap {
 public:
  PowerCap(const nvml::Library& library, nvml::Milliwatts budget) : devices_(library.devices()), budget_(budget) {}

  // One round: the limit of each GPU becomes what it may have now. The sentences say what went wrong; the GPUs that
  // they are about keep the limit that they have, and the others share what is left.
  std::vector<std::string> share_out() {
    std::vector<std::string> problems;
    std::vector<Share> shares;
    for (const nvml::Device& device : devices_) {
      if (auto share = look_at(device)) {
        shares.push_back(*share);
      } else {
        problems.push_back(share.error().message());
      }
    }
    divide(shares);
    for (const Share& share : shares) {
      if (const auto set = share.device.set_power_management_limit(share.limit); !set)
        problems.push_back(set.error().message());
    }
    return problems;
  }

  // Everybody has the board's own limit again.
  void restore() const {
    for (const nvml::Device& device : devices_) {
      if (const auto limit = device.default_power_management_limit()) (void)device.set_power_management_limit(*limit);
    }
  }

 private:
  struct Share {
    nvml::Device device;
    nvml::Milliwatts least;
    nvml::Milliwatts most;
    nvml::Milliwatts draws;
    nvml::Milliwatts limit;
  };

  static nvml::Result<Share> look_at(const nvml::Device& device) {
    const auto range = device.power_management_limit_constraints();
    if (!range) return nvml::unexpected(range.error());
    const auto draws = device.power_usage();
    if (!draws) return nvml::unexpected(draws.error());
    return Share{device, range->min, range->max, *draws, range->min};
  }

  // Everybody has at least what the board needs; the rest goes to those who draw most, as far as they may have it.
  void divide(std::vector<Share>& shares) const {
    std::uint64_t left = budget_.count();
    for (const Share& share : shares)
      left -= std::min<std::uint64_t>(left, share.least.count());
    std::ranges::stable_sort(shares, std::greater{}, &Share::draws);
    std::uint64_t draw = 0;
    for (const Share& share : shares)
      draw += share.draws.count();
    for (Share& share : shares) {
      const std::uint64_t wanted = draw == 0 ? 0 : left * share.draws.count() / draw;
      const std::uint64_t room = share.most.count() - share.least.count();
      const std::uint64_t more = std::min(wanted, room);
      share.limit = nvml::Milliwatts{static_cast<unsigned>(share.least.count() + more)};
      left -= more;
      draw -= share.draws.count();
    }
  }

  std::vector<nvml::Device> devices_;
  nvml::Milliwatts budget_;
};
