// SPDX-License-Identifier: Apache-2.0
#include "bench/description.hpp"

#include <benchmark/benchmark.h>
#include <elf.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/driver.hpp"

namespace nvmlab::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// Of the segments that are loaded, and of the file without what a debugger reads.
void add_sizes() {
  std::ifstream file(driver_library(), std::ios::binary);
  Elf64_Ehdr head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  file.read(reinterpret_cast<char*>(segments.data()), static_cast<std::streamsize>(sizeof(Elf64_Phdr) * head.e_phnum));
  std::uint64_t stored = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > stored)
      stored = segment.p_offset + segment.p_filesz;
  }
  benchmark::AddCustomContext("library_stored_bytes", std::to_string(stored));
}

}  // namespace

void describe_machine() {
  utsname system{};
  ::uname(&system);
  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("cores", std::to_string(std::thread::hardware_concurrency()));
  benchmark::AddCustomContext("kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine));
#if defined(__clang__)
  benchmark::AddCustomContext("compiler", "clang " __VERSION__);
#else
  benchmark::AddCustomContext("compiler", "GCC " __VERSION__);
#endif
  benchmark::AddCustomContext("build_type", NVMLAB_BENCH_BUILD_TYPE);
  benchmark::AddCustomContext("libc", fmt::format("glibc {}", ::gnu_get_libc_version()));
  add_sizes();
}

}  // namespace nvmlab::bench
