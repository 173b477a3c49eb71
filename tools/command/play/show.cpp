// SPDX-License-Identifier: Apache-2.0
#include "command/play/show.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "command/cli/application.hpp"
#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

// As `nvmlab run` does it, which becomes the client.
int become_client(const std::string& machine, const std::vector<std::string>& client, int output) {
  if (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0) return kFailed;
  std::vector<std::string> words = {"run", "--machine", machine, "--"};
  words.insert(words.end(), client.begin(), client.end());
  Application application;
  const auto call = application.parse(words);
  return call && call->command != nullptr ? call->command->run() : kFailed;
}

std::string contents(int file) {
  std::string text;
  std::array<char, 1 << 16> chunk{};
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file, chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

bool ends_all(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

std::string ending(int status) {
  if (status < 0) return fmt::format("it could not be run: {}\n", std::strerror(-status));
  if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}\n", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}\n", WEXITSTATUS(status));
}

}  // namespace

std::string show_client(const std::string& machine, const std::vector<std::string>& client, const std::string& moment,
                        const HeldSignals& signals) {
  std::string text = fmt::format("\n{}: {}\n", moment, fmt::join(client, " "));
  const int output = ::memfd_create("nvmlab-play", MFD_CLOEXEC);
  if (output < 0) return text + fmt::format("it could not be run: {}\n", std::strerror(errno));
  const int status = signals.run_child([&] { return become_client(machine, client, output); });
  text += contents(output);
  ::close(output);
  if (!text.ends_with('\n')) text += '\n';
  // The terminal sends it to both, and it was taken for the client's.
  if (status >= 0 && WIFSIGNALED(status) && ends_all(WTERMSIG(status))) ::raise(WTERMSIG(status));
  return text + ending(status) + "\n";
}

}  // namespace nvmlab::tool
