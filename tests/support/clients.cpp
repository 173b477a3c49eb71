// SPDX-License-Identifier: Apache-2.0
#include "tests/support/clients.hpp"

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

std::filesystem::path clients_folder() {
  const char* set = std::getenv("NVMLAB_CLIENTS_DIR");
  return set != nullptr && *set != '\0' ? std::filesystem::path{set} : source_folder() / "build" / "clients";
}

// The one that nothing here fetches.
constexpr const char* kInstalledClient = "nvidia-mig-parted";

std::expected<Client, std::string> installed(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto program = std::filesystem::path{folder} / name;
    if (std::filesystem::exists(program, ignored)) return Client{name, program, ""};
  }
  return std::unexpected(fmt::format("{} is not installed, and nothing here fetches it", name));
}

}  // namespace

bool in_ci() {
  const char* set = std::getenv("CI");
  return set != nullptr && *set != '\0' && std::string_view{set} != "false" && std::string_view{set} != "0";
}

bool may_be_absent(const std::string& client) {
  const auto list = read_file(source_folder() / "tests/clients/may_be_absent.tsv").value_or("");
  return list.find("\n" + client + "\t") != std::string::npos;
}

std::expected<Client, std::string> find_client(const std::string& name) {
  const auto folder = clients_folder() / name;
  const auto stem = name.substr(0, name.rfind('-'));
  auto program = folder / stem;
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored)) program = folder / name;
  for (const auto* ending : {".so.1", ".py"}) {
    if (!std::filesystem::exists(program, ignored)) program = folder / (stem + ending);
  }
  if (!std::filesystem::exists(program, ignored) && name == kInstalledClient) return installed(name);
  if (!std::filesystem::exists(program, ignored)) {
    return std::unexpected(fmt::format("{} is not there: `scripts/fetch-clients {}` gets it", name, name));
  }
  auto version = read_file(folder / "version").value_or("");
  while (!version.empty() && version.back() == '\n')
    version.pop_back();
  return Client{name, program, version};
}

std::map<std::string, std::optional<std::string>> node_environment(const Node& node) {
  std::map<std::string, std::optional<std::string>> changes;
  for (const auto* name :
       {"NVMLAB_MACHINE", "NVMLAB_PROFILE", "NVMLAB_GPUS", "NVMLAB_DRIVER", "NVMLAB_INIT_ERROR", "NVMLAB_ROLE",
        "NVMLAB_LOG", "NVMLAB_RECORD_CALLS", "MOCK_NVML_CONFIG", "MOCK_NVML_NUM_DEVICES", "MOCK_NVML_DRIVER_VERSION",
        "MOCK_NVML_DEBUG", "MOCK_NVML_OVERRIDES", "MOCK_NVML_OVERRIDES_TTL", "LD_BIND_NOW"}) {
    changes[name] = std::nullopt;
  }
  changes["LD_LIBRARY_PATH"] = (binary_folder() / "lib").string();
  changes["LC_ALL"] = "C";
  changes["TZ"] = "UTC";
  if (!node.profile.empty()) changes["NVMLAB_PROFILE"] = node.profile;
  if (node.gpus) changes["NVMLAB_GPUS"] = std::to_string(*node.gpus);
  if (!node.driver.empty()) changes["NVMLAB_DRIVER"] = node.driver;
  if (!node.role.empty()) changes["NVMLAB_ROLE"] = node.role;
  if (node.bind_now) changes["LD_BIND_NOW"] = "1";
  // A sanitized library in a foreign program needs its runtime loaded first (tests/CMakeLists.txt finds it).
  if (const char* preload = std::getenv("NVMLAB_CLIENT_PRELOAD"); preload != nullptr && *preload != '\0') {
    changes["LD_PRELOAD"] = preload;
    // What a client does wrong with its own heap ends by SIGABRT there as without a sanitizer.
    changes["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=1";
  }
  return changes;
}

Command on_node(const Client& client, const std::vector<std::string>& arguments, const Node& node) {
  Command command;
  command.arguments = {client.program.string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = node_environment(node);
  return command;
}

std::filesystem::path nvmlab_program() { return binary_folder() / "bin" / "nvmlab"; }

}  // namespace nvmlab::test
