// SPDX-License-Identifier: Apache-2.0
// See driver.hpp.
#include "tests/drivers/abi/driver.hpp"
#include "tests/support/waiting.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nvmlab::abi_test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string driver_folder() { return environment("NVMLAB_BINARY_DIR") + "/lib"; }
std::string driver_path() { return driver_folder() + "/libnvidia-ml.so.1"; }

Driver::Driver(int flags, bool new_namespace) {
  const auto path = driver_path();
  handle_ = new_namespace ? ::dlmopen(LM_ID_NEWLM, path.c_str(), flags) : ::dlopen(path.c_str(), flags);
  if (handle_ == nullptr) error_ = ::dlerror();
}

Driver::~Driver() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

int Driver::read_everything(unsigned gpus) const {
  unsigned found = 0;
  if (count(found) != kSuccess || found != gpus) return 10;
  for (unsigned index = 0; index < gpus; ++index) {
    Handle device = nullptr;
    if (gpu(index, device) != kSuccess || device == nullptr) return 11;
    char text[96] = {};
    if (name(device, text, size_of(text)) != kSuccess || std::strcmp(text, kDefaultName) != 0) return 12;
    if (call<int(Handle, char*, unsigned)>("nvmlDeviceGetUUID", device, text, size_of(text)) != kSuccess) return 13;
    if (std::strncmp(text, "GPU-", 4) != 0) return 14;
    unsigned number = 0;
    if (call<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature", device, 0, &number) != kSuccess) return 15;
    if (call<int(Handle, unsigned*)>("nvmlDeviceGetPowerUsage", device, &number) != kSuccess || number == 0) return 16;
    Memory memory{};
    if (call<int(Handle, Memory*)>("nvmlDeviceGetMemoryInfo", device, &memory) != kSuccess) return 17;
    if (memory.total == 0 || memory.free > memory.total) return 18;
    Utilization use{};
    if (call<int(Handle, Utilization*)>("nvmlDeviceGetUtilizationRates", device, &use) != kSuccess) return 19;
    if (use.gpu > 100) return 20;
  }
  return 0;
}

std::string in_child(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return "no child";
  if (child == 0) {
    ::alarm(test::kDeadline.count());
    ::_exit(work());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return "lost child";
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit {}", WEXITSTATUS(status));
}

}  // namespace nvmlab::abi_test
