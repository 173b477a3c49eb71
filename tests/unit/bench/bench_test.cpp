// SPDX-License-Identifier: Apache-2.0
// The benchmarks run, and the page that is made of what they say has a row for each of them.
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string>

#include "tests/bench/report/report.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

std::string program(const char* name) { return (binary_folder() / "bin" / name).string(); }

TEST(Bench, KernelsComputeWhatTheirLoopsDo) {
  const TempFolder folder;
  const std::string page = folder.path() / "kernels.md";
  const Outcome measured = run(Command{{program("nvmlab-bench-kernels"), page}});
  ASSERT_TRUE(measured.ok()) << measured.story();
  const auto text = read_file(page);
  ASSERT_TRUE(text);
  for (const char* part : {"| kernel | 1 core |", "| matrix multiply", "| reduction", "| histogram",
                           "| start of taichi", "| short launch", "| one warp"})
    EXPECT_NE(text->find(part), std::string::npos) << part;
}

TEST(Bench, EveryBenchmarkRunsAndHasItsRow) {
  const TempFolder folder;
  const std::string json = folder.path() / "benchmarks.json";
  const std::string page = folder.path() / "benchmarks.md";
  Command measure{{program("nvmlab-bench"), "--benchmark_min_time=0.0001", "--benchmark_out=" + json}};
  measure.environment["NVMLAB_PROFILE"] = "no-such-profile";  // what the shell has set must not matter
  const Outcome measured = run(measure);
  ASSERT_TRUE(measured.ok()) << measured.story();
  const std::string exports = folder.path() / "exports.json";
  const Outcome walked = run(Command{{program("nvmlab-bench-exports"), exports}});
  ASSERT_TRUE(walked.ok()) << walked.story();
  const std::string events = folder.path() / "events.json";
  const Outcome raised = run(Command{{program("nvmlab-bench-events"), events}});
  ASSERT_TRUE(raised.ok()) << raised.story();
  const Outcome written = run(Command{{program("nvmlab-bench-report"), page, json, exports, events, json, exports}});
  ASSERT_TRUE(written.ok()) << written.story();
  const auto text = read_file(page);
  ASSERT_TRUE(text);
  for (const char* part : {"| processor |",
                           "| kernel |",
                           "| called by name |",
                           "| called through a pointer |",
                           "`nvmlDeviceGetIndex`",
                           "`nvmlDeviceGetNumGpuCores`",
                           "`nvmlDeviceGetMaxPcieLinkWidth`",
                           "`nvmlDeviceGetHandleByIndex_v2`",
                           "`nvmlDeviceGetName`",
                           "`nvmlDeviceGetUUID`",
                           "`nvmlDeviceGetPowerUsage`",
                           "`nvmlDeviceGetUtilizationRates`",
                           "`nvmlDeviceGetTemperature`",
                           "`nvmlDeviceGetClockInfo`",
                           "`nvmlDeviceGetMemoryInfo`",
                           "`nvmlDeviceGetMemoryInfo_v2`",
                           "`nvmlDeviceGetFieldValues`",
                           "| `power_usage` |",
                           "| `name` |",
                           "| `uuid` |",
                           "at most 10 %.",
                           "| `bar1_memory_info` |",
                           "stripped (limit: 250)",
                           "| `empty_pointer` | 1 |",
                           "| `nvmlDeviceGetPowerUsage` | 1 |",
                           "| C++ | 1000 | 1000 |",
                           "| an empty library |",
                           "| a compiled machine, 8 GPUs |",
                           "| the machine in the library, 8 GPUs |",
                           "| YAML named by the environment, 8 GPUs |",
                           "| a compiled machine, 1,024 GPUs |",
                           "| `walk` | 1024 |",
                           "| a made-up log of 8 GPUs |",
                           "without debug information"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << " is missing in\n" << *text;
  }
  // The client may be missing; then the page says so.
  EXPECT_TRUE(text->find("| `nvidia-smi -L` | 1024 |") != std::string::npos ||
              text->find("nvidia-smi is not there") != std::string::npos)
      << *text;
  EXPECT_EQ(text->find("unknown ms"), std::string::npos) << *text;
  EXPECT_EQ(text->find("not measured |"), std::string::npos) << *text;
  // A driver starts no thread.
  EXPECT_EQ(text->find("| 2 | 100 |"), std::string::npos) << *text;
}

std::string run_of(const std::string& name, double ns) {
  return R"({"name": ")" + name + R"(", "run_type": "iteration", "time_unit": "ns", "real_time": )" +
         std::to_string(ns) + "}";
}

constexpr const char* kExports =
    R"({"empty": {"ns": 2}, "functions": [{"name": "f", "group": "text", "ns": 8, "stack": 96}]})";

auto report_of(const std::string& benchmarks) { return bench::report({benchmarks, kExports}); }

TEST(BenchReport, TakesMediansAndRatios) {
  const auto page = report_of(
      R"({"context": {"processor": "P", "cores": "2", "library_stored_bytes": "1024"}, "benchmarks": [)" +
      run_of("call/empty_linked", 1) + "," + run_of("call/empty_pointer", 2) + "," + run_of("call/static/f", 9) + "," +
      run_of("call/static/f", 4) + "," + run_of("call/static/f", 6) +
      R"(, {"name": "call/static/f_median", "run_type": "aggregate", "time_unit": "ns", "real_time": 77, "x": NaN},)" +
      R"({"name": "scale/walk/8", "error_occurred": true, "error_message": "no luck"}]})");
  ASSERT_TRUE(page) << page.error();
  EXPECT_NE(page->find("| number that stays | `f` | 6.0 | 4.0 | 6.0 | 3.0 |"), std::string::npos) << *page;
  EXPECT_EQ(page->find("77"), std::string::npos) << *page;
  EXPECT_NE(page->find("| text | 1 | 8.0 | 4.0 | 8.0 | 96 |"), std::string::npos) << *page;
  EXPECT_NE(page->find("- `scale/walk/8` was not measured: no luck"), std::string::npos) << *page;
}

TEST(BenchReport, ListsStructGettersByTheShareThatTheBindingAdds) {
  const auto page = report_of(R"({"context": {"processor": "P", "cores": "2"}, "benchmarks": [)" +
                              run_of("struct/raw/small", 10) + "," + run_of("struct/typed/small", 10.5) + "," +
                              run_of("struct/raw/large", 4) + "," + run_of("struct/typed/large", 6) + "]}");
  ASSERT_TRUE(page) << page.error();
  EXPECT_NE(page->find("2 of 2 add no more than their limit, 1 add\nat most 10 %"), std::string::npos) << *page;
  const auto large = page->find("| `large` | 4.0 | 6.0 | 2.0 | 5 | met | 50 | 10 | not met |");
  const auto small = page->find("| `small` | 10.0 | 10.5 | 0.5 | 5 | met | 5 | 10 | met |");
  ASSERT_NE(large, std::string::npos) << *page;
  ASSERT_NE(small, std::string::npos) << *page;
  EXPECT_LT(large, small);
}

// 5 ns for each 64 bytes, 10 for each text or list, 30 for each allocation.
TEST(BenchReport, LimitsAStructGetterByWhatItsAnswerIsMadeOf) {
  const auto row_of = [](double typed_ns, const std::string& counters) {
    const auto page =
        report_of(R"({"context": {"processor": "P", "cores": "2"}, "benchmarks": [)" + run_of("struct/raw/x", 100) +
                  R"(, {"name": "struct/typed/x", "run_type": "iteration", "time_unit": "ns", )" + counters +
                  R"("real_time": )" + std::to_string(typed_ns) + "}]}");
    const std::size_t at = page->find("| `x` |");
    return page->substr(at, page->find('\n', at) - at);
  };
  EXPECT_EQ(row_of(105, R"("bytes": 64, )"), "| `x` | 100.0 | 105.0 | 5.0 | 5 | met | 5 | 10 | met |");
  EXPECT_EQ(row_of(111, R"("bytes": 65, )"), "| `x` | 100.0 | 111.0 | 11.0 | 10 | not met | 11 | 10 | not met |");
  EXPECT_EQ(row_of(150, R"("bytes": 88, "parts": 2, "allocations": 1, )"),
            "| `x` | 100.0 | 150.0 | 50.0 | 60 | met | 50 | 10 | not met |");
}

// A page that shows a figure beyond its limit says so beside it, in tables and in sentences.
TEST(BenchReport, SaysWhereALimitIsNotMet) {
  const auto page_where = [](double live_ns, double stack, double allocations, const char* context) {
    const auto typed = [&](const char* kind) {
      return R"({"name": "binding/)" + std::string(kind) +
             R"(/name", "run_type": "iteration", "time_unit": "ns", "real_time": 30, "allocations": )" +
             std::to_string(allocations) + "}";
    };
    const auto page = bench::report(
        {R"({"context": )" + std::string(context) + R"(, "benchmarks": [)" + run_of("call/empty_pointer", 2) + "," +
             run_of("call/live/nvmlDeviceGetPowerUsage", live_ns) + "," + typed("raw") + "," + typed("typed") + "]}",
         R"({"empty": {"ns": 2}, "functions": [{"name": "f", "group": "text", "ns": 8, "stack": )" +
             std::to_string(stack) + "}]}"});
    EXPECT_TRUE(page) << page.error();
    return page.value_or("");
  };
  const auto expect_said = [](const std::string& page, std::initializer_list<const char*> lines) {
    for (const char* line : lines)
      EXPECT_NE(page.find(line), std::string::npos) << line << " is missing in\n" << page;
  };
  expect_said(
      page_where(2, 4096, 1,
                 R"({"umbrella_compile_ms": "900", "devices_stripped_kib": "160",)"
                 R"( "library_stored_bytes": "1048576"})"),
      {"| a number that moves: `nvmlDeviceGetPowerUsage` | x empty call | 1.3 | 1.0 | met |",
       "| stack of any getter | bytes | 8192 | 4096 | met |", "| `name` | 30.0 | 30.0 | 0.0 |  |  | 1 | 1 | met |",
       "900 ms of processor time without optimisation (limit: 1,000).", "160 KiB stripped (limit: 250).",
       "1024 KiB without debug information (limit: 1,536)."});
  expect_said(
      page_where(8, 9000, 2,
                 R"({"umbrella_compile_ms": "1600", "devices_stripped_kib": "260",)"
                 R"( "library_stored_bytes": "2097152"})"),
      {"| a number that moves: `nvmlDeviceGetPowerUsage` | x empty call | 1.3 | 4.0 | not met |",
       "| stack of any getter | bytes | 8192 | 9000 | not met |",
       "| `name` | 30.0 | 30.0 | 0.0 |  |  | 2 | 1 | not met |",
       "1600 ms of processor time without optimisation (limit: 1,000, not met).",
       "260 KiB stripped (limit: 250, not met).", "2048 KiB without debug information (limit: 1,536, not met)."});
}

TEST(BenchReport, RefusesWhatIsNoResult) {
  EXPECT_FALSE(report_of(""));
  EXPECT_FALSE(report_of("{}"));
  EXPECT_FALSE(report_of(R"({"context": {}, "benchmarks": [{"name": 3}]})"));
  EXPECT_FALSE(bench::report({R"({"context": {}, "benchmarks": []})", "{}"}));
}

}  // namespace
}  // namespace nvmlab::test
