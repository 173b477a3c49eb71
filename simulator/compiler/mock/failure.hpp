// SPDX-License-Identifier: Apache-2.0
//
// The block `failure` of a Go mock configuration: what a machine that is made of it does to its GPUs when it comes up.
// That mock counts some getters of a device in each process and fails from one of them on; here each call about the GPU
// counts, of all processes, and one of them brings the fault upon the GPU. Tests:
// tests/unit/compiler/mock_failure_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::compiler {

struct MockFailure {
  std::string mode;
  std::uint32_t after_calls = 0;  // the call that is the first to fail; 0: all do
  double probability = 0;         // that a call is
  std::uint32_t seed = 0;
  std::uint32_t xid = 0;  // that is told of then; 0: none but those of the fault
  bool operator==(const MockFailure&) const = default;
};

// Lays a block over what an earlier one said.
void read_mock_failure(const yaml::Node& block, MockFailure& failure, Problems& problems, Problems& notes,
                       std::set<std::string>& unheeded);

// None of a GPU that is to be healthy.
std::vector<Change> changes_of(const MockFailure& failure, std::uint32_t gpu);

// What ends it, whether or not it has come.
std::vector<Change> healing_of(const MockFailure& failure, std::uint32_t gpu);

}  // namespace nvmlab::compiler
