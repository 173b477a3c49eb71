// SPDX-License-Identifier: Apache-2.0
// scenario-runner FILE: one scenario file. Exit code 0 where it went as expected, 1 where not, 77 where what it needs
// is not there. NVMLAB_APPROVE=1 writes what was printed into the file.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tests/scenarios/runner.hpp"
#include "tests/support/clients.hpp"

namespace {

constexpr int kSkipped = 77;  // as ctest is told in CMakeLists.txt

bool approving() {
  const char* const set = std::getenv("NVMLAB_APPROVE");
  return set != nullptr && std::string_view(set) == "1";
}

int run_all(char** first, char** last) {
  using namespace nvmlab::scenario;
  const RunOptions options{.approve = approving(), .need_all = nvmlab::test::in_ci()};
  bool failed = false;
  bool all_skipped = true;
  for (char** file = first; file != last; ++file) {
    const Report report = run(*file, options);
    std::fputs(report.text.c_str(), stdout);
    failed |= report.verdict == Verdict::failed;
    all_skipped &= report.verdict == Verdict::skipped;
  }
  return failed ? 1 : all_skipped ? kSkipped : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: scenario-runner FILE.test...\n", stderr);
    return 1;
  }
  try {
    return run_all(argv + 1, argv + argc);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scenario-runner: %s\n", error.what());
  }
  return 1;
}
