// SPDX-License-Identifier: Apache-2.0
// The cookbook (examples/cookbook): ten programs in C++, and the same with NVIDIA's bindings for Python and Go. Each of
// them runs on nodes with drivers of ten years, and says in every language the same, word for word.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

struct Recipe {
  const char* name;
  std::vector<std::string> arguments;
};

// Those that end by themselves; events, reopen and the daemon of prometheus have tests of their own below.
const std::vector<Recipe> kRecipes = {
    {"devices", {}},  {"sampler", {"2", "1"}}, {"mig", {}},         {"power_cap", {"450", "1"}}, {"prometheus", {}},
    {"topology", {}}, {"fallbacks", {}},       {"threads", {"50"}}, {"reopen", {"2", "1"}},
};

struct Board {
  const char* driver;
  const char* profile;
  std::vector<std::string> options;
};

const std::vector<Board> kBoards = {
    {"418", "v100s-server", {}},
    {"470", "dgx-a100", {"--mig", "0:3g.20gb,2g.10gb"}},
    {"535", "dgx-h100", {"--mig", "1:3g.40gb,3g.40gb"}},
    {"580", "dgx-b200", {}},
    {"615", "dgx-h100", {}},
};

enum class Language { cpp, python, go };

class Cookbook : public testing::TestWithParam<Language> {
 protected:
  void SetUp() override {
    environment_ = node_environment(Node{});
    if (GetParam() == Language::python) {
      NVMLAB_REQUIRE_CLIENT(client, "pynvml-13");
      folder_ = source_folder() / "examples/cookbook/python";
      environment_["PYTHONPATH"] = client.program.parent_path().string();
      environment_["PYTHONDONTWRITEBYTECODE"] = "1";
    } else if (GetParam() == Language::go) {
      NVMLAB_REQUIRE_CLIENT(client, "go-cookbook");
      folder_ = client.program.parent_path();
    } else {
      folder_ = examples();
    }
  }

  static std::filesystem::path examples() { return binary_folder() / "examples"; }
  [[nodiscard]] std::vector<std::string> program(const std::string& recipe) const {
    if (GetParam() == Language::python) return {"python3", (folder_ / (recipe + ".py")).string()};
    return {(folder_ / recipe).string()};
  }
  [[nodiscard]] std::string words(const std::string& recipe) const {
    std::string all;
    for (const std::string& word : program(recipe))
      all += word + " ";
    return all;
  }
  Outcome on(const UpAndDown& machine, std::vector<std::string> program,
             const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {nvmlab_program().string(), "run", "--machine", machine.name(), "--role", "root", "--"};
    command.arguments.insert(command.arguments.end(), program.begin(), program.end());
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = environment_;
    return run(command);
  }
  // What the shell says to `script`, in which `nvmlab` and `run_it ARGUMENTS` are commands, and $out is a file.
  Outcome shell(const UpAndDown& machine, const std::string& recipe, const std::string& script) const {
    TempFolder folder;
    Command command;
    command.arguments = {"bash", "-c",
                         fmt::format(R"(set -u
. {5}/tests/support/waiting.sh
out={0}
nvmlab() {{ '{1}' "$@" > /dev/null || echo "nvmlab $* failed"; }}
run_it() {{ exec '{1}' run --machine {2} --role root -- {3} "$@"; }}
seen() {{ eventually grep -q -- "$1" $out || {{ echo "never said: $1"; cat $out; }}; }}
machine={2}
{4})",
                                     (folder.path() / "out").string(), nvmlab_program().string(), machine.name(),
                                     words(recipe), script, source_folder().string())};
    command.environment = environment_;
    return run(command);
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::optional<std::string>> environment_;
};

TEST_P(Cookbook, SaysTheSameInEveryLanguageWithEveryDriver) {
  for (const Board& board : kBoards) {
    std::vector<std::string> options{"--gpus", "2", "--driver", board.driver, "--clock", "frozen"};
    options.insert(options.end(), board.options.begin(), board.options.end());
    const UpAndDown machine(board.profile, options);
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    for (const Recipe& recipe : kRecipes) {
      SCOPED_TRACE(fmt::format("{} with driver {}", recipe.name, board.driver));
      const Outcome here = on(machine, program(recipe.name), recipe.arguments);
      EXPECT_TRUE(here.ok()) << here.story();
      EXPECT_FALSE(here.out.empty());
      if (GetParam() == Language::cpp) continue;
      const Outcome in_cpp = on(machine, {(examples() / recipe.name).string()}, recipe.arguments);
      EXPECT_EQ(here.out, in_cpp.out);
    }
  }
}

