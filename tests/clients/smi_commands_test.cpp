// SPDX-License-Identifier: Apache-2.0
//
// Every subcommand and option of nvidia-smi 470 to 555, and every field that its queries know: smi_commands.tsv holds
// the command lines and how they end. What a --help lists and no command line tries fails the test, so nothing is
// forgotten. Each release meets the driver of its own branch, as it does on a real machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view kReleases[] = {"nvidia-smi-470", "nvidia-smi-525", "nvidia-smi-535", "nvidia-smi-550",
                                          "nvidia-smi-555"};

struct Line {
  std::string ends;
  std::string command;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int number(const std::string& text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "525-", "@dgx-h100" or both; without a machine every one is meant.
bool applies(const std::string& where, int branch, const std::string& machine) {
  const auto at = where.find('@');
  const auto releases = where.substr(0, at);
  if (at != std::string::npos && !machine.empty()) {
    const bool others = where.substr(at + 1).starts_with('!');
    if ((where.substr(at + (others ? 2 : 1)) == machine) == others) return false;
  }
  if (releases.empty()) return true;
  const auto bounds = split(releases, '-');
  return bounds.size() == 2 && branch >= number(bounds[0], 0) && branch <= number(bounds[1], 9999);
}

std::vector<Line> commands_of(int branch, const std::string& machine) {
  const auto file = source_folder() / "tests" / "clients" / "smi_commands.tsv";
  std::vector<Line> found;
  for (const auto& line : lines(read_file(file).value_or(""))) {
    if (line.starts_with('#')) continue;
    const auto cells = split(line, '\t');
    EXPECT_EQ(cells.size(), 4U) << line;
    if (cells.size() == 4 && applies(cells[0], branch, machine)) found.push_back({cells[1], cells[2]});
  }
  return found;
}

// "-q -d POWER" as words; "-" is the command without any.
std::vector<std::string> words_of(const std::string& command) {
  return command == "-" ? std::vector<std::string>{} : split(command, ' ');
}

// The options in a help text: "-pm,  --persistence-mode=", "[-s | --status]", "[N/A | --format]", "[ | --vboost]".
std::set<std::string> options_in(const std::string& help) {
  static const std::regex short_and_long{R"(^\s+(-\w+),?\s+(--[\w-]+))"};
  static const std::regex long_only{R"(^\s+(--[\w-]+)=?(\s|$))"};
  static const std::regex bracketed{R"(\[\s*(-\w+|N/A|)\s*\|\s*(--[\w-]+)\s*\])"};
  std::set<std::string> options;
  for (const auto& line : lines(help)) {
    std::smatch match;
    if (std::regex_search(line, match, bracketed) || std::regex_search(line, match, short_and_long)) {
      for (const auto& name : {match[1].str(), match[2].str()}) {
        if (name.starts_with('-')) options.insert(name);
      }
    } else if (std::regex_search(line, match, long_only)) {
      options.insert(match[1].str());
    }
  }
  return options;
}

class SmiCommands : public testing::TestWithParam<ReleaseOnMachine> {
 protected:
  const Machine& machine() const { return std::get<1>(GetParam()); }
  std::string release() const { return std::string{std::get<0>(GetParam())}; }
  std::string branch() const { return release().substr(release().rfind('-') + 1); }
  Node node() const {
    Node result = node_of(machine());
    result.driver = branch();
    return result;
  }

  std::string ask(const Client& client, const std::string& query) const {
    const auto outcome = smi(client, {"-i", "0", query, "--format=csv,noheader,nounits"}, node());
    const auto all = lines(outcome.out);
    return all.empty() ? std::string{} : all.front();
  }

  void learn(const Client& client) {
    values_["{uuid}"] = ask(client, "--query-gpu=uuid");
    values_["{pci}"] = ask(client, "--query-gpu=pci.bus_id").substr(4);
    values_["{limit}"] = std::to_string(number(ask(client, "--query-gpu=power.default_limit"), 0));
    const auto clocks = cells(ask(client, "--query-supported-clocks=memory,graphics"));
    values_["{memory}"] = clocks.front();
    values_["{graphics}"] = clocks.back();
    values_["{file}"] = (folder_.path() / "file").string();
  }

  std::vector<std::string> fill_in(const std::string& command) const {
    std::string text = command;
    for (const auto& [name, value] : values_) {
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name))
        text.replace(at, name.size(), value);
    }
    return words_of(text);
  }

