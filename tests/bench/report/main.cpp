// SPDX-License-Identifier: Apache-2.0
// nvmlab-bench-report PAGE JSON EXPORTS EVENTS [JSON EXPORTS]: writes the page; the second pair is of an older build,
// whose figures stand beside those of this one.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/bench/report/report.hpp"

namespace {

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5 && count != 7) {
    std::fputs("usage: nvmlab-bench-report PAGE JSON EXPORTS EVENTS [JSON EXPORTS]\n", stderr);
    return 2;
  }
  nvmlab::bench::Measurements before;
  if (count == 7) before = {text_of_file(arguments[5]), text_of_file(arguments[6])};
  const auto page = nvmlab::bench::report(
      {text_of_file(arguments[2]), text_of_file(arguments[3]), text_of_file(arguments[4])}, before);
  if (!page) {
    std::fprintf(stderr, "nvmlab-bench-report: %s: %s\n", arguments[2], page.error().c_str());
    return 1;
  }
  std::ofstream out(arguments[1], std::ios::trunc);
  out << *page;
  return out.flush() ? 0 : 1;
}
