// SPDX-License-Identifier: Apache-2.0
//
// The options of one command. CLI11 does the work: each call here is one of CLI::App's. It stands behind this class
// because its headers cost every file that includes them seconds to compile, and the program validators to construct at
// its start. Tests: tests/unit/command/application_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
class Option;
}  // namespace CLI

namespace nvmlab::tool {

// What a shell offers after <TAB>.
enum class Complete : unsigned char {
  nothing,
  profile,
  scenario,
  machine,
  driver,
  gpu,
  field,
  assignment,
  log_level,
  role,
  cudart,
  kernels,
  clock_action,
  driver_action,
  shell,
  file,
  command
};

// An option or argument as help, manual and completion tell of it.
struct OptionText {
  std::string name;            // "--profile"; of an argument "PATH"
  std::string short_name;      // "-p", or empty
  std::string value;           // "PROFILE", or empty for a flag
  std::string optional_value;  // "NAME" of "--share[=NAME]"; then `value` is empty
  std::string help;            // one sentence without a full stop
  Complete complete = Complete::nothing;
  bool required = false;
  bool many = false;
  bool trailing = false;  // behind "--"
};

// Takes a word of the command line; returns what is wrong with it, or nothing.
using TakeWord = std::function<std::string(const std::string& word)>;

class CommandLine {
 public:
  // What can be said about an option beside its declaration.
  class Declared {
   public:
    Declared(CommandLine& line, CLI::Option& option) : line_(line), option_(option) {}
    Declared& required();
    Declared& complete(Complete with);

   private:
    CommandLine& line_;
    CLI::Option& option_;
  };

  explicit CommandLine(CLI::App& app);

  // Positional. `words` may be many.
  Declared argument(const char* name, std::string& word, const char* help);
  Declared argument(const char* name, std::vector<std::string>& words, const char* help);
  // Everything from the first word on that is no option is another program's, however it looks.
  Declared command(const char* name, std::vector<std::string>& words, const char* help);

  // Another program's words, all that stand behind "--": for commands that take words of their own before it.
  Declared trailing_command(const char* name, std::vector<std::string>& words, const char* help);

  // `names` are "--gpus,-n", `value` is "N". Of an option that is given twice the last one counts.
  Declared flag(const char* names, bool& given, const char* help);
  Declared option(const char* names, const char* value, std::string& word, const char* help);
  Declared option(const char* names, const char* value, std::optional<std::string>& word, const char* help);
  Declared option(const char* names, const char* value, TakeWord take, const char* help);
  // With a value only in the same word, "--share=NAME"; without one, the word is empty.
  Declared optional_value(const char* name, const char* value, std::optional<std::string>& word, const char* help);
  Declared repeated(const char* names, const char* value, std::vector<std::string>& words, const char* help);

  // In the order of their declaration, --help among the options.
  std::vector<OptionText> options() const;
  std::vector<OptionText> arguments() const;
  bool takes_command() const;
  bool given(const std::string& option) const;  // on the line that was parsed

  // Where trailing_command() was declared, cuts "--" and what stands behind it off and keeps it.
  void take_trailing_command(std::vector<std::string>& words) const;

  CLI::App& app() const { return app_; }

 private:
  OptionText text_of(const CLI::Option& option) const;

  CLI::App& app_;
  std::map<const CLI::Option*, Complete> completions_;
  std::vector<std::string>* trailing_ = nullptr;
  const CLI::Option* trailing_option_ = nullptr;
};

// What every app of nvmlab has in common, the one above all commands too.
void prepare(CLI::App& app);

// --help, behind the options that are declared already.
void add_help(CLI::App& app);

}  // namespace nvmlab::tool
