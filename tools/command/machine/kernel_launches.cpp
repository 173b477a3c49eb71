// SPDX-License-Identifier: Apache-2.0
#include "command/machine/kernel_launches.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "command/machine/json.hpp"

namespace nvmlab::tool {
namespace {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 && text ? text.get() : name;
}

std::optional<KernelLaunch> read_launch(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  KernelLaunch launch;
  try {
    json.at("pid").get_to(launch.pid);
    launch.kernel = demangled(json.at("kernel").get<std::string>());
    json.at("grid").get_to(launch.grid);
    json.at("block").get_to(launch.block);
    json.at("shared").get_to(launch.shared);
    json.at("ns").get_to(launch.ns);
    json.at("instructions").get_to(launch.instructions);
    json.at("code").get_to(launch.code);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return launch;
}

}  // namespace

std::expected<std::vector<KernelLaunch>, std::string> read_launches(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  std::vector<KernelLaunch> all;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    auto launch = read_launch(line);
    if (!launch)
      return std::unexpected(
          fmt::format("{}:{}: this is no launch that `nvmlab run --record-kernels` recorded", path, number));
    all.push_back(std::move(*launch));
  }
  return all;
}

}  // namespace nvmlab::tool
