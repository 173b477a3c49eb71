// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "base/nearest.hpp"
#include "compiler/mock/scalars.hpp"
#include "engine/store/hash.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMostTries = 1'000'000;
constexpr char kAnyCall[] = "nvmlDevice*";
constexpr const char* kModes[] = {"healthy", "lost", "fallen_off_bus", "ecc_uncorrectable"};

// Once the fault has come it stays, so chance decides which call is the first.
std::uint32_t first_by_chance(double probability, std::uint32_t seed) {
  constexpr std::uint64_t kWhole = 1'000'000;
  const auto limit = static_cast<std::uint64_t>(probability * kWhole);
  for (std::uint32_t call = 1; probability > 0 && call < kMostTries; ++call) {
    if (mix(seed ^ mix(call)) % kWhole < limit) return call;
  }
  return kNever;
}

std::optional<FaultKind> kind_of(const MockFailure& failure) {
  if (failure.mode == "lost" || failure.mode == "fallen_off_bus") return FaultKind::lost;
  if (failure.mode == "ecc_uncorrectable") return FaultKind::ecc_uncorrected;
  return std::nullopt;
}

bool at_once(const MockFailure& failure) { return failure.after_calls == 0 && failure.probability <= 0; }

void read_xid(const yaml::Node& block, MockFailure& failure, Problems& problems, Problems& notes,
              std::set<std::string>& unheeded) {
  failure.xid = 0;
  if (block.is_null()) return;
  if (!block.is_mapping()) {
    problems.push_back(block.error(fmt::format("{} was found; 'failure.xid' takes a mapping", block.describe())));
    return;
  }
  for (const auto& [key, value] : block.entries) {
    if (key.scalar == "code") {
      failure.xid = mock_number(value, "failure.xid.code", kNever, 0, problems);
    } else {
      notes.push_back(key.error(fmt::format("'failure.xid.{}' is unknown to nvmlab and left out", key.scalar)));
      unheeded.insert("failure.xid." + key.scalar);
    }
  }
}

}  // namespace

void read_mock_failure(const yaml::Node& block, MockFailure& failure, Problems& problems, Problems& notes,
                       std::set<std::string>& unheeded) {
  if (!block.is_mapping()) {
    if (!block.is_null())
      problems.push_back(block.error(fmt::format("{} was found; 'failure' takes a mapping", block.describe())));
    failure = {};
    return;
  }
  const auto leave_out = [&](const yaml::Node& key, const std::string& why) {
    notes.push_back(key.error(fmt::format("'failure.{}' {}", key.scalar, why)));
    unheeded.insert("failure." + key.scalar);
  };
  for (const auto& [key, value] : block.entries) {
    if (key.scalar == "mode") {
      failure.mode = mock_word(value.scalar);
      if (std::ranges::find(kModes, failure.mode) == std::end(kModes)) leave_out(key, "has no such mode");
    } else if (key.scalar == "after_calls") {
      failure.after_calls = mock_number(value, "failure.after_calls", kNever - 1, 0, problems);
    } else if (key.scalar == "seed") {
      failure.seed = mock_number(value, "failure.seed", kNever, 0, problems);
    } else if (key.scalar == "probability") {
      failure.probability = mock_real(value, "failure.probability", 1, problems);
    } else if (key.scalar == "xid") {
      read_xid(value, failure, problems, notes, unheeded);
    } else {
      leave_out(key, "is not simulated");
    }
  }
}

std::vector<Change> changes_of(const MockFailure& failure, std::uint32_t gpu) {
  const auto kind = kind_of(failure);
  if (!kind) return {};
  if (at_once(failure)) {
    std::vector<Change> changes;
    const RaiseEvent xid{kXidEvent, failure.xid, kNoInstance, kNoInstance, false};
    if (failure.xid != 0 && !tells_of(*find_fault(*kind), failure.xid)) changes.push_back(make_change(gpu, xid));
    changes.push_back(make_change(gpu, InjectFault{*kind, 0, kNoInstance, kNoInstance, 1}));
    return changes;
  }
  const std::uint32_t counted = failure.after_calls == 0 ? kNever : failure.after_calls;
  const std::uint32_t first = std::min(counted, first_by_chance(failure.probability, failure.seed));
  FailFunction fail{};
  fail.fault.gpu = gpu;
  fail.fault.code = *kind == FaultKind::lost ? kGpuIsLost : kSuccess;
  fail.fault.every = 1;
  fail.fault.times = 1;
  fail.fault.chance = kCertain;
  fail.fault.shared = 1;
  fail.fault.skip = first - 1;
  fail.fault.befalls = static_cast<std::uint32_t>(*kind) + 1;
  fail.fault.xid = failure.xid;
  std::copy(std::begin(kAnyCall), std::end(kAnyCall), fail.fault.function);
  return {make_change(MachinePart::functions, fail)};
}

std::vector<Change> healing_of(const MockFailure& failure, std::uint32_t gpu) {
  const auto kind = kind_of(failure);
  if (!kind) return {};
  std::vector<Change> changes;
  if (!at_once(failure)) {
    HealFunctions heal{gpu, 0, {}};
    std::copy(std::begin(kAnyCall), std::end(kAnyCall), heal.function);
    changes.push_back(make_change(MachinePart::functions, heal));
  }
  changes.push_back(make_change(gpu, HealFault{false, *kind, HealFault::kAnyNumber}));
  return changes;
}

}  // namespace nvmlab::compiler
