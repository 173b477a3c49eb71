// SPDX-License-Identifier: Apache-2.0
// nvmlab-bench-report JSON PAGE: writes the page.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "bench/report/report.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: nvmlab-bench-report JSON PAGE\n", stderr);
    return 2;
  }
  std::ifstream file(arguments[1]);
  const std::string json((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto page = nvmlab::bench::report(json);
  if (!page) {
    std::fprintf(stderr, "nvmlab-bench-report: %s: %s\n", arguments[1], page.error().c_str());
    return 1;
  }
  std::ofstream out(arguments[2], std::ios::trunc);
  out << *page;
  return out.flush() ? 0 : 1;
}
