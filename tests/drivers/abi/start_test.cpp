// SPDX-License-Identifier: Apache-2.0
// What a process pays for a driver that it has just initialised, in what a clock does not blur: pages and page faults.
// Who adds to the start of the driver or to
// the state of a GPU learns here what it costs (docs/decisions/0012-start.md).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/drivers/abi/driver.hpp"

namespace {

using namespace nvmlab::abi_test;

// In KiB, as the kernel counts them.
struct Pages {
  long of_library = 0;  // that this process has mapped of the library's file
  long own = 0;         // of no file, or changed
};

Pages pages() {
  static char line[512];
  Pages pages;
  bool of_library = false;
  std::FILE* file = std::fopen("/proc/self/smaps", "r");
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    long kib = 0;
    unsigned long first = 0;
    unsigned long last = 0;
    if (std::sscanf(line, "%lx-%lx ", &first, &last) == 2) {
      of_library = std::strstr(line, "libnvidia-ml.so") != nullptr;
    } else if (std::sscanf(line, "Rss: %ld", &kib) == 1 && of_library) {
      pages.of_library += kib;
    } else if (std::sscanf(line, "Anonymous: %ld", &kib) == 1) {
      pages.own += kib;
    }
  }
  if (file != nullptr) std::fclose(file);
  return pages;
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

bool within(const char* what, long measured, long limit) {
  if (measured > limit) std::fprintf(stderr, "%s: %ld, limit %ld\n", what, measured, limit);
  return measured <= limit;
}

constexpr long kLibraryKib = 136;  // symbol tables, code and data of a start: two windows of 64 KiB, two pages of data
constexpr long kOwnKib = 40;  // the store's head, a machine's file, and what the loader and libc take for a library
constexpr long kFaults = 8;   // two of the driver, three of a machine's file, and of libc what nobody touched before
constexpr long kLibraryUsedKib = 264;  // one or two windows more, and what monitors do not call
constexpr long kGpuKib = 44;           // for each GPU that was looked at
constexpr long kYamlFaults = 220;      // three dozen of them the compiler's relocations, as many the tree of the file

int start() {
  pages();
  const Pages before = pages();
  const Driver driver;
  if (!driver.open()) return 1;
  const long faults = page_faults();
  if (driver.init() != kSuccess) return 2;
  const long faults_of_init = page_faults() - faults;
  const Pages ready = pages();
  if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
  const Pages used = pages();
  bool good = within("KiB of the library", ready.of_library, kLibraryKib);
  good = within("KiB of its own", ready.own - before.own, kOwnKib) && good;
  good = within("page faults of nvmlInit", faults_of_init, kFaults) && good;
  good = within("KiB of the library after a look at all GPUs", used.of_library, kLibraryUsedKib) && good;
  good = within("KiB of each GPU", (used.own - ready.own) / kDefaultGpus, kGpuKib) && good;
  std::fprintf(stderr, "library %ld, own %ld, faults %ld; in use: library %ld, own %ld\n", ready.of_library,
               ready.own - before.own, faults_of_init, used.of_library, used.own - ready.own);
  return good ? 0 : 3;
}

TEST(Start, TouchesFewPages) { EXPECT_EQ(in_child(start), "exit 0"); }

// The same of a machine file, which is read to where it stays.
TEST(Start, TouchesFewPagesForAMachineFile) {
  EXPECT_EQ(in_child([] {
              const std::string file = driver_folder() + "/nvmlab/machines/dgx-a100.machine";
              setenv("NVMLAB_PROFILE", file.c_str(), 1);
              return start();
            }),
            "exit 0");
}

// Of YAML the faults alone: a compiler comes and goes.
int start_from_yaml() {
  const std::string file = std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/profiles/machines/dgx-h100.yaml";
  setenv("NVMLAB_PROFILE", file.c_str(), 1);
  const Driver driver;
  if (!driver.open()) return 1;
  const long faults = page_faults();
  if (driver.init() != kSuccess) return 2;
  const long faults_of_init = page_faults() - faults;
  std::fprintf(stderr, "faults from YAML %ld\n", faults_of_init);
  return within("page faults of nvmlInit from YAML", faults_of_init, kYamlFaults) ? 0 : 3;
}

TEST(Start, TouchesFewPagesForYaml) { EXPECT_EQ(in_child(start_from_yaml), "exit 0"); }

}  // namespace
