// SPDX-License-Identifier: Apache-2.0
//
// nvmlab import: captures of a real machine as its profile. Tests: tests/command/import_test.cpp, tests/import/golden/.
#include <filesystem>

#include "base/write_file.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/compare/leaves_left.hpp"
#include "command/profile/input.hpp"
#include "command/profile/sources.hpp"
#include "compiler/documents.hpp"
#include "compiler/shipped.hpp"
#include "import/importer.hpp"

namespace nvmlab::tool {
namespace {

struct Import {
  std::vector<std::string> files;
  std::string output;
  std::string state;
  std::optional<std::string> driver;
  bool force = false;
  bool partial = false;
  bool leaves = false;

  void declare(CommandLine& line);
  int run() const;

 private:
  std::string machine_name() const;
  std::string why_not_there() const;
  int write(const importer::Imported& imported) const;
};

void Import::declare(CommandLine& line) {
  line.argument(
          "FILE", files,
          "What nvidia-smi (-q -x, -q, topo -m, nvlink, mig ...), deviceQuery or NCCL printed; a file may hold several "
          "outputs; - is standard input")
      .required()
      .complete(Complete::file);
  add_output(line, output, "Write to FILE (`-`: standard output), whose name ends in .yaml and names the machine");
  line.flag("--force,-f", force, "Overwrite the file if it exists");
  line.option("--state", "NAME", state,
              "Which state to read from a file that shows several, such as idle and load (default: idle)");
  add_driver(line, driver, "The driver, where the captures do not name it: a branch such as 550, or a version");
  line.flag("--partial", partial,
            "Accept a log with fewer GPUs than are attached: one of `nvidia-smi -i`, or one that was cut");
  line.flag("--leaves", leaves, "List every leaf of the logs that is not carried into the profile, with the reason");
}

// Profiles are called like their files. Standard output has no name, so it is that of the first capture.
std::string Import::machine_name() const {
  if (output != "-") return std::filesystem::path(output).stem().string();
  const std::string name = std::filesystem::path(files.front()).stem().string();
  const bool good =
      files.front() != "-" && compiler::valid_profile_name(name) && compiler::find_shipped(name) == nullptr;
  return good ? name : "imported";
}

std::string Import::why_not_there() const {
  std::error_code failed;
  if (output == "-") return {};
  for (const std::string& file : files) {
    if (std::filesystem::equivalent(file, output, failed))
      return fmt::format("{} is one of the captures, and is not overwritten", output);
  }
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(output, failed)))
    return fmt::format("{} is there already; --force replaces it", output);
  return {};
}

int Import::write(const importer::Imported& imported) const {
  const auto& ledger = imported.leaves;
  std::string summary = imported.summary;
  if (const auto total = ledger.total(); total > 0) {
    summary += fmt::format("; {} of {} leaves are carried", ledger.carried(), total);
    if (!leaves && ledger.carried() < total) summary += ", --leaves lists the others";
  }
  if (output == "-") {
    print(std::string_view(imported.yaml));
    print_problem(summary);
    return kGood;
  }
  const auto* first = reinterpret_cast<const std::byte*>(imported.yaml.data());
  const std::vector<std::byte> bytes(first, first + imported.yaml.size());
  if (const auto written = write_file(output, bytes, 0644); !written) return complain(written.error());
  print("{}: {}\n", output, summary);
  return kGood;
}

int Import::run() const {
  if (output.empty()) return misused("'import' needs --output FILE.yaml");
  const std::string machine = machine_name();
  if (output != "-" &&
      (std::filesystem::path(output).extension() != ".yaml" || !compiler::valid_profile_name(machine))) {
    return misused(fmt::format(
        "--output {}: a name of letters, digits, '-', '_' and '.' that ends in .yaml was expected", output));
  }
  if (const auto why_not = why_not_there(); !why_not.empty()) return complain(why_not);
  std::vector<importer::Input> inputs;
  for (const std::string& file : files) {
    auto bytes = read_input(file);
    if (!bytes) return complain(bytes.error());
    inputs.push_back({file == "-" ? "stdin" : file, std::move(*bytes)});
  }
  const auto imported = importer::import_captures(inputs, machine, {state, driver.value_or(""), partial});
  if (!imported) {
    for (const std::string& line : imported.error())
      print_problem(line);
    return complain("nothing was imported, and {} is not written", output);
  }
  for (const std::string& note : imported->notes)
    print_problem(note);
  if (leaves) {
    for (const auto& left : imported->leaves.left())
      print_problem(line_of(left));
  }
  return write(*imported);
}

constexpr Example kImportExamples[] = {
    {"nvmlab import capture.xml -o my-node.yaml", "a profile of the machine that printed capture.xml"},
    {"nvmlab import q.xml topo.txt nvlink.txt deviceQuery.txt -o my-node.yaml", "several outputs of one machine"},
    {"nvmlab import session.txt --state load -o my-node.yaml", "the machine under load, of a file that shows both"},
    {"ssh node nvidia-smi -q -x | nvmlab import - -o my-node.yaml", "without a file between"},
};

}  // namespace

extern const Command kImport{
    .name = "import",
    .summary = "Make a profile from captures of a machine",
    .about =
        "Turns what tools printed on a real machine into a profile of that machine and its GPUs: nvidia-smi (-q "
        "-x tells most; also -q, CSV, topo -m, nvlink, mig, -L), deviceQuery, NCCL; recordings and "
        "configurations of Mock NVML too. The format of a file is recognised by its content. Each value names the "
        "capture that it was read from; what no capture tells is inherited from the family of the chip. Where "
        "nvidia-smi printed that a value is not supported, deprecated or forbidden, the simulated driver answers the "
        "same.\n\n"
        "Several files are taken as captures of one machine and complete one another. Where they disagree, a note "
        "names both, and the first one counts. If a file cannot be read, its line is reported and nothing is written; "
        "a single impossible value is left out with a note. Masked identifiers are replaced by derived ones. Every "
        "leaf of a log is carried into the profile, or listed by --leaves with the reason why not.",
    .examples = kImportExamples,
    .declare = declared<Import>,
};

}  // namespace nvmlab::tool
