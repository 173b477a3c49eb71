// SPDX-License-Identifier: Apache-2.0
// nvmlab calls: what programs asked of the simulated driver, and whether that was expected.
// Tests: tests/command/calls_test.cpp.
#include <map>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "compiler/return_codes.hpp"
#include "control/calls.hpp"

namespace nvmlab::tool {
namespace {

using control::Call;
using control::CallExpectation;

struct CallsCommand {
  std::string file;
  std::vector<std::string> expected;
  std::optional<std::string> only;
  bool each = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  std::expected<std::vector<CallExpectation>, std::string> expectations() const;
};

void CallsCommand::declare(CommandLine& line) {
  line.argument("FILE", file, "What `nvmlab run --record-calls FILE` recorded").required().complete(Complete::file);
  line.repeated(
      "--expect", "CALL", expected,
      "Fail unless such a call was made: FUNCTION, FUNCTION(ARGUMENT=VALUE), FUNCTION -> CODE, each also with "
      "= N, >= N or <= N; may be repeated");
  line.option("--call", "CALL", only, "Of such calls alone");
  line.flag("--each", each, "Each call with its arguments, in their order");
  add_json(line, json);
}

std::string name_of_code(std::uint32_t code) { return code == 0 ? "SUCCESS" : compiler::return_code_name(code); }

struct Counted {
  std::uint64_t calls = 0;
  std::map<std::string, std::uint64_t> codes;
};

std::map<std::string, Counted> counted(const std::vector<Call>& calls) {
  std::map<std::string, Counted> all;
  for (const Call& call : calls) {
    Counted& function = all[call.function];
    ++function.calls;
    ++function.codes[name_of_code(call.code)];
  }
  return all;
}

std::string table_of_counts(const std::vector<Call>& calls) {
  Table table({"FUNCTION", "CALLS", "ANSWERS"});
  for (const auto& [function, count] : counted(calls)) {
    std::string answers;
    for (const auto& [code, times] : count.codes)
      answers += fmt::format("{}{} {}", answers.empty() ? "" : ", ", code, times);
    table.add({function, std::to_string(count.calls), answers});
  }
  return table.text();
}

std::string table_of_calls(const std::vector<Call>& calls) {
  Table table({"PROCESS", "FUNCTION", "ANSWER", "ARGUMENTS"});
  for (const Call& call : calls) {
    std::string arguments;
    for (const auto& [name, value] : call.arguments)
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : " ", name, value);
    table.add({std::to_string(call.pid), call.function, name_of_code(call.code), arguments});
  }
  return table.text();
}

Json json_of(const std::vector<Call>& calls, bool each) {
  Json all = Json::array();
  if (each) {
    for (const Call& call : calls) {
      Json arguments = Json::object();
      for (const auto& [name, value] : call.arguments)
        arguments[name] = value;
      all.push_back({{"pid", call.pid},
                     {"function", call.function},
                     {"code", name_of_code(call.code)},
                     {"arguments", std::move(arguments)}});
    }
    return all;
  }
  for (const auto& [function, count] : counted(calls))
    all.push_back({{"function", function}, {"calls", count.calls}, {"codes", count.codes}});
  return all;
}

std::string unmet(const CallExpectation& expectation, std::uint64_t times) {
  const std::string often = times == 0 ? "never" : times == 1 ? "once" : fmt::format("{} times", times);
  return fmt::format("{}: it was called {}", expectation.text, often);
}

std::expected<std::vector<CallExpectation>, std::string> CallsCommand::expectations() const {
  std::vector<CallExpectation> all;
  for (const std::string& text : expected) {
    auto read = control::read_expectation(text);
    if (!read) return std::unexpected("--expect " + read.error());
    all.push_back(std::move(*read));
  }
  return all;
}

int CallsCommand::run() const {
  const auto wanted = expectations();
  if (!wanted) return misused(wanted.error());
  auto calls = control::read_calls(file);
  if (!calls) return complain(calls.error());
  Complaints complaints;
  for (const CallExpectation& each_expected : *wanted) {
    if (!each_expected.holds(*calls)) complaints.push_back(unmet(each_expected, each_expected.count(*calls)));
  }
  if (only) {
    const auto shown = control::read_expectation(*only);
    if (!shown) return misused("--call " + shown.error());
    std::erase_if(*calls, [&shown](const Call& call) { return !shown->is_about(call); });
  }
  if (wanted->empty() || json || each || only)
    print(std::string_view(json   ? text_of(json_of(*calls, each))
                           : each ? table_of_calls(*calls)
                                  : table_of_counts(*calls)));
  return complaints.empty() ? kGood : complain_all(complaints);
}

constexpr Example kCallsExamples[] = {
    {"nvmlab calls calls --json", "what `nvmlab run --record-calls calls -- nvidia-smi -L` has recorded, for programs"},
    {"nvmlab calls calls", "how often each function was called, and what it answered"},
    {"nvmlab calls calls --expect 'nvmlDeviceGetHandleByIndex(index=3)' --expect 'nvmlShutdown = 1'",
     "exit code 1 unless both hold"},
    {"nvmlab calls calls --each --call 'nvmlDevice* -> GPU_IS_LOST'", "which calls found a lost GPU"},
};

}  // namespace

extern const Command kCalls{
    .name = "calls",
    .summary = "Show and check recorded calls of the simulated driver",
    .about =
        "Reads what `nvmlab run --record-calls FILE` recorded: each call that a program made, its arguments, and its "
        "answer. With --expect it says nothing and exits with 0 where all that is expected was called, and tells what "
        "was not with exit code 1. Members of structs are arguments too, such as memory.total.",
    .examples = kCallsExamples,
    .declare = declared<CallsCommand>,
};

}  // namespace nvmlab::tool
