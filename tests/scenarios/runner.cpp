// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/runner.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <expected>
#include <optional>
#include <vector>

#include "tests/scenarios/matching.hpp"
#include "tests/scenarios/scenario.hpp"
#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::scenario {
namespace {

namespace fs = std::filesystem;

// PATH's own folder: nvmlab, and each client under the name that people know it by.
class Programs {
 public:
  explicit Programs(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    fs::create_symlink(test::nvmlab_program(), folder_ / "nvmlab");
  }

  const fs::path& folder() const { return folder_; }

  // The error says how to get the client.
  std::expected<void, std::string> add(const std::string& client) const {
    const auto found = test::find_client(client);
    if (!found) return std::unexpected(found.error());
    const fs::path name = folder_ / client.substr(0, client.rfind('-'));
    // A sanitized library in a foreign program needs its runtime loaded first (tests/CMakeLists.txt).
    const char* const preload = std::getenv("NVMLAB_CLIENT_PRELOAD");
    const std::string sanitizer =
        preload != nullptr && *preload != '\0'
            ? fmt::format("LD_PRELOAD='{}' ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 ", preload)
            : "";
    test::write_file(name, fmt::format("#!/bin/sh\n{}exec '{}' \"$@\"\n", sanitizer, found->program.string()));
    fs::permissions(name, fs::perms::owner_all);
    return {};
  }

 private:
  fs::path folder_;
};

std::map<std::string, std::optional<std::string>> environment_in(const fs::path& root, const Programs& programs) {
  auto environment = test::node_environment({});
  environment["LD_LIBRARY_PATH"] = std::nullopt;  // `nvmlab run` sets it
  environment["LD_PRELOAD"] = std::nullopt;
  environment["NVMLAB_LIBRARY"] = std::nullopt;
  environment["NVMLAB_RUNTIME_DIR"] = (root / "machines").string();
  environment["HOME"] = (root / "home").string();
  const char* const path = std::getenv("PATH");
  environment["PATH"] = fmt::format("{}:{}", programs.folder().string(), path != nullptr ? path : "/usr/bin:/bin");
  environment["COLUMNS"] = "100";
  environment["NO_COLOR"] = "1";
  environment["TERM"] = "dumb";
  return environment;
}

struct Printed {
  Lines lines;
  int exit_code = 0;
  std::string trouble;  // why there is nothing to compare
};

// As a shell says it: a signal is 128 and its number.
Printed printed_by(const test::Outcome& outcome, const std::string& text, std::chrono::milliseconds limit) {
  Printed printed;
  if (outcome.timed_out) {
    printed.trouble = fmt::format("did not end within {} ms and was killed; until then it printed", limit.count());
  } else if (!outcome.failure.empty()) {
    printed.trouble = fmt::format("could not be run: {}", outcome.failure);
  }
  printed.exit_code = outcome.signal != 0 ? 128 + outcome.signal : outcome.exit_code;
  printed.lines = lines_of(text);
  while (!printed.lines.empty() && printed.lines.back().find_first_not_of(" \t\r") == std::string::npos)
    printed.lines.pop_back();
  return printed;
}

// What one step is found guilty of; empty where it went as expected.
std::string complaint_about(const Step& step, const Printed& printed) {
  if (!printed.trouble.empty()) {
    std::string text = fmt::format("  {}\n", printed.trouble);
    for (const std::string& line : printed.lines)
      text += fmt::format("    {}\n", line);
    return text;
  }
  std::string text;
  if (!matches(step.expected, printed.lines))
    text = "  printed something else ('-' was expected, '+' was printed):\n" + difference(step.expected, printed.lines);
  if (step.exit_code != printed.exit_code)
    text += fmt::format("  ended with exit code {}; {} was expected\n", printed.exit_code, step.exit_code);
  return text;
}

class Run {
 public:
  Run(const fs::path& file, const Scenario& scenario, const RunOptions& options)
      : file_(file), scenario_(scenario), options_(options), programs_(folder_.path() / "programs") {
    for (const char* name : {"home", "work"})
      fs::create_directories(folder_.path() / name);
    environment_ = environment_in(folder_.path(), programs_);
  }

  // Why it cannot run here; empty where it can.
  std::string missing() const {
    for (const std::string& client : scenario_.needs) {
      if (const auto added = programs_.add(client); !added) return added.error();
    }
    return "";
  }

  Report steps() {
    std::vector<Replacement> replacements;
    bool troubled = false;
    std::string complaints;
    for (const Step& step : scenario_.steps) {
      const Printed printed = run_step(step);
      troubled |= !printed.trouble.empty();
      if (const std::string complaint = complaint_about(step, printed); !complaint.empty())
        complaints += fmt::format("{}:{}: {}\n{}", file_.string(), step.line, step.command, complaint);
      replacements.push_back({approved(step.expected, printed.lines), printed.exit_code});
    }
    if (complaints.empty()) return {};
    if (!options_.approve || troubled) {
      return {Verdict::failed, complaints +
                                   "If this is how it shall be, NVMLAB_APPROVE=1 (or `make approve`) writes it into "
                                   "the file; look at it with git diff.\n"};
    }
    if (!test::write_file(file_, with_expectations(scenario_, replacements)))
      return {Verdict::failed, fmt::format("{}: cannot be written\n", file_.string())};
    return {Verdict::rewritten, fmt::format("{}: rewritten; look at it with git diff\n", file_.string())};
  }

 private:
  // Both streams into one file, in the order of a terminal. A file, not a pipe: a process that the command leaves in
  // the background would keep a pipe open; so it ends with its command.
  Printed run_step(const Step& step) const {
    const fs::path output = folder_.path() / "output";
    test::Command command;
    command.arguments = {"bash", "-c",
                         fmt::format("cd '{}' && exec > '{}' 2>&1\n{}", (folder_.path() / "work").string(),
                                     output.string(), step.command)};
    command.environment = environment_;
    command.time_limit = options_.time_limit;
    const test::Outcome outcome = test::run(command);
    return printed_by(outcome, test::read_file(output).value_or(""), options_.time_limit);
  }

  fs::path file_;
  const Scenario& scenario_;
  RunOptions options_;
  test::TempFolder folder_;  // its machines go with it
  Programs programs_;
  std::map<std::string, std::optional<std::string>> environment_;
};

}  // namespace

Report run(const std::filesystem::path& file, const RunOptions& options) {
  const auto text = test::read_file(file);
  if (!text) return {Verdict::failed, fmt::format("{}: cannot be read\n", file.string())};
  const auto scenario = parse(*text);
  if (!scenario) return {Verdict::failed, fmt::format("{}:{}\n", file.string(), scenario.error())};
  Run running(file, *scenario, options);
  if (const std::string missing = running.missing(); !missing.empty())
    return {options.need_all ? Verdict::failed : Verdict::skipped, missing + "\n"};
  return running.steps();
}

}  // namespace nvmlab::scenario
