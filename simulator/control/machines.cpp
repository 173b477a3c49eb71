// SPDX-License-Identifier: Apache-2.0
#include "control/machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace nvmlab::control {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".store";

std::vector<std::string> names_that_are_up() {
  std::vector<std::string> names;
  if (const auto machines = list_machines()) {
    for (const ListedMachine& machine : *machines)
      names.push_back(machine.name);
  }
  return names;
}

std::string not_up(const std::string& name) {
  const std::vector<std::string> names = names_that_are_up();
  const std::string others = names.empty() ? std::string() : fmt::format("; up: {}", fmt::join(names, ", "));
  return fmt::format("no machine '{}' is up; `nvmlab up{} --profile PROFILE` brings it up{}", name,
                     name == kDefaultMachine ? "" : " " + name, others);
}

}  // namespace

const char* runtime_dir() { return std::getenv("NVMLAB_RUNTIME_DIR"); }

std::expected<std::string, std::string> machines_folder() {
  StorePath path{};
  if (store_folder(runtime_dir(), &path)) return std::unexpected("NVMLAB_RUNTIME_DIR: the path is too long");
  return std::string(path.text);
}

std::expected<std::string, std::string> machine_path(const std::string& name) {
  StorePath path{};
  const FileProblem problem = store_path(name.c_str(), runtime_dir(), &path);
  if (problem) return std::unexpected(explain(problem, name, name));
  return std::string(path.text);
}

FileProblem remove_machine(const std::string& name) {
  StorePath path{};
  if (const FileProblem problem = store_path(name.c_str(), runtime_dir(), &path)) return problem;
  return remove_store(path.text, owner_of(name));
}

std::string chosen_machine(std::string_view option) {
  if (!option.empty()) return std::string(option);
  const char* variable = std::getenv("NVMLAB_MACHINE");
  return variable != nullptr && *variable != '\0' ? std::string(variable) : std::string(kDefaultMachine);
}

Owner owner_of(const std::string& name) { return name.contains('/') ? Owner::anybody : Owner::own; }

std::string explain(const FileProblem& problem, const std::string& name, const std::string& path) {
  switch (problem.error) {
    case FileError::none:
    case FileError::no_space:
    case FileError::too_long:
      break;
    case FileError::bad_name:
      return fmt::format("'{}' cannot be the name of a machine: {}", name, describe(problem.error));
    case FileError::not_found:
      return not_up(name);
    case FileError::exists:
      return fmt::format("a machine '{}' is up already ({}); `nvmlab down {}` takes it down", name, path, name);
    case FileError::not_private:
      return fmt::format(
          "{}: refused, because it, or its folder, is a link, belongs to somebody else or can be written by others; "
          "set NVMLAB_RUNTIME_DIR to a folder of your own",
          path);
    case FileError::system:
      return fmt::format("{}: {}", path, std::strerror(problem.number));
    case FileError::bad_store: {
      const bool is_ours = problem.store != StoreError::not_a_store;
      return fmt::format("{}: {} (`nvmlab down {}{}`)", path, describe(problem.store), is_ours ? "" : "--force ", name);
    }
  }
  return fmt::format("{}: {}", path, describe(problem.error));
}

std::expected<std::vector<ListedMachine>, std::string> list_machines() {
  const auto folder = machines_folder();
  if (!folder) return std::unexpected(folder.error());
  std::vector<ListedMachine> machines;
  std::error_code failed;
  fs::directory_iterator entry(*folder, failed);
  if (failed == std::errc::no_such_file_or_directory) return machines;
  if (failed) return std::unexpected(fmt::format("{}: {}", *folder, failed.message()));
  for (; entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string file = entry->path().filename().string();
    if (!file.ends_with(kEnding)) continue;
    ListedMachine listed;
    listed.name = file.substr(0, file.size() - kEnding.size());
    listed.path = entry->path().string();
    AttachedStore attached;
    if (const FileProblem problem = attach_store(listed.path.c_str(), &attached)) {
      if (problem.error == FileError::not_found) continue;  // taken down just now
      listed.problem = problem.error == FileError::bad_store ? describe(problem.store) : describe(problem.error);
    } else {
      listed.profile = attached.store->header.profile;
      listed.gpus = attached.store->header.gpu_count;
      listed.created_ns = attached.store->header.created_ns;
      detach_store(&attached);
    }
    machines.push_back(std::move(listed));
  }
  if (failed) return std::unexpected(fmt::format("{}: {}", *folder, failed.message()));
  std::ranges::sort(machines, {}, &ListedMachine::name);
  return machines;
}

}  // namespace nvmlab::control
