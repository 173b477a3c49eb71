// SPDX-License-Identifier: Apache-2.0
#include "conformance/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace nvmlab::conformance {
namespace {

constexpr unsigned kLinks = 18;

class Laws {
 public:
  Laws(const Library& library, const std::vector<Word>& gpus) : library_(library), gpus_(gpus) {}

  Verdict verdict() {
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      memory(gpu);
      power(gpu);
      clocks(gpu);
    }
    links();
    return std::move(verdict_);
  }

 private:
  template <class... Arguments>
  void law(bool holds, fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
    ++verdict_.tried;
    if (!holds) verdict_.broken.push_back(fmt::format(sentence, std::forward<Arguments>(arguments)...));
  }

  template <class... Arguments>
  std::optional<unsigned> number(const char* getter, std::size_t gpu, Arguments... arguments) const {
    unsigned value = 0;
    if (library_.call(getter, gpus_[gpu], arguments..., &value) != kSuccess) return std::nullopt;
    return value;
  }

  void memory(std::size_t gpu) {
    struct {
      unsigned version = 0x02000028;
      unsigned long long total = 0, reserved = 0, free = 0, used = 0;
    } memory;
    static_assert(sizeof memory == 0x28);
    if (library_.call("nvmlDeviceGetMemoryInfo_v2", gpus_[gpu], &memory) != kSuccess) return;
    law(memory.used + memory.free + memory.reserved == memory.total,
        "gpu{}: used {} + free {} + reserved {} is not the total {}", gpu, memory.used, memory.free, memory.reserved,
        memory.total);
  }

  void power(std::size_t gpu) {
    unsigned low = 0;
    unsigned high = 0;
    if (library_.call("nvmlDeviceGetPowerManagementLimitConstraints", gpus_[gpu], &low, &high) != kSuccess) return;
    law(low <= high, "gpu{}: the lowest power limit {} is above the highest {}", gpu, low, high);
    for (const char* getter : {"nvmlDeviceGetPowerManagementLimit", "nvmlDeviceGetPowerManagementDefaultLimit",
                               "nvmlDeviceGetEnforcedPowerLimit"}) {
      if (const auto limit = number(getter, gpu))
        law(*limit >= low && *limit <= high, "gpu{}: {} says {}, not within {} to {}", gpu, getter, *limit, low, high);
    }
  }

  std::vector<unsigned> supported(const char* getter, std::size_t gpu, std::optional<unsigned> memory_clock) const {
    std::vector<unsigned> clocks(512);
    auto count = static_cast<unsigned>(clocks.size());
    const int code = memory_clock ? library_.call(getter, gpus_[gpu], *memory_clock, &count, clocks.data())
                                  : library_.call(getter, gpus_[gpu], &count, clocks.data());
    clocks.resize(code == kSuccess ? std::min<std::size_t>(count, clocks.size()) : 0);
    return clocks;
  }

  void clocks(std::size_t gpu) {
    constexpr unsigned graphics = 0;
    constexpr unsigned memory = 2;
    const auto memory_clocks = supported("nvmlDeviceGetSupportedMemoryClocks", gpu, std::nullopt);
    const auto memory_clock = number("nvmlDeviceGetClockInfo", gpu, memory);
    if (memory_clocks.empty() || !memory_clock) return;
    // A T4 runs at 5000 MHz where 5001 is what can be asked for: rounding is not off the grid.
    const auto on_grid = [](const std::vector<unsigned>& grid, unsigned clock) {
      return std::ranges::any_of(grid, [clock](unsigned step) { return clock + 1 >= step && clock <= step + 1; });
    };
    law(on_grid(memory_clocks, *memory_clock), "gpu{}: the memory clock {} is not a supported one", gpu, *memory_clock);
    const auto asked =
        std::ranges::find_if(memory_clocks, [&](unsigned step) { return on_grid({step}, *memory_clock); });
    if (asked == memory_clocks.end()) return;
    const auto grid = supported("nvmlDeviceGetSupportedGraphicsClocks", gpu, *asked);
    const auto clock = number("nvmlDeviceGetClockInfo", gpu, graphics);
    if (grid.empty() || !clock) return;
    // An idle board may run below the lowest step that can be asked for.
    const bool idle = *clock < *std::ranges::min_element(grid);
    law(idle || on_grid(grid, *clock), "gpu{}: the graphics clock {} is not a supported one at memory clock {}", gpu,
        *clock, *memory_clock);
    if (const auto most = number("nvmlDeviceGetMaxClockInfo", gpu, graphics))
      law(*clock <= *most, "gpu{}: the graphics clock {} is above the highest {}", gpu, *clock, *most);
  }

