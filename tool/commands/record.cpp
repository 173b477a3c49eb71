// SPDX-License-Identifier: Apache-2.0
//
// nvmlab record: what the NVML library of this machine answers, in a file. Tests: tests/tool/record_test.cpp.
#include "recorder/record.hpp"

#include <charconv>

#include "tool/commands/run_functions.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

constexpr unsigned kLongestPatience = 3600;

}  // namespace

int run_record(const Arguments& arguments) {
  recorder::RecordOptions options;
  options.program = "nvmlab";
  options.version = NVMLAB_VERSION;
  options.output = arguments.option_or("--output", "");
  if (options.output.empty()) return misused("'record' needs --output FILE");
  options.library = arguments.option_or("--library", "");
  options.identifiers = arguments.flag("--identifiers");
  options.force = arguments.flag("--force");
  options.skip = arguments.all("--skip");
  if (const auto patience = arguments.option("--patience")) {
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

}  // namespace nvmlab::tool
