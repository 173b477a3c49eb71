// SPDX-License-Identifier: Apache-2.0
#include "tests/import/recordings/fixed_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/compile.hpp"
#include "import/importer.hpp"
#include "import/recording/recording.hpp"
#include "tests/import/recordings/leaves.hpp"
#include "tests/import/recordings/unobservable.hpp"
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
    const auto why = excuse(name, before, after, lacking);
    if (why.empty()) {
      differences.wrong.push_back(fmt::format("{}: {} was '{}' and is '{}'", who, name, before, after));
    } else {
      differences.excused.emplace(kind_of(name), why);
    }
  }
}

// The machine's recording, in a file of that name.
recording::Recording record(const std::filesystem::path& machine, const std::filesystem::path& file) {
  Command command;
  command.arguments = {nvmlab_program().string(),
                       "run",
                       "--profile",
                       machine.string(),
                       "--role",
                       "root",
                       "--",
                       nvmlab_program().string(),
                       "record",
                       "--identifiers",
                       "-o",
                       file.string()};
  command.environment = node_environment({});
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  auto recording = recording::read_file(file.string());
  if (!recording) ADD_FAILURE() << recording.error().text();
  return recording ? std::move(*recording) : recording::Recording{};
}

std::filesystem::path written(const std::filesystem::path& file, const compiler::Machine& machine) {
  const auto* bytes = reinterpret_cast<const char*>(machine.image.data());
  EXPECT_TRUE(write_file(file, {bytes, machine.image.size()}));
  return file;
}

// NVMLAB_KEEP names a folder for what a failure is studied by.
void keep(const Recorded& machine, const std::filesystem::path& recording, const std::string& yaml) {
  const char* folder = std::getenv("NVMLAB_KEEP");
  if (folder == nullptr) return;
  const auto name = machine.name + (machine.driver ? "_" + *machine.driver : "");
  write_file(std::filesystem::path(folder) / (name + ".yaml"), yaml);
  std::filesystem::copy_file(recording, std::filesystem::path(folder) / (name + ".rec"),
                             std::filesystem::copy_options::overwrite_existing);
}

Differences compare(const compiler::Machine& original, const compiler::Machine& imported, const Lacking& lacking) {
  Differences differences;
  compare(leaves_of(original.node()), leaves_of(imported.node()), lacking, "machine", differences);
  for (std::uint32_t i = 0; i < imported.gpu_count(); ++i) {
    const Modes& modes = original.gpu(i).modes;
    const auto here = lacking.of_gpu(modes.accounting.value_or(0) != 0, modes.mig.value_or(0) != 0);
    compare(leaves_of(original.gpu(i)), leaves_of(imported.gpu(i)), here, fmt::format("GPU {}", i), differences);
  }
  return differences;
}

void expect_same(const recording::Recording& first, const recording::Recording& second) {
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < std::max(first.calls.size(), second.calls.size()); ++i) {
    if (i < first.calls.size() && i < second.calls.size() && same(first.calls[i], second.calls[i])) continue;
    changed.push_back(fmt::format("was: {}\nis:  {}", line_of(first, i), line_of(second, i)));
  }
  constexpr std::size_t shown = 40;
  const auto end = changed.begin() + static_cast<std::ptrdiff_t>(std::min(shown, changed.size()));
  EXPECT_TRUE(changed.empty()) << changed.size() << " lines differ\n"
                               << fmt::format("{}", fmt::join(changed.begin(), end, "\n"));
}

}  // namespace

void expect_fixed_point(const Recorded& recorded) {
  const auto original = compiler::compile(recorded.profile, {.gpus = std::nullopt, .driver = recorded.driver});
  ASSERT_TRUE(original.has_value()) << compiler::describe(original.error());
  TempFolder folder;
  const auto file = folder.path() / "first.nvmlrec";
  const auto first = record(written(folder.path() / "original.machine", *original), file);
  ASSERT_TRUE(first.complete);

  const auto bytes = read_file(file);
  ASSERT_TRUE(bytes.has_value());
  const importer::Input input{"first.nvmlrec", *bytes};
  const auto imported = importer::import_captures({&input, 1}, "imported");
  ASSERT_TRUE(imported.has_value()) << fmt::format("{}", fmt::join(imported.error(), "\n"));
  EXPECT_TRUE(imported->notes.empty()) << fmt::format("{}", fmt::join(imported->notes, "\n"));
  keep(recorded, file, imported->yaml);

  const auto machine = compiler::compile_text(imported->yaml, "imported.yaml", "imported");
  ASSERT_TRUE(machine.has_value()) << compiler::describe(machine.error());
  ASSERT_EQ(machine->gpu_count(), original->gpu_count());
  const auto differences = compare(*original, *machine, Lacking(first));
  EXPECT_TRUE(differences.wrong.empty()) << fmt::format("{}", fmt::join(differences.wrong, "\n"));
  std::string report = fmt::format("{}: {} calls\n", recorded.name, first.calls.size());
  for (const auto& [kind, why] : differences.excused)
    report += fmt::format("  {}: {}\n", kind, why);

  expect_same(first, record(written(folder.path() / "imported.machine", *machine), folder.path() / "second.nvmlrec"));
  std::cout << report;
}

}  // namespace nvmlab::test
