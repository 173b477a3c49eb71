// SPDX-License-Identifier: Apache-2.0
//
// machine-compiler FOLDER NAME...: compiles shipped profiles to FOLDER/NAME.machine. Used by the build only; users have
// `nvmlab`. Tests: every test that uses a shipped machine.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/compile.hpp"

namespace {

bool write(const std::filesystem::path& path, const nvmlab::compiler::Machine& machine) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(machine.image.data()), static_cast<std::streamsize>(machine.image.size()));
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: machine-compiler FOLDER NAME...\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  bool good = true;
  for (int i = 2; i < argc; ++i) {
    const auto machine = nvmlab::compiler::compile(argv[i]);
    if (!machine) {
      std::fputs(nvmlab::compiler::describe(machine.error()).c_str(), stderr);
      good = false;
      continue;
    }
    const std::filesystem::path path = folder / (machine->name + ".machine");
    if (!write(path, *machine)) {
      std::fprintf(stderr, "machine-compiler: %s cannot be written\n", path.c_str());
      good = false;
    }
  }
  return good ? 0 : 1;
}
