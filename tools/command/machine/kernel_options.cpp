// SPDX-License-Identifier: Apache-2.0
#include "command/machine/kernel_options.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/nearest.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/machine/kernel_launches.hpp"

namespace nvmlab::tool {
namespace {

std::string take_kernel_mode(const std::string& word, std::optional<std::string>& mode) {
  if (word != "run" && word != "skip") return fmt::format("--kernels {}: run or skip was expected", in_quotes(word));
  mode = word;
  return "";
}

}  // namespace

void KernelOptions::declare(CommandLine& line) {
  line.option("--record-kernels", "FILE", record,
              "Record each launch of a CUDA kernel in this file; `nvmlab kernels` reads it")
      .complete(Complete::file);
  line.option(
          "--kernels", "MODE", [this](const std::string& word) { return take_kernel_mode(word, mode); },
          "Whether CUDA kernels are executed: run or skip, where a launch only counts and memory stays as it is")
      .complete(Complete::kernels);
}

int KernelOptions::prepare() const {
  if (record) {
    if (std::filesystem::exists(*record) && !read_launches(*record))
      return complain("--record-kernels {}: it has something else in it than a record of launches; name another file",
                      *record);
    if (!std::ofstream(*record, std::ios::trunc))
      return complain("--record-kernels {}: {}", *record, std::strerror(errno));
    ::setenv("NVMLAB_RECORD_KERNELS", std::filesystem::absolute(*record).c_str(), 1);
  }
  if (mode) ::setenv("NVMLAB_KERNELS", mode->c_str(), 1);
  return kGood;
}

}  // namespace nvmlab::tool
