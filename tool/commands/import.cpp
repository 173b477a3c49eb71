// SPDX-License-Identifier: Apache-2.0
//
// nvmlab import: captures of a real machine as its profile. Tests: tests/tool/import_test.cpp, tests/import/golden/.
#include <filesystem>

#include "compiler/documents.hpp"
#include "import/importer.hpp"
#include "tool/commands/run_functions.hpp"
#include "tool/input.hpp"
#include "tool/output.hpp"
#include "tool/sources.hpp"

namespace nvmlab::tool {

int run_import(const Arguments& arguments) {
  const auto output = arguments.option("--output");
  if (!output) return misused("'import' needs --output FILE.yaml");
  const std::filesystem::path path(*output);
  const std::string machine = path.stem().string();
  if (path.extension() != ".yaml" || !compiler::valid_profile_name(machine)) {
    return misused(fmt::format(
        "--output {}: a name of letters, digits, '-', '_' and '.' that ends in .yaml was expected", *output));
  }
  std::vector<importer::Input> inputs;
  for (const std::string& file : arguments.all("FILE")) {
    auto bytes = read_input(file);
    if (!bytes) return complain(bytes.error());
    inputs.push_back({file, std::move(*bytes)});
  }
  const auto imported = importer::import_captures(inputs, machine, {arguments.option("--state").value_or("")});
  if (!imported) {
    for (const std::string& line : imported.error())
      print_problem(line);
    return complain("nothing was imported, and {} is not written", *output);
  }
  for (const std::string& note : imported->notes)
    print_problem(note);
  const auto* first = reinterpret_cast<const std::byte*>(imported->yaml.data());
  const std::vector<std::byte> bytes(first, first + imported->yaml.size());
  if (const auto written = write_file(*output, bytes, 0644); !written) return complain(written.error());
  print("{}: {}\n", *output, imported->summary);
  return kGood;
}

}  // namespace nvmlab::tool
