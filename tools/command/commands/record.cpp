// SPDX-License-Identifier: Apache-2.0
//
// nvmlab record: what the NVML library of this machine answers, in a file. Tests: tests/command/record_test.cpp.

#include <charconv>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "recorder/record.hpp"

namespace nvmlab::tool {
namespace {

constexpr unsigned kLongestPatience = 3600;

struct Record {
  std::string output;
  bool force = false;
  bool identifiers = false;
  std::string library;
  std::vector<std::string> skip;
  std::optional<std::string> patience;

  void declare(CommandLine& line);
  int run() const;
};

void Record::declare(CommandLine& line) {
  add_output(line, output, "Write to FILE (`-`: standard output)");
  line.flag("--force,-f", force, "Overwrite the file if it exists");
  line.flag("--identifiers", identifiers,
            "Keep UUIDs, serial numbers, host names and the like, which are masked by default");
  add_library(line, library);
  line.repeated("--skip", "FUNCTION", skip, "Do not call this function; may be repeated");
  line.option("--patience", "SECONDS", patience, "How long to wait for one call (default: 30)");
}

int Record::run() const {
  recorder::RecordOptions options;
  options.program = "nvmlab";
  options.version = NVMLAB_VERSION;
  options.output = output;
  if (options.output.empty()) return misused("'record' needs --output FILE");
  options.library = library;
  options.identifiers = identifiers;
  options.force = force;
  options.skip = skip;
  if (patience) {
    const char* const end = patience->data() + patience->size();
    const auto read = std::from_chars(patience->data(), end, options.patience);
    if (read.ec != std::errc{} || read.ptr != end || options.patience < 1 || options.patience > kLongestPatience)
      return misused(fmt::format("--patience {}: 1 to {} seconds were expected", *patience, kLongestPatience));
  }
  const auto outcome = recorder::record(options);
  if (!outcome.good) return outcome.sentence.empty() ? kFailed : complain(outcome.sentence);
  if (options.output == "-") {
    print_problem(outcome.sentence);
  } else {
    print("{}\n", outcome.sentence);
  }
  return kGood;
}

constexpr Example kRecordExamples[] = {
    {"nvmlab record -o my-node.gz", "what the installed driver returns"},
    {"nvmlab run --profile dgx-h100 -- nvmlab record -o h100.gz", "what the simulated one returns"},
    {"nvmlab record -o - | ssh build 'cat > my-node.gz'", "to another machine, with no file on this one"},
};

}  // namespace

extern const Command kRecord{
    .name = "record",
    .summary = "Record everything that this machine's NVML library returns",
    .about =
        "Calls every getter of the NVML library that is installed here (below `nvmlab run` the simulated one) "
        "with every choice of arguments, for every GPU, MIG device, pair of GPUs and unit, and writes values and "
        "return codes to a compressed file of JSON lines. It changes nothing, does not need root and takes well "
        "under a minute. What identifies the machine or one of its boards is masked; equal values stay equal.\n\n"
        "If a call crashes or does not return, what was recorded so far is kept in FILE.partial, whose last line names "
        "the call. The program nvmlab-record does the same: a single file that needs nothing but the C library.",
    .examples = kRecordExamples,
    .declare = declared<Record>,
};

}  // namespace nvmlab::tool
