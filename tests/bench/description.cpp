// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/description.hpp"

#include <benchmark/benchmark.h>
#include <elf.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/bench/driver.hpp"

namespace nvmlab::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// Of the file without what a debugger reads: to the end of the last segment that is loaded.
std::uint64_t stored_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
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
  return stored;
}

std::chrono::microseconds time_of_children() {
  rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  return std::chrono::seconds(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         std::chrono::microseconds(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

// Time of the processor, so that what else the machine does counts less; the best of three, as the first one reads from
// the disk.
std::string umbrella_compile_ms() {
  char source[] = "/tmp/nvmlab-bench-XXXXXX.cpp";
  const int file = ::mkstemps(source, 4);
  if (file < 0) return "unknown";
  constexpr std::string_view text = "#include <nvmlab/nvml.hpp>\nint main() {}\n";
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  const std::string command =
      fmt::format("'{}' -std=c++23 -O0 -I '{}/binding' -c {} -o /dev/null", NVMLAB_BENCH_CXX, kSource, source);
  auto best = std::chrono::microseconds::max();
  for (int i = 0; i < 3 && written; ++i) {
    const auto before = time_of_children();
    if (std::system(command.c_str()) != 0) break;
    best = std::min(best, time_of_children() - before);
  }
  ::unlink(source);
  return best == std::chrono::microseconds::max() ? "unknown" : std::to_string(best.count() / 1000);
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
  benchmark::AddCustomContext("library_stored_bytes", std::to_string(stored_bytes(driver_library())));
  benchmark::AddCustomContext("devices_stripped_kib", std::to_string(stored_bytes(NVMLAB_BENCH_DEVICES) / 1024));
  benchmark::AddCustomContext("umbrella_compile_ms", umbrella_compile_ms());
}

}  // namespace nvmlab::bench
