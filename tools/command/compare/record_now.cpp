// SPDX-License-Identifier: Apache-2.0
#include "command/compare/record_now.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/temp_folder.hpp"
#include "command/profile/input.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

// Its exit code, or what kept it from running.
std::expected<int, std::string> run_myself(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::pid_t child = -1;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::unexpected(fmt::format("nvmlab record could not be started: {}", std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::unexpected(fmt::format("nvmlab record was lost: {}", std::strerror(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::expected<Recorded, std::string> record_now(const std::string& library) {
  const TempFolder folder("nvmlab-compare");
  if (folder.path().empty()) return std::unexpected("no folder for a recording can be made; set TMPDIR to one");
  const std::string file = folder.path() / "library.gz";
  std::vector<std::string> words{"nvmlab", "record", "--output", file, "--identifiers"};
  if (!library.empty()) words.insert(words.end(), {"--library", library});
  const auto code = run_myself(std::move(words));
  if (!code) return std::unexpected(code.error());
  const std::string who = library.empty() ? "the installed library" : library;
  if (*code != 0) return std::unexpected(fmt::format("{} could not be recorded, so it cannot be compared", who));
  auto calls = recording::read_file(file);
  if (!calls) return std::unexpected(calls.error().text());
  auto bytes = read_input(file);
  if (!bytes) return std::unexpected(bytes.error());
  return Recorded{std::move(*calls), std::move(*bytes)};
}

}  // namespace nvmlab::tool
