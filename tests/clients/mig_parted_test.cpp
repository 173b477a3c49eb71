// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's mig-parted on every board with MIG: each configuration of the form that its example has, applied, asserted
// and exported; nvidia-smi says what became of it. It asks /proc/modules and /sys for GPUs before it asks NVML, so it
// runs on the files of the machine.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/clients/driver_root.hpp"
#include "tests/unit/mig/board_cases.hpp"

namespace nvmlab::test {
namespace {

using mig_test::BoardCase;
using mig_test::kBoards;
using nlohmann::json;

using Layout = std::map<std::string, unsigned>;  // how many of a profile, "1g.10gb"

struct Configuration {
  std::string label;
  bool enabled = true;
  Layout layout{};
  bool known_to_smi = true;  // which asks for the first ten profiles
};
constexpr unsigned kProfilesOfSmi = 10;

std::string as_yaml(const std::vector<Configuration>& configurations) {
  std::string text = "version: v1\nmig-configs:\n";
  for (const auto& [label, enabled, layout, known] : configurations) {
    text += fmt::format("  {}:\n    - devices: all\n      mig-enabled: {}\n", label, enabled);
    if (enabled) text += fmt::format("      mig-devices: {}\n", json(layout).dump());
  }
  return text;
}

// A machine with its files, and the program on them.
class Parted {
 public:
  Parted(const Client& parted, const Client& smi, const std::string& profile, const std::vector<std::string>& options)
      : parted_(parted), smi_(smi), machine_(profile, options) {
    EXPECT_TRUE(machine_.up().ok()) << machine_.up().story();
    ready_ = root_.make("--machine=" + machine_.name()) && can_mount_driver_root(root_);
  }
  [[nodiscard]] bool ready() const { return ready_; }
  void configure(const std::string& yaml) const { write_file(file(), yaml); }

  // In a role, behind a script of this folder that lays something out.
  [[nodiscard]] Outcome ask(std::vector<std::string> words, const std::string& role = "root",
                            const std::vector<std::string>& behind = {}) const {
    if (words[0] != "export") words.insert(words.end(), {"-f", file()});
    words.insert(words.begin(), {nvmlab_program().string(), "run", "--machine=" + machine_.name(), "--role=" + role,
                                 "--", parted_.program.string()});
    words.insert(words.begin(), behind.begin(), behind.end());
    Command command;
    command.arguments = on_driver_root(root_, words);
    command.environment = node_environment({});
    // It calls nvidia-smi to reset GPUs.
    command.environment["PATH"] = smi_.program.parent_path().string() + ":" + std::getenv("PATH");
    return run(command);
  }
  [[nodiscard]] json exported() const {
    const auto told = json::parse(ask({"export", "-o", "json"}).out, nullptr, false);
    return told.is_object() ? told.at("mig-configs").at("current") : json();
  }
  // GPU instances of one GPU, as nvidia-smi lists them.
  [[nodiscard]] Layout listed(unsigned gpu) const {
    const std::string out = machine_.run_on(smi_, {"mig", "-lgi", "-i", std::to_string(gpu)}, "root").out;
    const std::regex row(R"(\|\s+\d+\s+MIG (\S+)\s+\d+\s+\d+\s+\d+:\d+)");
    Layout found;
    for (std::sregex_iterator each(out.begin(), out.end(), row), end; each != end; ++each)
      ++found[(*each)[1]];
    return found;
  }
  [[nodiscard]] Outcome set(const std::string& assignment) const {
    return nvmlab({"set", "--machine", machine_.name(), assignment});
  }
  [[nodiscard]] json profiles() const {
    const Outcome outcome = nvmlab({"get", "--machine", machine_.name(), "--gpu", "0", "--json", "mig.profiles"});
    return json::parse(outcome.out).at("gpus").at(0).at("values").at("mig.profiles");
  }

 private:
  [[nodiscard]] std::string file() const { return folder_.path() / "config.yaml"; }

