// SPDX-License-Identifier: Apache-2.0
//
// nvmlab as a whole: all commands of the table below one CLI11 app. Tests: tests/unit/command/application_test.cpp.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/cli/command.hpp"

namespace nvmlab::tool {

// The table, in tools/command/commands/table.cpp.
std::span<const Command* const> commands();

// A command with its options.
class ReadyCommand {
 public:
  ReadyCommand(const Command& command, CLI::App& app)
      : text_(&command), line_(std::make_unique<CommandLine>(app)), run_(command.declare(*line_)) {
    add_help(app);
  }

  const Command& text() const { return *text_; }
  const CommandLine& line() const { return *line_; }
  int run() const { return run_(); }

  bool is_below_another() const { return text_->name.find(' ') != std::string_view::npos; }
  std::string parent() const { return std::string(text_->name.substr(0, text_->name.find(' '))); }
  std::string leaf() const { return std::string(text_->name.substr(text_->name.rfind(' ') + 1)); }  // "show"

 private:
  const Command* text_;
  std::unique_ptr<CommandLine> line_;
  Run run_;
};

// What a command line asks for.
struct Call {
  const ReadyCommand* command = nullptr;  // null: none was named
  std::string text;                       // of --help or --version, to be printed in place of anything else
};

class Application {
 public:
  Application();
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // `words` without the program's name. The error is a sentence for the user.
  std::expected<Call, std::string> parse(std::vector<std::string> words);

  const CommandLine& line() const { return *line_; }  // --help, --version
  // In the order of the table.
  const std::vector<ReadyCommand>& all() const { return all_; }
  std::vector<const ReadyCommand*> visible() const;
  const ReadyCommand* find(std::string_view name) const;  // null where there is none

 private:
  const ReadyCommand* chosen() const;

  std::unique_ptr<CLI::App> root_;
  std::unique_ptr<CommandLine> line_;
  std::vector<ReadyCommand> all_;
};

}  // namespace nvmlab::tool
