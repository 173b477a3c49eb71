// SPDX-License-Identifier: Apache-2.0
//
// nvml-conformance [--library PATH] [--json FILE]: walks every getter of any NVML library, a simulated or a real
// driver's, prints a line for each call, and holds what it found to laws. It changes nothing and needs no root.
// docs/reference/conformance-suite.md is the user's view. Tests: tests/drivers/suite/suite_test.cpp.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/laws.hpp"

namespace nvmlab::conformance {
namespace {

constexpr int kGood = 0;
constexpr int kBroken = 1;
constexpr int kMisused = 2;
constexpr int kNoDriver = 3;

int complain(const std::string& sentence) {
  fmt::print(stderr, "nvml-conformance: {}\n", sentence);
  return kMisused;
}

std::string shown(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_call(const Call& call) {
  std::string line = call.key + " -> " + (call.code == kMissing ? "missing" : std::to_string(call.code));
  for (const auto& [name, value] : call.values.items())
    line += fmt::format(" {}={}", name, shown(value));
  fmt::print("{}\n", line);
}

bool write_json(const std::string& file, const std::string& driver, const std::vector<Call>& calls,
                const std::vector<std::string>& broken) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Call& call : calls) {
    nlohmann::ordered_json one = {{"function", call.function}};
    if (call.gpu >= 0) one["gpu"] = call.gpu;
    if (!call.arguments.empty()) one["arguments"] = call.arguments;
    if (call.code == kMissing) {
      one["missing"] = true;
    } else {
      one["code"] = call.code;
    }
    if (!call.values.empty()) one["values"] = call.values;
    list.push_back(std::move(one));
  }
  const nlohmann::ordered_json report = {{"driver", driver}, {"calls", list}, {"broken_laws", broken}};
  std::ofstream stream(file);
  stream << report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  return stream.good();
}

int run(const std::string& path, const std::string& json) {
  const auto library = Library::open(path);
  if (!library) return complain(library.error());
  if (const int code = library->call("nvmlInit_v2"); code != kSuccess) {
    fmt::print(stderr, "nvml-conformance: {}: nvmlInit_v2 answers {}\n", path, code);
    return kNoDriver;
  }
  std::array<char, 96> driver{};
  library->call("nvmlSystemGetDriverVersion", driver.data(), driver.size());
  unsigned count = 0;
  library->call("nvmlDeviceGetCount_v2", &count);
  std::vector<Word> gpus;
  for (unsigned i = 0; i < count; ++i) {
    Word gpu = 0;
    if (library->call("nvmlDeviceGetHandleByIndex_v2", i, &gpu) == kSuccess) gpus.push_back(gpu);
  }
  const auto first = walk(*library);
  const auto laws = hold_to_laws(*library, gpus);
  const auto second = compare(first, walk(*library));
  library->call("nvmlShutdown");

  std::vector<std::string> broken = laws.broken;
  broken.insert(broken.end(), second.broken.begin(), second.broken.end());
  for (const Call& call : first)
    print_call(call);
  for (const std::string& sentence : broken)
    fmt::print("BROKEN {}\n", sentence);
  fmt::print("driver {}, {} GPUs: {} calls, {} laws tried, {} broken\n", driver.data(), gpus.size(), first.size(),
             laws.tried + second.tried, broken.size());
  if (!json.empty() && !write_json(json, driver.data(), first, broken)) return complain(json + " cannot be written");
  return broken.empty() ? kGood : kBroken;
}

}  // namespace
}  // namespace nvmlab::conformance

int main(int count, char** words) try {
  std::string library = "libnvidia-ml.so.1";
  std::string json;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if ((word == "--library" || word == "--json") && i + 1 < count) {
      (word == "--json" ? json : library) = words[++i];
    } else {
      const bool help = word == "--help";
      fmt::print(help ? stdout : stderr, "usage: nvml-conformance [--library PATH] [--json FILE]\n");
      return help ? 0 : nvmlab::conformance::kMisused;
    }
  }
  return nvmlab::conformance::run(library, json);
} catch (const std::exception& error) {
  std::fprintf(stderr, "nvml-conformance: %s\n", error.what());
  return nvmlab::conformance::kMisused;
}