  // "domain:bus:device" as all of NVML's functions write it, or nothing.
  std::optional<std::string> place(const char* getter, std::size_t gpu, std::optional<unsigned> link) const {
    std::array<char, 128> info{};  // nvmlPciInfo_t begins with a text of 16, then domain, bus and device
    const int code =
        link ? library_.call(getter, gpus_[gpu], *link, info.data()) : library_.call(getter, gpus_[gpu], info.data());
    if (code != kSuccess) return std::nullopt;
    std::array<unsigned, 3> parts{};
    std::memcpy(parts.data(), info.data() + 16, sizeof parts);
    return fmt::format("{:x}:{:x}:{:x}", parts[0], parts[1], parts[2]);
  }

  void links() {
    std::map<std::string, std::size_t> by_place;
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      if (const auto where = place("nvmlDeviceGetPciInfo_v3", gpu, std::nullopt)) by_place[*where] = gpu;
    }
    std::map<std::pair<std::size_t, std::size_t>, unsigned> between;
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      for (unsigned link = 0; link < kLinks; ++link) {
        if (number("nvmlDeviceGetNvLinkState", gpu, link).value_or(0) == 0) continue;
        const auto remote = place("nvmlDeviceGetNvLinkRemotePciInfo_v2", gpu, link);
        const auto peer = remote ? by_place.find(*remote) : by_place.end();
        if (peer != by_place.end()) ++between[{gpu, peer->second}];
      }
    }
    for (const auto& [pair, count] : between) {
      const auto back = between.find({pair.second, pair.first});
      const unsigned returned = back == between.end() ? 0 : back->second;
      law(count == returned, "gpu{} has {} links to gpu{}, which has {} back", pair.first, count, pair.second,
          returned);
    }
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      const std::size_t peer = (gpu + 1) % gpus_.size();
      const auto there = number("nvmlDeviceGetP2PStatus", gpu, gpus_[peer], 2);
      const auto back = number("nvmlDeviceGetP2PStatus", peer, gpus_[gpu], 2);
      if (there && back)
        law(*there == *back, "gpu{} and gpu{} do not agree on NVLink between them: {} and {}", gpu, peer, *there,
            *back);
    }
  }

  const Library& library_;
  const std::vector<Word>& gpus_;
  Verdict verdict_;
};

}  // namespace

Verdict hold_to_laws(const Library& library, const std::vector<Word>& gpus) { return Laws(library, gpus).verdict(); }

Verdict compare(const std::vector<Call>& before, const std::vector<Call>& after) {
  Verdict verdict;
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    const Call& first = before[i];
    const Call& second = after[i];
    if (first.moves == Moves::unknown) continue;
    ++verdict.tried;
    if (first.moves == Moves::never && (first.code != second.code || first.values != second.values)) {
      verdict.broken.push_back(first.key + " is fixed, but moved");
    } else if (first.moves == Moves::upwards && first.code == kSuccess && second.code == kSuccess) {
      const auto old = first.values.flatten();
      const auto now = second.values.flatten();
      for (const auto& [name, value] : old.items()) {
        const auto later = now.find(name);
        if (!value.is_number() || later == now.end() || !later->is_number()) continue;
        if (later->get<double>() < value.get<double>())
          verdict.broken.push_back(
              fmt::format("{} counts, but fell from {} to {}", first.key, value.dump(), later->dump()));
      }
    }
  }
  return verdict;
}

}  // namespace nvmlab::conformance