  Client parted_;
  Client smi_;
  UpAndDown machine_;
  DriverRoot root_;
  TempFolder folder_;
  bool ready_ = false;
};

// The smallest of a GB200 is 1g.24gb in NVIDIA's guide and 1g.23gb in mig-parted, which rounds.
std::string name_in_parted(const BoardCase& board, std::string name) {
  if (std::string_view(board.name) == "gb200" && name.starts_with("1g.24gb")) name[4] = '3';
  return name;
}

void apply_and_compare(const BoardCase& board, const Parted& parted, const Configuration& wanted) {
  const Outcome applied = parted.ask({"apply", "-c", wanted.label});
  ASSERT_TRUE(applied.ok()) << wanted.label << ": " << applied.story();
  EXPECT_TRUE(parted.ask({"assert", "-c", wanted.label}).ok()) << wanted.label;
  const json exported = parted.exported();
  ASSERT_EQ(exported.size(), 1U) << wanted.label << exported;
  EXPECT_EQ(exported[0].at("mig-enabled"), wanted.enabled) << wanted.label;
  EXPECT_EQ(exported[0].at("mig-devices").get<Layout>(), wanted.layout) << wanted.label;
  if (!wanted.known_to_smi) return;
  Layout listed;
  for (const auto& [name, count] : parted.listed(0))
    listed[name_in_parted(board, name)] = count;
  EXPECT_EQ(listed, wanted.layout) << wanted.label;
}

// Boards that no machine is shipped with, whose name and memory no profile tells; mig-parted names profiles by its
// share of the memory.
const std::map<std::string, unsigned> kGibibytes{{"a30", 24},          {"h100_pcie", 80},   {"h100_94gb", 94},
                                                 {"h200", 141},        {"h20", 96},         {"gh200_96gb", 96},
                                                 {"gh200_144gb", 144}, {"rtx_pro_6000", 96}};

std::string profile_of(const BoardCase& board) {
  std::string text = mig_test::profile_text(board.inherits, board.missing);
  const auto found = kGibibytes.find(board.name);
  if (found == kGibibytes.end()) return text;
  const std::string system = "system:\n";
  text.insert(text.find(system) + system.size(), "  cuda_version: 13000\n");
  text += fmt::format("identity:\n  name: NVIDIA {}\nmemory:\n  total_bytes: {} GiB\n", board.name, found->second);
  return text;
}

class MigParted : public testing::TestWithParam<BoardCase> {};

TEST_P(MigParted, AppliesAssertsAndExportsEachConfiguration) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-mig-parted");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  const BoardCase& board = GetParam();
  if (std::string_view(board.name).ends_with("b300")) GTEST_SKIP() << "nobody has told the memory of its instances";
  const TempFolder folder;
  const std::string profile = folder.path() / "board.yaml";
  write_file(profile, profile_of(board));
  const Parted parted(client, smi, profile, {"--gpus", "1"});
  if (!parted.ready()) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";

  std::vector<Configuration> all{{"all-disabled", false}, {"all-enabled", true}};
  Layout balanced;
  for (const json& each : parted.profiles()) {
    const std::string name = name_in_parted(board, each.at("name").get<std::string>().substr(4));
    const unsigned number = each.at("number");
    all.push_back({"all-" + std::regex_replace(name, std::regex("[+]"), "."),
                   true,
                   {{name, each.at("instances")}},
                   number < kProfilesOfSmi});
    // Of the plain profiles, which have the lowest numbers: two of one slice, one of two and one of three.
    if (number < 3) balanced[name] = number == 0 ? 2 : 1;
  }
  all.push_back({"all-balanced", true, balanced});
  all.push_back({"off-again", false});
  parted.configure(as_yaml(all));
  for (const Configuration& each : all)
    apply_and_compare(board, parted, each);
  EXPECT_FALSE(parted.ask({"assert", "-c", "all-balanced"}).ok()) << "MIG is off";
}

// The custom-config of its example: GPUs of an Ampere, which switch by a reset that mig-parted asks nvidia-smi for. As
// on a DGX, nvidia-persistenced holds them in persistence mode and lets go of those that are reset.
TEST(MigPartedOnADgx, CutsEachGpuAnotherWay) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-mig-parted");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  const Parted parted(client, smi, "dgx-a100", {});
  if (!parted.ready()) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";
  ASSERT_TRUE(parted.set("modes.persistence=enabled").ok());
  const std::vector<Layout> layouts = {{},
                                       {},
                                       {},
                                       {},
                                       {{"1g.5gb", 7}},
                                       {{"2g.10gb", 3}},
                                       {{"3g.20gb", 2}},
                                       {{"1g.5gb", 2}, {"2g.10gb", 1}, {"3g.20gb", 1}}};
  std::string yaml = "version: v1\nmig-configs:\n  custom-config:\n";
  for (std::size_t gpu = 0; gpu < layouts.size(); ++gpu) {
    yaml += fmt::format("    - devices: [{}]\n      mig-enabled: {}\n", gpu, !layouts[gpu].empty());
    if (!layouts[gpu].empty()) yaml += fmt::format("      mig-devices: {}\n", json(layouts[gpu]).dump());
  }
  parted.configure(yaml);
  const std::string script = (source_folder() / "tests/clients/with_persistenced.sh").string();
  const Outcome applied = parted.ask({"apply", "-c", "custom-config"}, "root", {"sh", script});
  ASSERT_TRUE(applied.ok()) << applied.story();
  EXPECT_TRUE(parted.ask({"assert", "-c", "custom-config"}).ok());
  for (unsigned gpu = 4; gpu < layouts.size(); ++gpu)
    EXPECT_EQ(parted.listed(gpu), layouts[gpu]) << gpu;
}

// It reads the layout before it changes it, so it needs both capabilities.
TEST(MigPartedOfAUser, NeedsBothCapabilities) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-mig-parted");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  const Parted parted(client, smi, "dgx-h100", {"--gpus", "1", "--mig", "7g.80gb"});
  if (!parted.ready()) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";
  parted.configure(as_yaml({{"halves", true, {{"3g.40gb", 2}}}}));
  EXPECT_FALSE(parted.ask({"apply", "-c", "halves"}, "mig-config").ok());
  EXPECT_EQ(parted.listed(0), (Layout{{"7g.80gb", 1}}));
  const Outcome applied = parted.ask({"apply", "-c", "halves"}, "mig-config,mig-monitor");
  EXPECT_TRUE(applied.ok()) << applied.story();
  EXPECT_EQ(parted.listed(0), (Layout{{"3g.40gb", 2}}));
}

INSTANTIATE_TEST_SUITE_P(Boards, MigParted, testing::ValuesIn(kBoards),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace nvmlab::test
