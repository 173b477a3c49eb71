// SPDX-License-Identifier: Apache-2.0
//
// Loads are as near to captures of real boards as they have to be, and what those show is read from them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "evidence/load_captures.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

using namespace evidence;

// What were missed would be said on the page.
TEST(LoadErrors, AreWithinTheirLimits) {
  std::vector<std::string> missed;
  const auto hold = [&missed](const LoadCapture& capture, const char* quantity, std::optional<double> error,
                              double most) {
    if (std::fabs(error.value_or(0)) > most) missed.push_back(std::string(capture.what) + ": " + quantity);
  };
  for (const LoadCapture& capture : load_captures()) {
    const auto errors = load_errors(capture);
    ASSERT_TRUE(errors) << errors.error();
    hold(capture, "power", errors->watts_percent, most_percent(capture.watts.use));
    hold(capture, "chip", errors->rise_c, most_celsius(capture.rise_c.use));
    hold(capture, "memory", errors->memory_rise_c, most_celsius(capture.memory_rise_c.use));
  }
  EXPECT_EQ(missed, std::vector<std::string>{});
}

TEST(LoadErrors, BoardsSayWhoseCapturesTheyTake) {
  EXPECT_EQ(physics_source("h100-sxm5-80gb"), "its own captures");
  EXPECT_NE(physics_source("rtx-4090").find("RTX 2080 SUPER"), std::string::npos);
  EXPECT_NE(physics_source("b200").find("from the H100"), std::string::npos);
}

struct Means {
  double watts = 0;
  double gpu_c = 0;
  double memory_c = 0;
};

// Of the rows of `dmon` in one of the parts of a capture.
Means means_of(const std::string& text, const std::string& part) {
  std::istringstream lines(text.substr(text.find("# " + part + " :: dmon")));
  Means means;
  std::string line;
  int rows = 0;
  while (rows < 5 && std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string gpu;
    double watts = 0;
    double gpu_c = 0;
    std::string memory_c;
    if (line.starts_with('#') || !(cells >> gpu >> watts >> gpu_c >> memory_c)) continue;
    ++rows;
    means.watts += watts / 5;
    means.gpu_c += gpu_c / 5;
    means.memory_c += memory_c == "-" ? 0 : std::stod(memory_c) / 5;
  }
  return means;
}

TEST(LoadErrors, CapturesShowWhatTheTableSays) {
  NVMLAB_REQUIRE_CAPTURES(captures);
  for (const LoadCapture& capture : load_captures()) {
    if (!std::string(capture.what).contains("dmon")) continue;
    const auto text = read_file(captures / capture.capture);
    ASSERT_TRUE(text) << capture.capture;
    const Means idle = means_of(*text, "idle");
    const Means load = means_of(*text, "load");
    if (capture.watts.use != Use::none) {
      EXPECT_NEAR(capture.watts.value, load.watts, 0.051) << capture.capture;
    }
    if (capture.rise_c.use != Use::none) {
      EXPECT_NEAR(capture.rise_c.value, load.gpu_c - idle.gpu_c, 0.051) << capture.capture;
    }
    if (capture.memory_rise_c.use != Use::none) {
      EXPECT_NEAR(capture.memory_rise_c.value, load.memory_c - idle.memory_c, 0.051) << capture.capture;
    }
  }
}

TEST(LoadErrors, TheModelIsWhatTheCapturesGive) {
  NVMLAB_REQUIRE_CAPTURES(captures);
  const std::string script = (source_folder() / "scripts/fit-load").string();
  const std::string command = "'" + script + "' '" + captures.string() + "' --check > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace nvmlab::test
