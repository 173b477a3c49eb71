// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/nearest.hpp"
#include "compiler/mock/scalars.hpp"
#include "engine/machine/hash.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMostTries = 1'000'000;
constexpr const char* kModes[] = {"healthy", "lost", "fallen_off_bus", "ecc_uncorrectable"};

double read_probability(const yaml::Node& node, Problems& problems) {
  double value = 0;
  const char* const end = node.scalar.data() + node.scalar.size();
  const auto [at, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.is_scalar() && error == std::errc{} && at == end && value >= 0 && value <= 1) return value;
  problems.push_back(node.error(fmt::format("failure.probability: {}; a number from 0 to 1 was expected",
                                            node.is_scalar() ? in_quotes(node.scalar) : node.describe())));
  return 0;
}

// Once a call has failed, all do, so chance decides which is the first.
std::uint32_t first_by_chance(double probability, std::uint32_t seed) {
  constexpr std::uint64_t kWhole = 1'000'000;
  const auto limit = static_cast<std::uint64_t>(probability * kWhole);
  for (std::uint32_t call = 1; probability > 0 && call < kMostTries; ++call) {
    if (mix(seed ^ mix(call)) % kWhole < limit) return call;
  }
  return kNever;
}

}  // namespace

void read_mock_failure(const yaml::Node& block, MockFailure& failure, Problems& problems, Problems& notes,
                       std::set<std::string>& unheeded) {
  if (!block.is_mapping()) {
    if (!block.is_null())
      problems.push_back(block.error(fmt::format("{} was found; 'failure' takes a mapping", block.describe())));
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
      failure.probability = read_probability(value, problems);
    } else {
      leave_out(key, "is not simulated");
    }
  }
}

std::vector<Change> changes_of(const MockFailure& failure, std::uint32_t gpu) {
  const bool lost = failure.mode == "lost" || failure.mode == "fallen_off_bus";
  const bool at_once = failure.after_calls == 0 && failure.probability <= 0;
  if (failure.mode == "ecc_uncorrectable")
    return {gpu_change(gpu, InjectFault{FaultKind::ecc_uncorrected, kDramLocation, kNoInstance, kNoInstance, 1})};
  if (!lost) return {};
  if (at_once) return {gpu_change(gpu, InjectFault{FaultKind::lost, 0, kNoInstance, kNoInstance, 1})};
  const std::uint32_t counted = failure.after_calls == 0 ? kNever : failure.after_calls;
  const std::uint32_t first = std::min(counted, first_by_chance(failure.probability, failure.seed));
  FailFunction fail{};
  fail.fault.gpu = gpu;
  fail.fault.code = kGpuIsLost;
  fail.fault.every = 1;
  fail.fault.chance = kCertain;
  fail.fault.skip = first - 1;
  std::strcpy(fail.fault.function, "nvmlDevice*");
  return {function_change(fail)};
}

}  // namespace nvmlab::compiler
