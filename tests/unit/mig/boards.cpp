// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/mig/boards.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "compiler/compile.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::mig_test {
namespace {

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);)
    parts.push_back(part);
  return parts;
}

}  // namespace

MigMachine::MigMachine(const std::string& inherits, std::uint32_t missing, bool administrator)
    : memory_(new Block[store_size(1) / sizeof(Block) + 1]()), target_{store(), file_, administrator} {
  const auto machine = compiler::compile_text(profile_text(inherits, missing), "board.yaml", "board");
  if (!machine) throw std::runtime_error(compiler::describe(machine.error()));
  Image image;
  if (open_image(machine->image.data(), machine->image.size(), &image) != ImageError::none)
    throw std::runtime_error("no image");
  build_store(memory_.get(), image, 1, "mig", 3, {.mode = ClockMode::virtual_time});
}

std::vector<std::vector<std::string>> table(const std::string& name) {
  const auto text = test::read_file(test::source_folder() / "tests/unit/mig" / name);
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(text.value_or(""));
  bool heading = true;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (!heading) rows.push_back(split(line, '\t'));
    heading = false;
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

std::vector<std::uint32_t> numbers(const std::string& list) {
  std::vector<std::uint32_t> found;
  for (const std::string& each : split(list, ','))
    found.push_back(static_cast<std::uint32_t>(std::stoul(each)));
  return found;
}

}  // namespace nvmlab::mig_test
