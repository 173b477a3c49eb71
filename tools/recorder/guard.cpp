// SPDX-License-Identifier: Apache-2.0
#include "recorder/guard.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string_view>

namespace nvmlab::recorder {
namespace {

constexpr int kExitCode = 1;
constexpr std::size_t kLongestCall = 256;
constexpr int kSignals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kSignalCount = sizeof kSignals / sizeof kSignals[0];

// What a handler must reach; one guard at a time.
struct {
  PackedFile* file;
  char program[64];
  char call[kLongestCall];  // {"call":"nvmlX","gpu":0
  volatile std::sig_atomic_t calling;
  volatile std::sig_atomic_t interrupted;
  unsigned seconds;
  struct sigaction former[kSignalCount];
  alignas(16) char stack[128 * 1024];
  stack_t former_stack;
} here;

void say(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t done = ::write(STDERR_FILENO, text, left);
    if (done <= 0) return;
    text += done;
    left -= static_cast<std::size_t>(done);
  }
}

const char* reason_of(int signal) {
  switch (signal) {
    case SIGALRM:
      return "the call did not come back in time";
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      return "interrupted";
    default:
      return "the library crashed in the call";
  }
}

// {"call":"nvmlX","gpu":0 as {"calling":"nvmlX","gpu":0}; its name follows the first four quotation marks.
void write_calling() {
  char line[kLongestCall + 8];
  const char* const rest = here.call + (std::strlen(here.call) > 8 ? 8 : 0);
  constexpr std::string_view beginning = R"({"calling":)";
  std::size_t size = std::strlen(rest);
  if (size > kLongestCall - 16) size = kLongestCall - 16;
  std::memcpy(line, beginning.data(), beginning.size());
  char* const end = line + beginning.size();
  std::memcpy(end, rest, size);
  end[size] = '}';
  here.file->line({line, beginning.size() + size + 1});
}

void say_kept(const char* why, const char* hint) {
  say(here.program);
  say(": ");
  say(why);
  if (here.call[0] != '\0') {
    say(": ");
    say(here.call + 1);
  }
  say("\n");
  say(here.program);
  say(": what was recorded until then is ");
  const bool named = !here.file->partial_path().empty();
  say(named ? "in " : "on standard output");
  say(here.file->partial_path().c_str());
  say(hint);
}

void on_signal(int signal) {
  if (here.calling == 0) {
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
      here.interrupted = 1;
      return;
    }
    if (signal == SIGALRM) return;
    ::signal(signal, SIG_DFL);  // a fault of ours
    ::raise(signal);
    return;
  }
  here.calling = 0;
  write_calling();
  here.file->abandon();
  const bool wanted = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  say_kept(reason_of(signal), wanted ? "\n" : "; --skip FUNCTION leaves a function out\n");
  ::_exit(kExitCode);
}

}  // namespace

Guard::Guard(PackedFile& file, std::string_view program, unsigned seconds) {
  here.file = &file;
  here.calling = 0;
  here.interrupted = 0;
  here.seconds = seconds;
  here.call[0] = '\0';
  const std::size_t size = program.size() < sizeof here.program - 1 ? program.size() : sizeof here.program - 1;
  std::memcpy(here.program, program.data(), size);
  here.program[size] = '\0';
  stack_t stack{};
  stack.ss_sp = here.stack;
  stack.ss_size = sizeof here.stack;
  ::sigaltstack(&stack, &here.former_stack);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignalCount; ++i)
    ::sigaction(kSignals[i], &action, &here.former[i]);
}

Guard::~Guard() {
  for (std::size_t i = 0; i < kSignalCount; ++i)
    ::sigaction(kSignals[i], &here.former[i], nullptr);
  ::sigaltstack(&here.former_stack, nullptr);
  here.file = nullptr;
}

void Guard::begin(std::string_view call) {
  const std::size_t size = call.size() < kLongestCall - 1 ? call.size() : kLongestCall - 1;
  std::memcpy(here.call, call.data(), size);
  here.call[size] = '\0';
  ::alarm(here.seconds);
  here.calling = 1;
}

void Guard::end() {
  here.calling = 0;
  ::alarm(0);
}

bool Guard::interrupted() const { return here.interrupted != 0; }

void Guard::keep(const char* why) {
  here.call[0] = '\0';
  here.file->abandon();
  say_kept(why, "\n");
}

}  // namespace nvmlab::recorder
