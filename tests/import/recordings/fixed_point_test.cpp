// SPDX-License-Identifier: Apache-2.0
//
// Every shipped board and machine is recorded, imported and recorded again. Both recordings say the same, but for what
// moves by itself, and both machines are the same, but for what no recording tells (untold.cpp says what and why).
// Writes build/<preset>/reports/replay.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/compile.hpp"
#include "compiler/shipped.hpp"
#include "import/importer.hpp"
#include "import/recording/recording.hpp"
#include "tests/import/recordings/leaves.hpp"
#include "tests/import/recordings/untold.hpp"
#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

using recording::Call;

// What moves between two recordings of a machine in which nothing happens.
bool moves(const std::string& output) {
  static const std::set<std::string, std::less<>> names{"timestamp", "latencyUsec",   "timeStamp",
                                                        "uptime",    "referenceTime", "lastSeenTimeStamp"};
  return names.contains(output);
}

bool same(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.type() != b.type() && !(a.is_number() && b.is_number())) return false;
  if (!a.is_structured()) return a == b;
  if (a.size() != b.size()) return false;
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (a.is_object() && left.key() != right.key()) return false;
    if (!(a.is_object() && moves(left.key())) && !same(*left, *right)) return false;
  }
  return true;
}

bool same(const Call& a, const Call& b) {
  return a.function == b.function && a.subject == b.subject && a.code == b.code && same(a.in, b.in) &&
         same(a.out, b.out);
}

std::string line_of(const recording::Recording& recording, std::size_t index) {
  if (index >= recording.calls.size()) return "nothing";
  const Call& call = recording.calls[index];
  return fmt::format("{} of {} {}: {} {}", call.function, call.subject.text(), call.in.dump(), call.code,
                     call.out.dump());
}

struct Shipped {
  std::string name;
  std::string profile;  // the same, or the path of a file

  friend void PrintTo(const Shipped& shipped, std::ostream* out) { *out << shipped.name; }
};

std::vector<Shipped> shipped() {
  std::vector<Shipped> all;
  for (const auto& profile : compiler::shipped_profiles()) {
    if (profile.text.find("\nabstract: true") == std::string_view::npos)
      all.push_back({std::string(profile.name), std::string(profile.name)});
  }
  // What no shipped one has.
  const auto tests = source_folder() / "tests";
  all.push_back({"everything", (tests / "drivers/functions/profiles/everything.yaml").string()});
  all.push_back({"rare", (tests / "import/recordings/profiles/rare.yaml").string()});
  return all;
}

class FixedPoint : public testing::TestWithParam<Shipped> {
 protected:
  recording::Recording record(const std::string& profile, const std::string& name) {
    Command command;
    const auto file = (folder_.path() / name).string();
    command.arguments = {nvmlab_program().string(), "run",    "--profile",     profile, "--role", "root", "--",
                         nvmlab_program().string(), "record", "--identifiers", "-o",    file};
    command.environment = node_environment({});
    command.time_limit = std::chrono::milliseconds(120'000);
    const auto outcome = run(command);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    auto recording = recording::read_file(file);
    if (!recording) ADD_FAILURE() << recording.error().text();
    return recording ? std::move(*recording) : recording::Recording{};
  }

  TempFolder folder_;
};

// Differences, each once, with those of the reviewed list apart.
struct Differences {
  std::vector<std::string> wrong;
  std::map<std::string, std::string> excused;  // kind to reason
};

void compare(const Leaves& original, const Leaves& imported, const Lacking& lacking, const std::string& who,
             Differences& differences) {
  Leaves all = original;
  all.insert(imported.begin(), imported.end());
  for (const auto& [name, unused] : all) {
    const auto value_in = [&name](const Leaves& leaves) {
      const auto found = leaves.find(name);
      return found == leaves.end() ? std::string() : found->second;
    };
    const auto before = value_in(original);
    const auto after = value_in(imported);
    if (before == after) continue;
    const auto why = excuse(kind_of(name), before, after, lacking);
    if (why.empty()) {
      differences.wrong.push_back(fmt::format("{}: {} was '{}' and is '{}'", who, name, before, after));
    } else {
      differences.excused.emplace(kind_of(name), why);
    }
  }
}

TEST_P(FixedPoint, AMachineComesBackFromItsRecording) {
  const auto original = compiler::compile(GetParam().profile);
  ASSERT_TRUE(original.has_value()) << compiler::describe(original.error());
  const auto first = record(GetParam().profile, "first.nvmlrec");
  ASSERT_TRUE(first.complete);

  const auto bytes = read_file(folder_.path() / "first.nvmlrec");
  ASSERT_TRUE(bytes.has_value());
  const importer::Input input{"first.nvmlrec", *bytes};
  const auto imported = importer::import_captures({&input, 1}, "imported");
  ASSERT_TRUE(imported.has_value()) << fmt::format("{}", fmt::join(imported.error(), "\n"));
  EXPECT_TRUE(imported->notes.empty()) << fmt::format("{}", fmt::join(imported->notes, "\n"));
  if (const char* keep = std::getenv("NVMLAB_KEEP")) {
    write_file(std::filesystem::path(keep) / (GetParam().name + ".yaml"), imported->yaml);
    std::filesystem::copy_file(folder_.path() / "first.nvmlrec",
                               std::filesystem::path(keep) / (GetParam().name + ".rec"),
                               std::filesystem::copy_options::overwrite_existing);
  }

  const auto machine = compiler::compile_text(imported->yaml, "imported.yaml", "imported");
  ASSERT_TRUE(machine.has_value()) << compiler::describe(machine.error());
  ASSERT_EQ(machine->gpu_count(), original->gpu_count());
  const Lacking lacking(first);
  Differences differences;
  compare(leaves_of(original->node()), leaves_of(machine->node()), lacking, "machine", differences);
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    const auto here = lacking.of_gpu(original->gpu(i).modes.accounting.value_or(0) != 0);
    compare(leaves_of(original->gpu(i)), leaves_of(machine->gpu(i)), here, fmt::format("GPU {}", i), differences);
  }
  EXPECT_TRUE(differences.wrong.empty()) << fmt::format("{}", fmt::join(differences.wrong, "\n"));
  std::string report = fmt::format("{}: {} calls\n", GetParam().name, first.calls.size());
  for (const auto& [kind, why] : differences.excused)
    report += fmt::format("  {}: {}\n", kind, why);

  const auto profile = folder_.path() / "imported.yaml";
  ASSERT_TRUE(write_file(profile, imported->yaml));
  const auto second = record(profile.string(), "second.nvmlrec");
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < std::max(first.calls.size(), second.calls.size()); ++i) {
    if (i < first.calls.size() && i < second.calls.size() && same(first.calls[i], second.calls[i])) continue;
    changed.push_back(fmt::format("was: {}\nis:  {}", line_of(first, i), line_of(second, i)));
  }
  constexpr std::size_t shown = 40;
  EXPECT_TRUE(changed.empty()) << changed.size() << " lines differ\n"
                               << fmt::format("{}", fmt::join(changed.begin(),
                                                              changed.begin() + static_cast<std::ptrdiff_t>(
                                                                                    std::min(shown, changed.size())),
                                                              "\n"));
  std::cout << report;
}

INSTANTIATE_TEST_SUITE_P(Shipped, FixedPoint, testing::ValuesIn(shipped()), [](const auto& each) {
  std::string name = each.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Untold, NamesFields) { EXPECT_EQ(unknown_names(), std::vector<std::string>()); }

}  // namespace
}  // namespace nvmlab::test
