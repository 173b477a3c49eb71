// SPDX-License-Identifier: Apache-2.0
//
// nvmlab import: captures of a real machine as its profile. Tests: tests/tool/import_test.cpp, tests/import/golden/.
#include <filesystem>

#include "compiler/documents.hpp"
#include "import/importer.hpp"
#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/profile/input.hpp"
#include "tool/profile/sources.hpp"

namespace nvmlab::tool {
namespace {

struct Import {
  std::vector<std::string> files;
  std::string output;
  std::string state;

  void declare(CommandLine& line);
  int run() const;
};

void Import::declare(CommandLine& line) {
  line.argument(
          "FILE", files,
          "What nvidia-smi (-q -x, -q, topo -m, nvlink, mig ...), deviceQuery or NCCL printed, also several in one "
          "file")
      .required()
      .complete(Complete::file);
  add_output(line, output, "Where to; the name ends in .yaml, and the machine is called like it");
  line.option("--state", "NAME", state,
              "Of a file that shows the machine in several states (idle, load): this one; else idle");
}

int Import::run() const {
  if (output.empty()) return misused("'import' needs --output FILE.yaml");
  const std::filesystem::path path(output);
  const std::string machine = path.stem().string();
  if (path.extension() != ".yaml" || !compiler::valid_profile_name(machine)) {
    return misused(fmt::format(
        "--output {}: a name of letters, digits, '-', '_' and '.' that ends in .yaml was expected", output));
  }
  std::vector<importer::Input> inputs;
  for (const std::string& file : files) {
    auto bytes = read_input(file);
    if (!bytes) return complain(bytes.error());
    inputs.push_back({file, std::move(*bytes)});
  }
  const auto imported = importer::import_captures(inputs, machine, {state});
  if (!imported) {
    for (const std::string& line : imported.error())
      print_problem(line);
    return complain("nothing was imported, and {} is not written", output);
  }
  for (const std::string& note : imported->notes)
    print_problem(note);
  const auto* first = reinterpret_cast<const std::byte*>(imported->yaml.data());
  const std::vector<std::byte> bytes(first, first + imported->yaml.size());
  if (const auto written = write_file(output, bytes, 0644); !written) return complain(written.error());
  print("{}: {}\n", output, imported->summary);
  return kGood;
}

constexpr Example kImportExamples[] = {
    {"nvmlab import capture.xml -o my-node.yaml", "a profile of the machine that printed capture.xml"},
    {"nvmlab import q.xml topo.txt nvlink.txt deviceQuery.txt -o my-node.yaml", "several outputs of one machine"},
    {"nvmlab import session.txt --state load -o my-node.yaml", "the machine under load, of a file that shows both"},
};

}  // namespace

extern const Command kImport{
    .name = "import",
    .summary = "Make a profile from captures of a machine",
    .about =
        "Turns what tools printed on a real machine into a profile of that machine and its GPUs: nvidia-smi (-q "
        "-x tells most; also -q, CSV, topo -m, nvlink, mig, -L), deviceQuery, NCCL; recordings and "
        "configurations of Mock NVML too. What a file is shows in its content. Each value names the capture that "
        "it was read from; what no capture tells is inherited from the family of the chip. Where nvidia-smi "
        "printed that a value is not supported, deprecated or forbidden, the simulated driver answers the "
        "same.\n\n"
        "Several files are captures of one machine and complete one another. Where they contradict one another, "
        "both are named and the first one stands. A file that cannot be read is reported with its line, and then "
        "nothing is written.",
    .examples = kImportExamples,
    .declare = declared<Import>,
};

}  // namespace nvmlab::tool
