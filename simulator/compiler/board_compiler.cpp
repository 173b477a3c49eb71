// SPDX-License-Identifier: Apache-2.0
//
// board-compiler FILE: writes the shipped boards for compiled_boards.hpp. Used by the build only.
#include <cstdio>
#include <fstream>

#include "compiler/compiled_boards.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: board-compiler FILE\n", stderr);
    return 2;
  }
  const auto boards = nvmlab::compiler::compile_boards();
  if (!boards) {
    std::fputs(nvmlab::compiler::describe(boards.error()).c_str(), stderr);
    return 1;
  }
  std::ofstream file(argv[1], std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(boards->data()), static_cast<std::streamsize>(boards->size()));
  if (file.flush()) return 0;
  std::fprintf(stderr, "board-compiler: %s cannot be written\n", argv[1]);
  return 1;
}
