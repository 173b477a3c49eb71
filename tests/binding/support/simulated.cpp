// SPDX-License-Identifier: Apache-2.0
#include "tests/binding/support/simulated.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "tests/support/files.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::binding_test {

std::filesystem::path simulated_library() { return test::binary_folder() / "lib" / "libnvidia-ml.so.1"; }

std::vector<std::filesystem::path> libraries_of_drivers() {
  std::vector<std::filesystem::path> found;
  for (const auto& folder : std::filesystem::directory_iterator(test::binary_folder() / "lib" / "drivers")) {
    if (auto file = folder.path() / "libnvidia-ml.so.1"; std::filesystem::exists(file)) found.push_back(file);
  }
  std::ranges::sort(found);
  return found;
}

nvml::Library open_simulated() {
  auto opened = nvml::Library::open({.path = simulated_library().string()});
  if (!opened) throw std::runtime_error(opened.error().message());
  return *opened;
}

nvml::Result<unsigned> gpus(const nvml::Library& library) {
  unsigned count = 0;
  auto called = nvml::detail::call<&nvml::Functions::nvmlDeviceGetCount_v2>(*library.library(), &count);
  if (!called) return std::unexpected(std::move(called.error()));
  return count;
}

std::string in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  if (child < 0) return "no fork";
  int status = 0;
  if (!test::eventually([&] { return waitpid(child, &status, WNOHANG) != 0; })) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return "too slow";
  }
  return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace nvmlab::binding_test
