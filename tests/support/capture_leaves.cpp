// SPDX-License-Identifier: Apache-2.0
//
// capture-leaves: captures as tables, and two captures held against each other; the client tests' tools, for a person.
//
//   capture-leaves table FILE --board NAME --source ID       the leaves of FILE as a table of facts
//   (tests/clients/boards/*.tsv) capture-leaves compare EXPECTED ACTUAL                    agreement and differences;
//   each is a table or a capture
//
// Exit code: 0 done, 1 wrong use or unreadable input, 3 `compare --at-least P` was not reached.
// Test: tests/unit/capture/program_test.cpp.
#include <filesystem>
#include <string>
#include <variant>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "import/capture/capture.hpp"
#include "tests/support/comparison.hpp"
#include "tests/support/files.hpp"
#include "tests/support/leaf_table.hpp"

namespace {

using nvmlab::capture::Capture;
using nvmlab::capture::Error;

std::expected<Capture, Error> read(const std::string& file) {
  const auto bytes = nvmlab::test::read_file(file);
  if (!bytes) return std::unexpected(Error{file, 1, 1, "cannot be read; expected a capture or a leaf table"});
  if (!nvmlab::test::looks_like_table(*bytes)) return nvmlab::capture::read_capture(*bytes, file);
  auto table = nvmlab::test::read_table(*bytes, file);
  if (!table) return std::unexpected(std::move(table.error()));
  Capture capture;
  capture.name = file;
  capture.leaves = std::move(table->leaves);
  return capture;
}

int complain(const Error& error) {
  fmt::print(stderr, "{}\n", error.text());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"nvidia-smi captures as tables, and compared leaf by leaf"};
  app.require_subcommand(1);

  std::string file;
  std::string board;
  std::string source;
  auto* table = app.add_subcommand("table", "write the leaves of a capture as a table of facts");
  table->add_option("FILE", file, "output of nvidia-smi -q -x or -q")->required();
  table->add_option("--board", board, "name of the board or machine")->required();
  table->add_option("--source", source, "where the capture comes from")->required();

  std::string expected_file;
  std::string actual_file;
  double at_least = 0;
  bool stand_in = false;
  auto* compare = app.add_subcommand("compare", "agreement over the leaves that both print, and all differences");
  compare->add_option("EXPECTED", expected_file, "a table or a capture")->required();
  compare->add_option("ACTUAL", actual_file, "a table or a capture")->required();
  compare->add_flag("--first-stands-for-all", stand_in, "compare GPUs that EXPECTED lacks with its first");
  compare->add_option("--at-least", at_least, "exit code 3 below this many percent");
  CLI11_PARSE(app, argc, argv);

  if (table->parsed()) {
    const auto capture = read(file);
    if (!capture) return complain(capture.error());
    fmt::print("{}", nvmlab::test::write_table(*capture, board, source));
    return 0;
  }
  const auto expected = read(expected_file);
  if (!expected) return complain(expected.error());
  const auto actual = read(actual_file);
  if (!actual) return complain(actual.error());
  using nvmlab::test::Boards;
  const auto comparison = nvmlab::test::compare(expected->leaves, actual->leaves,
                                                stand_in ? Boards::first_stands_for_all : Boards::as_captured);
  fmt::print("{}", nvmlab::test::report(comparison, expected_file, actual_file));
  return comparison.percent() < at_least ? 3 : 0;
}
