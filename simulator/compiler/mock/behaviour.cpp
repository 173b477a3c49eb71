// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/behaviour.hpp"

#include <cstring>

namespace nvmlab::compiler {
namespace {

bool same(const SetMetricCurves& one, const SetMetricCurves& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

}  // namespace

std::vector<Change> changes_of(const MockBehaviour& behaviour, std::uint32_t gpu) {
  std::vector<Change> changes;
  if (behaviour.curves.which != 0) changes.push_back(make_change(gpu, behaviour.curves));
  const std::vector<Change> fails = changes_of(behaviour.failure, gpu);
  changes.insert(changes.end(), fails.begin(), fails.end());
  return changes;
}

MockTransition transition(const MockBehaviour& before, const MockBehaviour& after, std::uint32_t gpu) {
  MockTransition changes;
  if (before.failure != after.failure) {
    changes.ends = healing_of(before.failure, gpu);
    changes.begins = changes_of(after.failure, gpu);
  }
  if (!same(before.curves, after.curves)) changes.begins.insert(changes.begins.begin(), make_change(gpu, after.curves));
  return changes;
}

}  // namespace nvmlab::compiler
