// SPDX-License-Identifier: Apache-2.0
#include "command/library/nvml_options.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/library/program.hpp"

namespace nvmlab::tool {

void NvmlOptions::declare(CommandLine& line) {
  add_profile(line, profile_);
  line.option("--gpus,-n", "N", gpus_, "Simulate N GPUs, as `nvmlab run --gpus` does");
  line.option("--driver,-d", "VERSION", driver_, "Simulate this driver, as `nvmlab run --driver` does")
      .complete(Complete::driver);
  line.option("--machine,-m", "NAME", machine_, "The GPUs of this machine, which `nvmlab up` brought up")
      .complete(Complete::machine);
  add_library(line, library_);
  add_json(line, json_);
}

std::vector<std::string> NvmlOptions::options_of_run() const {
  std::vector<std::string> words;
  const std::pair<const char*, const std::optional<std::string>*> options[] = {
      {"--profile", &profile_}, {"--machine", &machine_}, {"--gpus", &gpus_}, {"--driver", &driver_}};
  for (const auto& [name, value] : options) {
    if (!*value) continue;
    words.emplace_back(name);
    words.push_back(**value);
  }
  return words;
}

std::expected<nvml::Library, std::string> NvmlOptions::open() const { return open_nvml(library_); }

std::optional<int> NvmlOptions::run_simulated(const std::string& command) const {
  const std::vector<std::string> options = options_of_run();
  if (options.empty()) return std::nullopt;
  if (!library_.empty()) return misused("--library and a simulated node cannot be used together");
  const std::string program = program_path();
  if (program.empty()) return complain("/proc/self/exe cannot be read; mount /proc, or call nvmlab by its path");

  std::vector<std::string> all = {"nvmlab", "run"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", program, command});
  if (json_) all.emplace_back("--json");
  std::vector<char*> arguments;
  for (std::string& word : all)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return complain("{}: {}", program, std::strerror(errno));
}

}  // namespace nvmlab::tool
