// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a trace of nvidia-smi: the reader says what is wrong and where, or has rows that a machine can be loaded by.
#include <string_view>

#include "command/trace/replay.hpp"
#include "tests/fuzz/fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto trace = tool::read_trace({reinterpret_cast<const char*>(data), size}, "trace.csv", kSecond);
  if (!trace) {
    if (trace.error().message.empty() || trace.error().file.empty()) fuzz::wrong("refused without a word or a place");
    return 0;
  }
  for (const tool::TraceGpu& gpu : trace->gpus) {
    std::uint64_t before_ns = 0;
    if (gpu.rows.empty()) fuzz::wrong("a GPU without a row");
    for (const tool::TraceRow& row : gpu.rows) {
      if (row.at_ns < before_ns) fuzz::wrong("time goes backwards");
      if (row.cells.size() != trace->columns.size()) fuzz::wrong("a row that has not a cell for each column");
      before_ns = row.at_ns;
    }
  }
  constexpr std::uint32_t kGpus[] = {0, 1};
  auto replay = tool::TraceReplay::of(*trace, kGpus, kSecond, {});
  if (!replay) return 0;
  while (!replay->done())
    if (replay->take().empty()) fuzz::wrong("a time at which nothing happens");
  return 0;
}
