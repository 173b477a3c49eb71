// SPDX-License-Identifier: Apache-2.0
//
// A scenario: what happens to a machine, when, and what is expected of it then. docs/guide/scenarios.md describes the
// file for people, docs/schema/scenario.json for editors. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/yaml/tree.hpp"
#include "command/machine/clocks.hpp"
#include "command/machine/events.hpp"
#include "compiler/compile.hpp"
#include "compiler/numbers.hpp"
#include "compiler/paths.hpp"

namespace nvmlab::tool {

// A command line of nvmlab, without "nvmlab".
struct ScenarioCommand {
  yaml::Place place;
  std::string text;
  std::vector<std::string> words;
};

// That a command is refused: with this exit code, saying this.
struct ExpectedRefusal {
  yaml::Place place;
  std::optional<std::uint64_t> code;
  std::string says;
};

enum class Relation : unsigned char { is, is_not, at_least, at_most, changed_by, has, lacks };

// Of a field of each of some GPUs, or of the node.
struct FieldExpectation {
  yaml::Place place;
  std::string gpus = "all";
  compiler::FieldRef ref;
  Relation relation = Relation::is;
  yaml::Node wanted;       // as it was written
  compiler::Number bound;  // of at_least, at_most and changed_by
  std::uint64_t bits = 0;  // of has and lacks
};

// Of what was raised since the step began.
struct EventExpectation {
  yaml::Place place;
  std::optional<std::string> gpus;  // any without it
  const EventName* event = nullptr;
  std::optional<std::uint64_t> xid;
  std::optional<std::uint64_t> times;  // at least once without it
  std::optional<std::uint64_t> gpu_instance;
  std::optional<std::uint64_t> compute_instance;
};

// Of a function of NVML, which a program calls now.
struct AnswerExpectation {
  yaml::Place place;
  std::string gpus = "all";  // of functions about one
  std::string function;
  std::string answer;  // "GPU_IS_LOST"
};

using Expectation = std::variant<FieldExpectation, EventExpectation, AnswerExpectation>;

struct ScenarioStep {
  yaml::Place place;
  std::optional<std::uint64_t> at_ns;  // since the beginning
  std::uint64_t after_ns = 0;          // since the end of the step before; without at_ns
  std::uint64_t within_ns = 0;         // how long expectations have to come true
  std::string about;
  std::vector<ScenarioCommand> commands;
  std::optional<ExpectedRefusal> refusal;  // of the one command
  std::optional<std::string> show;         // what a client that is run here shows
  std::vector<Expectation> expectations;
};

struct ScenarioMachine {
  yaml::Place place;
  std::string profile;
  compiler::CompileOptions options;
  ClockBeginning clock;
};

struct Scenario {
  std::string name;
  std::string about;
  std::vector<std::string> sources;
  ScenarioMachine machine;
  std::vector<ScenarioStep> steps;
};

}  // namespace nvmlab::tool