  void try_one(const Client& client, const Line& line) const {
    auto command = on_node(client, fill_in(line.command), node());
    const bool loops = line.ends == "loops";
    if (loops)
      command.enough = [](const std::string& out, pid_t process) { return !out.empty() && is_blocked(process); };
    const auto outcome = run(command);
    const auto what = fmt::format("{} {}", release(), line.command);
    if (loops) {
      EXPECT_TRUE(outcome.stopped) << what << " ended: " << outcome.story();
      EXPECT_NE(outcome.out, "") << what;
    } else {
      const auto codes = split(line.ends, ' ');
      const auto code = outcome.signal == 6 ? 134 : outcome.exit_code;
      EXPECT_TRUE(!outcome.timed_out && std::ranges::find(codes, std::to_string(code)) != codes.end())
          << what << " should end with " << line.ends << ": " << outcome.story();
    }
    for (const auto& trouble : troubles(outcome.out + outcome.err)) {
      EXPECT_TRUE(explained(trouble, loops ? 0 : outcome.exit_code)) << what << ": " << trouble;
    }
  }

  // What a board has not, it says; a command that may fail says why. That the library lacks or does not know something
  // is never right.
  static bool explained(const std::string& trouble, int exit_code) {
    for (const char* never : {"ERR!", "Unknown Error", "Function Not Found", "couldn't", "Uninitialized",
                              "version mismatch", "Mismatch in versions", "GPU is lost"}) {
      if (trouble.find(never) != std::string::npos) return false;
    }
    return exit_code != 0 || trouble.find("Not Supported") != std::string::npos ||
           trouble.find("not supported") != std::string::npos;
  }

 private:
  TempFolder folder_;
  std::map<std::string, std::string> values_;
};

TEST_P(SmiCommands, EveryOneEndsAsItShould) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  learn(client);
  const auto all = commands_of(number(branch(), 0), std::string{machine().profile});
  EXPECT_GT(all.size(), 150U);
  for (const auto& line : all) {
    // Watching something go on takes time, and no board makes a difference there.
    if (line.ends != "loops" || machine().profile == machines[0].profile) try_one(client, line);
  }
}

// All fields of a query at once; smi_query_test.cpp asks for each alone.
TEST_P(SmiCommands, EveryFieldOfEveryQuery) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  for (const char* query :
       {"gpu", "supported-clocks", "compute-apps", "accounted-apps", "retired-pages", "remapped-rows"}) {
    const auto help = smi(client, {fmt::format("--help-query-{}", query)}, node());
    EXPECT_TRUE(help.ok()) << help.story();
    const auto fields = fields_in(help.out);
    EXPECT_GE(fields.size(), 3U) << query << ": " << help.out;
    const auto outcome = smi(client, {fmt::format("--query-{}={}", query, joined(fields)), "--format=csv"}, node());
    EXPECT_TRUE(went_well(outcome)) << query;
    EXPECT_EQ(count(lines(outcome.out).empty() ? "" : lines(outcome.out).front(), ", "), fields.size() - 1) << query;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmiCommands, testing::Combine(testing::ValuesIn(kReleases), testing::ValuesIn(machines)),
                         case_name);

class SmiHelp : public testing::TestWithParam<std::string_view> {};

// Options of the daemon would leave a process behind that outlives the test.
bool left_out(const std::string& subcommand, const std::string& option) {
  return subcommand == "daemon" && option != "-h" && option != "--help" && option != "-t" && option != "--term";
}

TEST_P(SmiHelp, ListsNothingThatIsNotTried) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const auto branch = number(client.name.substr(client.name.rfind('-') + 1), 0);
  std::map<std::string, std::set<std::string>> tried;  // by subcommand, "" for none
  for (const auto& line : commands_of(branch, "")) {
    auto words = words_of(line.command);
    const bool sub = !words.empty() && !words.front().starts_with('-');
    auto& options = tried[sub ? words.front() : ""];
    for (const auto& word : words)
      options.insert(word.substr(0, word.find('=')));
  }
  const auto help = smi(client, {"--help"}, {});
  ASSERT_TRUE(help.ok()) << help.story();
  std::map<std::string, std::string> helps{{"", help.out}};
  static const std::regex subcommand{R"re("nvidia-smi ([\w-]+) -h")re"};
  for (std::sregex_iterator at{help.out.begin(), help.out.end(), subcommand}, end; at != end; ++at)
    helps[(*at)[1]] = smi(client, {(*at)[1], "-h"}, {}).out;
  EXPECT_GE(helps.size(), 17U);
  std::size_t options = 0;
  for (const auto& [name, text] : helps) {
    EXPECT_TRUE(tried.contains(name)) << "no command line of subcommand " << name;
    for (const auto& option : options_in(text)) {
      ++options;
      if (left_out(name, option) || option.starts_with("--query-") || option.starts_with("--help-")) continue;
      EXPECT_TRUE(tried[name].contains(option)) << client.name << " " << name << " " << option << " is not tried";
    }
  }
  EXPECT_GT(options, 180U);
}

INSTANTIATE_TEST_SUITE_P(All, SmiHelp, testing::ValuesIn(kReleases), [](const auto& each) {
  return "branch_" + std::string{each.param.substr(each.param.rfind('-') + 1)};
});

}  // namespace
}  // namespace nvmlab::test
