// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX, not C++
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace nvmlab::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) read_end = ends[0], write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close_read(), close_write(); }
  void close_read() { close_end(read_end); }
  void close_write() { close_end(write_end); }
  [[nodiscard]] bool open() const { return read_end >= 0; }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<std::string> merged_environment(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!command.environment.contains(std::string{text.substr(0, text.find('='))})) result.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) {
    if (value) result.push_back(name + "=" + *value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char** arguments, char** environment, int in, int out, int err, int trouble) {
  ::setpgid(0, 0);
  if (::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(err, 2) >= 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::execvpe(arguments[0], arguments, environment);
  }
  const int code = errno;
  (void)!::write(trouble, &code, sizeof code);
  ::_exit(127);
}

// Reads what is there; false at the end of the stream.
bool take(int from, std::string& into) {
  std::array<char, 65536> buffer{};
  const auto count = ::read(from, buffer.data(), buffer.size());
  if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

// Feeds stdin and empties stdout and stderr until both ended or the deadline came; false at the deadline, at the output
// limit, or if the command has printed enough and nothing else ends it.
bool talk(const Command& command, pid_t child, Pipe& in, Pipe& out, Pipe& err, Outcome& outcome,
          Clock::time_point deadline) {
  constexpr int kMoment = 50;
  std::string_view input = command.input;
  while (out.open() || err.open()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || outcome.out.size() + outcome.err.size() > command.max_output) return false;
    if (input.empty() && command.ending.empty()) in.close_write();
    // A stream with nothing to write is always ready: it is left out.
    std::array<pollfd, 3> watched{
        {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {input.empty() ? -1 : in.write_end, POLLOUT, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), command.enough ? kMoment : 1000);
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && command.enough && command.enough(outcome.out, child)) {
      outcome.stopped = command.ending.empty();
      if (outcome.stopped) return false;
      input = command.ending;
    }
    if (watched[0].revents != 0 && !take(out.read_end, outcome.out)) out.close_read();
    if (watched[1].revents != 0 && !take(err.read_end, outcome.err)) err.close_read();
    if (watched[2].revents != 0) {
      const auto count = ::write(in.write_end, input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN && errno != EINTR) input = {};
    }
  }
  return true;
}

// The command may close its streams and go on: wait for its end up to the deadline.
bool wait_for(pid_t child, int& status, Clock::time_point deadline) {
  pid_t ended = 0;
  return eventually([&] {
           ended = ::waitpid(child, &status, WNOHANG);
           return ended == child || (ended < 0 && errno != EINTR) || Clock::now() >= deadline;
         }) &&
         ended == child;
}

}  // namespace

Outcome run(const Command& command) {
  Outcome outcome;
  Pipe in;
  Pipe out;
  Pipe err;
  Pipe trouble;
  if (!in.open() || !out.open() || !err.open() || !trouble.open() || command.arguments.empty()) {
    outcome.failure = command.arguments.empty() ? "no command" : fmt::format("no pipes: {}", std::strerror(errno));
    return outcome;
  }
  auto words = command.arguments;
  auto environment = merged_environment(command);
  const auto argument_pointers = pointers(words);
  const auto environment_pointers = pointers(environment);
  const auto deadline = Clock::now() + command.time_limit;
  const pid_t child = ::fork();
  if (child < 0) {
    outcome.failure = fmt::format("fork: {}", std::strerror(errno));
    return outcome;
  }
  if (child == 0) {
    become(const_cast<char**>(argument_pointers.data()), const_cast<char**>(environment_pointers.data()), in.read_end,
           out.write_end, err.write_end, trouble.write_end);
  }
  ::setpgid(child, child);  // also here: whoever comes first
  in.close_read();
  out.close_write();
  err.close_write();
  trouble.close_write();
  ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  const auto old_pipe_handler = ::signal(SIGPIPE, SIG_IGN);

  int code = 0;
  if (::read(trouble.read_end, &code, sizeof code) == sizeof code) {
    outcome.failure = fmt::format("{}: {}", command.arguments[0], std::strerror(code));
  }
  int status = 0;
  const bool ended = talk(command, child, in, out, err, outcome, deadline) && wait_for(child, status, deadline);
  ::kill(-child, SIGKILL);  // what is left of the group
  if (!ended) {
    outcome.timed_out = !outcome.stopped;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::signal(SIGPIPE, old_pipe_handler);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (!outcome.failure.empty()) outcome.exit_code = -1;
  return outcome;
}

std::string shell_words(const Command& command) {
  std::string line;
  for (const auto& [name, value] : command.environment) {
    if (value) line += fmt::format("{}={} ", name, *value);
  }
  for (const auto& word : command.arguments)
    line += fmt::format("{}{}", &word == command.arguments.data() ? "" : " ", word);
  return line;
}

std::string Outcome::story() const {
  if (!failure.empty()) return fmt::format("could not be run: {}", failure);
  constexpr std::size_t enough = 2000;
  const auto tail = [](const std::string& text) {
    return text.size() > enough ? "..." + text.substr(text.size() - enough) : text;
  };
  const auto how = stopped       ? std::string{"was killed when it had printed enough"}
                   : timed_out   ? std::string{"ran past its time or output limit and was killed"}
                   : signal != 0 ? fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal))
                                 : fmt::format("ended with exit code {}", exit_code);
  return fmt::format("{}\n--- stdout ---\n{}\n--- stderr ---\n{}", how, tail(out), tail(err));
}

}  // namespace nvmlab::test
