// SPDX-License-Identifier: Apache-2.0
// A health check in NVIDIA's Python binding, as device plugins have one, gets what `nvmlab event` raises.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::test {
namespace {

class PynvmlEvents : public testing::TestWithParam<const char*> {};

TEST_P(PynvmlEvents, AHealthCheckWakes) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const TempFolder folder;
  const auto printed = folder.path() / "printed";

  Command check;
  check.arguments = {"sh", "-c", R"(exec python3 "$0" 2 > "$1")",
                     (source_folder() / "tests" / "clients" / "pynvml_health.py").string(), printed.string()};
  check.environment = node_environment(Node{});
  check.environment["NVMLAB_MACHINE"] = machine.name();
  check.environment["PYTHONPATH"] = client.program.parent_path().string();
  check.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  Outcome outcome;
  std::thread checking([&] { outcome = run(check); });
  EXPECT_TRUE(eventually([&] { return read_file(printed).value_or("").find("ready") != std::string::npos; }));
  EXPECT_TRUE(nvmlab({"event", "--machine", machine.name(), "--gpu", "3", "xid", "79"}).ok());
  EXPECT_TRUE(nvmlab({"event", "--machine", machine.name(), "--gpu", "4", "clock"}).ok()) << "nobody registered";
  EXPECT_TRUE(nvmlab({"event", "--machine", machine.name(), "--gpu", "5", "double-bit-ecc"}).ok());
  checking.join();
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(read_file(printed).value_or(""), "ready\n3 8 79\n5 2 0\n");
}

INSTANTIATE_TEST_SUITE_P(Releases, PynvmlEvents, testing::Values("pynvml-11", "pynvml-12", "pynvml-13"));

}  // namespace
}  // namespace nvmlab::test