TEST_P(Cookbook, TellsOfAGpuThatIsLost) {
  const UpAndDown machine("dgx-h100", {"--gpus", "2", "--clock", "frozen"});
  ASSERT_TRUE(nvmlab({"fault", "--machine", machine.name(), "--gpu", "1", "lost"}).ok());
  for (const char* recipe : {"devices", "prometheus", "threads"}) {
    SCOPED_TRACE(recipe);
    const Outcome here = on(machine, program(recipe), {});
    EXPECT_TRUE(here.ok()) << here.story();
    EXPECT_TRUE(here.out.find("GPU is lost") != std::string::npos ||
                here.out.find("gpus_refused 1") != std::string::npos ||
                here.out.find("GPU 1: 0 readings, 1000 errors") != std::string::npos)
        << here.out;
  }
}

TEST_P(Cookbook, EventsAreTold) {
  const UpAndDown machine("dgx-h100", {"--gpus", "2"});
  const Outcome outcome = shell(machine, "events", R"(
run_it 2 > $out 2>&1 & watching=$!
seen 'watching 2 GPUs'
nvmlab fault --machine $machine --gpu 1 xid 31
seen 'XID 31'
nvmlab fault --machine $machine --gpu 0 xid 43
wait $watching && sed 's/^GPU-[0-9a-f-]*/a UUID/' $out)");
  EXPECT_EQ(outcome.out, "watching 2 GPUs\na UUID: XID 31\na UUID: XID 43\n") << outcome.story();
}

TEST_P(Cookbook, TheWatchEndsWithASignal) {
  const UpAndDown machine("dgx-h100", {"--gpus", "2"});
  const Outcome outcome = shell(machine, "events", R"(
run_it > $out 2>&1 & watching=$!
seen 'watching 2 GPUs'
kill -TERM $watching
wait $watching && cat $out)");
  EXPECT_EQ(outcome.out, "watching 2 GPUs\n") << outcome.story();
}

TEST_P(Cookbook, NvmlIsOpenedAnewWhenTheDriverIsLoadedAgain) {
  const UpAndDown machine("dgx-h100", {"--gpus", "2"});
  const Outcome outcome = shell(machine, "reopen", R"(
run_it 100000 10 > $out 2>&1 & looking=$!
seen '2 GPUs'
nvmlab driver unload --machine $machine --force
seen 'no NVML: Driver Not Loaded'
nvmlab driver load --machine $machine
last_line_says() { tail -n 1 $out | grep -q "$1"; }
eventually last_line_says '2 GPUs'
kill $looking
uniq $out | grep -v '^1 GPUs')");
  EXPECT_EQ(outcome.out, "2 GPUs\nNVML is opened anew\nno NVML: Driver Not Loaded\n2 GPUs\n") << outcome.story();
}

TEST_P(Cookbook, TheExporterAnswersScrapes) {
  const UpAndDown machine("dgx-h100", {"--gpus", "2", "--clock", "frozen"});
  const Outcome outcome = shell(machine, "prometheus",
                                fmt::format(R"sh(
run_it 0 > $out 2>&1 & exporting=$!
seen 'http://'
python3 {} $(head -n 1 $out)
kill $exporting)sh",
                                            (source_folder() / "tests/clients/cookbook_scrapes.py").string()));
  const Outcome once = on(machine, {(examples() / "prometheus").string()}, {});
  EXPECT_EQ(outcome.out, "True\n" + once.out + "404\n") << outcome.story();
}

INSTANTIATE_TEST_SUITE_P(Languages, Cookbook, testing::Values(Language::cpp, Language::python, Language::go),
                         [](const auto& each) {
                           return each.param == Language::cpp      ? "Cpp"
                                  : each.param == Language::python ? "Python"
                                                                   : "Go";
                         });

// The lines are counted of programs as the formatters of their languages lay them out; clang-format is `make check`'s.
TEST(CookbookFormat, IsThatOfTheLanguages) {
  const auto folder = source_folder() / "examples/cookbook";
  NVMLAB_REQUIRE_CLIENT(black, "black");
  Command python;
  python.arguments = {"python3", "-m", "black", "--check", "--quiet", (folder / "python").string()};
  python.environment["PYTHONPATH"] = black.program.parent_path().string();
  EXPECT_TRUE(run(python).ok()) << "black would lay out examples/cookbook/python anew";
  Command go;
  go.arguments = {"bash", "-c", "command -v gofmt > /dev/null || exit 0; gofmt -l " + (folder / "go").string()};
  const Outcome outcome = run(go);
  EXPECT_TRUE(outcome.ok() && outcome.out.empty()) << "gofmt would lay out anew: " << outcome.out;
}

}  // namespace
}  // namespace nvmlab::test
