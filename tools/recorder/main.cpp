// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-record: `nvmlab record` as one file that needs the C library alone, to be copied to any Linux machine. Exit
// codes: 0 recorded, 1 not, 2 misused. Tests: tests/command/record_test.cpp, tests/drivers/abi/recorder_test.cpp.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "recorder/record.hpp"

namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kMisused = 2;

constexpr char kUsage[] =
    "usage: nvmlab-record -o FILE [--force] [--identifiers] [--library FILE] [--skip FUNCTION]... [--patience "
    "SECONDS]\n"
    "\n"
    "Records what the NVML library of this machine answers to every getter, for `nvmlab import`. Changes nothing and "
    "needs\n"
    "no root. UUIDs, serial numbers, host names and the like are masked unless --identifiers is given.\n"
    "\n"
    "  -o, --output FILE    where to; - is standard output\n"
    "  -f, --force          replace the file\n"
    "      --identifiers    keep what names the machine and its boards\n"
    "      --library FILE   this library; without it $NVMLAB_LIBRARY, else where drivers are installed\n"
    "      --skip FUNCTION  do not call this function\n"
    "      --patience N     seconds to wait for one call; 30 without it\n";

int misused(const char* what, const char* word) {
  std::fprintf(stderr, "nvmlab-record: %s%s; nvmlab-record --help\n", what, word);
  return kMisused;
}

}  // namespace

int main(int count, char** words) {
  nvmlab::recorder::RecordOptions options;
  options.program = "nvmlab-record";
  options.version = NVMLAB_VERSION;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const char* const value = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--help" || word == "-h") return std::fputs(kUsage, stdout) < 0 ? kFailed : kGood;
    if (word == "--version") return std::puts("nvmlab-record " NVMLAB_VERSION) < 0 ? kFailed : kGood;
    if (word == "--force" || word == "-f") {
      options.force = true;
    } else if (word == "--identifiers") {
      options.identifiers = true;
    } else if (word != "-o" && word != "--output" && word != "--library" && word != "--skip" && word != "--patience") {
      return misused("no option of that name: ", words[i]);
    } else if (value == nullptr) {
      return misused("a value is missing behind ", words[i]);
    } else {
      ++i;
      if (word == "--library") {
        options.library = value;
      } else if (word == "--skip") {
        options.skip.emplace_back(value);
      } else if (word == "--patience") {
        char* end = nullptr;
        const unsigned long seconds = std::strtoul(value, &end, 10);
        if (*end != '\0' || seconds < 1 || seconds > 3600)
          return misused("--patience takes 1 to 3600 seconds, not ", value);
        options.patience = static_cast<unsigned>(seconds);
      } else {
        options.output = value;
      }
    }
  }
  if (options.output.empty()) return misused("-o FILE is missing", "");
  const auto outcome = nvmlab::recorder::record(options);
  if (!outcome.sentence.empty())
    std::fprintf(stderr, "%s%s\n", outcome.good ? "" : "nvmlab-record: ", outcome.sentence.c_str());
  return outcome.good ? kGood : kFailed;
}
