// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/oracle/agreement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tests/drivers/functions/support/driver.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::oracle {
namespace {

constexpr const char* kErrorString = "nvmlErrorString";
constexpr const char* kCrash = "crash";

std::string words(const Answer& answer) {
  return answer.touched == "-" ? answer.code : answer.code + " and writes " + answer.touched;
}

void compare_texts(const DriverFacts& real, const Observations& ours, Agreement* agreement) {
  for (const auto& [code, text] : real.error_strings) {
    ++agreement->calls;
    ++agreement->defined;
    const auto found = ours.error_strings.find(code);
    const std::string said = found == ours.error_strings.end() ? "nothing" : found->second;
    if (said == text) {
      ++agreement->agreed;
    } else {
      agreement->differences.push_back(fmt::format("{}({}): '{}' in place of '{}'", kErrorString, code, said, text));
    }
  }
}

}  // namespace

std::vector<test::Client> real_libraries() {
  std::vector<test::Client> found;
  for (const char* branch : {"340", "390", "418", "450", "460", "470", "525", "535", "550", "555"}) {
    if (const auto library = test::find_client(std::string{"libnvidia-ml-"} + branch)) found.push_back(*library);
  }
  return found;
}

std::expected<Observations, std::string> observe_ours(const std::string& driver) {
  const driver_test::Environment environment{{"NVMLAB_INIT_ERROR", "9"}, {"NVMLAB_DRIVER", driver}};
  const auto major = driver.substr(0, driver.find('.'));
  return observe(driver_test::library_folder() / "drivers" / major / "libnvidia-ml.so.1");
}

Agreements compare(const DriverFacts& real, const Observations& ours) {
  Agreements all;
  for (const auto& [function, answers] : ours.calls) {
    Agreement agreement;
    for (const auto& [situation, answer] : answers) {
      const Answer* wanted = real.find(function, situation);
      if (wanted == nullptr) break;
      ++agreement.calls;
      if (wanted->code == kCrash) continue;
      ++agreement.defined;
      if (*wanted == answer) {
        ++agreement.agreed;
      } else {
        agreement.differences.push_back(fmt::format("{} {} with {} arguments: {} in place of {}", function,
                                                    situation.lifecycle, situation.arguments, words(answer),
                                                    words(*wanted)));
      }
    }
    if (agreement.calls == 0) agreement.differences.push_back(function + " is exported, and that driver lacks it");
    all[function] = agreement;
  }
  // What ours does not export has not been asked.
  for (const Row& row : real.rows) {
    if (!ours.calls.contains(row.function)) all[row.function].differences.push_back(row.function + " is not exported");
  }
  compare_texts(real, ours, &all[kErrorString]);
  return all;
}

Agreement total(const Agreements& agreements) {
  Agreement sum;
  for (const auto& [function, each] : agreements) {
    sum.calls += each.calls;
    sum.defined += each.defined;
    sum.agreed += each.agreed;
    sum.differences.insert(sum.differences.end(), each.differences.begin(), each.differences.end());
  }
  return sum;
}

}  // namespace nvmlab::oracle
