// SPDX-License-Identifier: Apache-2.0
// See process_state.hpp.
#include "tests/drivers/abi/process_state.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ranges>

namespace nvmlab::abi_test {
namespace {

// The kernel's own struct: the C library hides which handler it would put back.
struct KernelAction {
  std::uint64_t handler, flags, restorer, mask;
};

std::vector<std::string> read_handlers() {
  std::vector<std::string> lines;
  for (int signal = 1; signal <= 64; ++signal) {
    KernelAction action{};
    if (::syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof action.mask) != 0) continue;
    lines.push_back(fmt::format("{}: {:x} {:x} {:x}", signal, action.handler, action.flags, action.mask));
  }
  return lines;
}

std::vector<std::string> read_open_files() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the descriptor of this very listing
    const auto target = fs::read_symlink(entry.path(), gone);
    if (gone || target.string().ends_with("/fd")) continue;
    files.push_back(fmt::format("{} -> {}", entry.path().filename().string(), target.string()));
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> read_lines(const char* path) {
  std::vector<std::string> lines;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string blocked() {
  for (const auto& line : read_lines("/proc/self/status")) {
    if (line.starts_with("SigBlk:")) return line;
  }
  return {};
}

}  // namespace

ProcessState ProcessState::now() {
  namespace fs = std::filesystem;
  ProcessState state;
  state.open_files = read_open_files();
  state.threads =
      static_cast<unsigned>(std::ranges::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
  state.signal_handlers = read_handlers();
  state.blocked_signals = blocked();
  state.mappings = read_lines("/proc/self/maps");
  return state;
}

std::vector<std::string> ProcessState::mappings_without_heap() const {
  std::vector<std::string> lines;
  std::ranges::copy_if(mappings, std::back_inserter(lines),
                       [](const std::string& line) { return !line.ends_with("[heap]") && !line.ends_with("[stack]"); });
  return lines;
}

}  // namespace nvmlab::abi_test
