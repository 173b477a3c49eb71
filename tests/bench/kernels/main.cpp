// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-bench-kernels [PAGE]: how many instructions of threads the interpreter runs in a second, on one core and on
// more, and how long the same loops take that GCC compiled. Writes a page of Markdown, or prints it. Fails where a
// result is wrong. Test: tests/unit/bench/bench_test.cpp.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/bench/kernels/measure.hpp"

namespace nvmlab::bench {
namespace {

constexpr double kGoal = 300e6;  // thread-instructions a second, on two cores

std::string number(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string duration(double ns) {
  return ns < 1e4   ? fmt::format("{:.1f} us", ns / 1e3)
         : ns < 1e6 ? fmt::format("{:.0f} us", ns / 1e3)
                    : fmt::format("{:.2f} ms", ns / 1e6);
}

double rate(const KernelFigures& figures) {
  return static_cast<double>(figures.instructions) / figures.kernel_ns * 1e9;
}

// Processes that wanted to run in the last minute.
double load_of_machine() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

using Row = std::map<std::uint32_t, KernelFigures>;  // by cores

std::string page(const std::vector<Row>& rows, const std::vector<std::uint32_t>& cores, double load) {
  std::string text = "# What kernels cost\n\nWritten by `make bench` (`nvmlab-bench-kernels`), on " +
                     std::to_string(usable_cores()) + " cores with GCC " + __VERSION__ + ", beside a load of " +
                     number(load) +
                     " when it began (on a machine at rest, less than one).\nA kernel is a row of "
                     "`bench/kernels/kernels.ptx`; its result is that of the loop in "
                     "`bench/kernels/loops.cpp`. Times are the best of nine launches, each number of cores in a "
                     "process of its own.\n\n"
                     "## Instructions of threads in a second, in millions\n\nThe goal is " +
                     number(kGoal / 1e6) + " on two cores.\n\n| kernel |";
  std::string line = "|---|";
  for (const std::uint32_t count : cores) {
    text += fmt::format(" {} core{} |", count, count == 1 ? "" : "s");
    line += "---:|";
  }
  text += " more cores gain | the loop by GCC, one core |\n" + line + "---:|---:|\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KernelCase& of = kernel_cases()[i];
    const KernelFigures& first = rows[i].at(cores.front());
    const KernelFigures& last = rows[i].at(cores.back());
    text += fmt::format("| {}: {} |", of.name, of.what);
    for (const std::uint32_t count : cores)
      text += fmt::format(" {} |", number(rate(rows[i].at(count)) / 1e6));
    text += fmt::format(" {:.1f} x |", first.kernel_ns / last.kernel_ns);
    text +=
        of.has_loop ? fmt::format(" {:.0f} times faster than one core |\n", first.kernel_ns / first.loop_ns) : " - |\n";
  }
  text += "\n## Time of a launch\n\n| kernel | instructions |";
  for (const std::uint32_t count : cores)
    text += fmt::format(" {} core{} |", count, count == 1 ? "" : "s");
  text += " the loop by GCC |\n|---|---:" + line.substr(4) + "---:|\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KernelFigures& first = rows[i].at(cores.front());
    text += fmt::format("| {} | {} |", kernel_cases()[i].name, number(static_cast<double>(first.instructions)));
    for (const std::uint32_t count : cores)
      text += fmt::format(" {} |", duration(rows[i].at(count).kernel_ns));
    text += kernel_cases()[i].has_loop ? fmt::format(" {} |\n", duration(first.loop_ns)) : " - |\n";
  }
  return text;
}

int run(const char* path) {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t count = 1; count <= usable_cores(); count *= 2)
    cores.push_back(count);
  const double load = load_of_machine();
  std::vector<Row> rows(kernel_cases().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::uint32_t count : cores) {
      KernelFigures& figures = rows[i][count];
      if (!measure_kernel(i, count, &figures) || figures.right == 0 || figures.instructions == 0) {
        fmt::print(stderr, "nvmlab-bench-kernels: {}: {}\n", kernel_cases()[i].name,
                   figures.instructions == 0 ? "the kernel failed" : "the result is wrong");
        return 1;
      }
    }
  }
  const std::string text = page(rows, cores, load);
  if (path == nullptr) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  std::ofstream file(path);
  file << text;
  if (file.flush()) return 0;
  fmt::print(stderr, "nvmlab-bench-kernels: {}: cannot be written\n", path);
  return 1;
}

}  // namespace
}  // namespace nvmlab::bench

int main(int argc, char** argv) { return nvmlab::bench::run(argc > 1 ? argv[1] : nullptr); }
