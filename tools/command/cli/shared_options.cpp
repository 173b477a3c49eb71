// SPDX-License-Identifier: Apache-2.0
#include "command/cli/shared_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/nearest.hpp"
#include "command/cli/driver_branches.hpp"
#include "compiler/compile.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {
namespace {

std::string take_gpus(const std::string& word, std::optional<unsigned>& gpus) {
  unsigned count = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, count);
  if (error != std::errc() || end != last || count > kMaxGpus)
    return fmt::format("--gpus {}: a whole number from 0 to {} was expected", in_quotes(word), kMaxGpus);
  gpus = count;
  return "";
}

std::string take_driver(const std::string& word, std::optional<std::string>& driver) {
  DriverVersion version{};
  if (!find_driver_version(word.c_str(), &version)) {
    return fmt::format("--driver {}: there is no such driver; a version such as 550.163.01 or a branch: {}",
                       in_quotes(word), driver_branch_names());
  }
  driver = word;
  return "";
}

}  // namespace

void add_profile(CommandLine& line, std::optional<std::string>& profile) {
  line.option("--profile,-p", "PROFILE", profile,
              "A shipped profile (`nvmlab profiles`), a .yaml file or a compiled .machine file")
      .complete(Complete::profile);
}

void add_compile_options(CommandLine& line, compiler::CompileOptions& options) {
  line.option(
      "--gpus,-n", "N", [&options](const std::string& word) { return take_gpus(word, options.gpus); },
      "Simulate N GPUs, 0 to 4096, repeating those of the profile in order");
  add_driver(line, options.driver,
             "Simulate this driver, its version and only its functions: a branch such as 535 (`nvmlab drivers`), or a "
             "version such as 550.163.01");
}

void add_machine(CommandLine& line, std::string& machine) {
  line.option("--machine,-m", "NAME", machine, "The machine (default: $NVMLAB_MACHINE, else 'default')")
      .complete(Complete::machine);
}

void add_gpu_selection(CommandLine& line, std::string& gpus) {
  line.option("--gpu,-g", "G", gpus,
              "Only these GPUs: an index, a UUID or how it begins, a PCI address, a list such as 0,2-3, or 'all' (the "
              "default)")
      .complete(Complete::gpu);
}

void add_library(CommandLine& line, std::string& library) {
  line.option("--library", "FILE", library,
              "Use this NVML library (default: $NVMLAB_LIBRARY, else the installed driver's)")
      .complete(Complete::file);
}

void add_driver(CommandLine& line, std::optional<std::string>& driver, const char* help) {
  line.option(
          "--driver,-d", "VERSION", [&driver](const std::string& word) { return take_driver(word, driver); }, help)
      .complete(Complete::driver);
}

void add_output(CommandLine& line, std::string& file, const char* help) {
  line.option("--output,-o", "FILE", file, help).complete(Complete::file);
}

void add_unsupported_fields(CommandLine& line, bool& unsupported) {
  line.flag("--all,-a", unsupported, "Include fields that the GPUs do not support");
}

void add_json(CommandLine& line, bool& json) { line.flag("--json", json, "Print JSON"); }

}  // namespace nvmlab::tool
