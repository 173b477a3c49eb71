// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-bench-events JSON: how long an event takes from whoever raises it to those who wait for it: processes in C++,
// Python and Go, one of each in pid, mount, IPC and network namespaces of its own where the system allows it. `make
// bench` runs it. `nvmlab-bench-events --wait` is one of the waiting processes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/temp_folder.hpp"
#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/bench/driver.hpp"

namespace nvmlab::bench {
namespace {

using namespace nvml::abi;

constexpr unsigned kEvents = 1000;
constexpr std::uint64_t kLast = 0xFFFF;  // its data tells waiters to end
constexpr auto kPause = std::chrono::milliseconds(2);

void expect(nvmlReturn_t code, const char* call) {
  if (code != NVML_SUCCESS) throw std::runtime_error(std::string(call) + " failed: " + std::to_string(code));
}

// One line for each event: its data, and when it was there.
void wait_for_events() {
  expect(driver_function<nvmlReturn_t()>("nvmlInit_v2")(), "nvmlInit_v2");
  nvmlEventSet_t set{};
  expect(driver_function<nvmlReturn_t(nvmlEventSet_t*)>("nvmlEventSetCreate")(&set), "nvmlEventSetCreate");
  auto* listen =
      driver_function<nvmlReturn_t(nvmlDevice_t, unsigned long long, nvmlEventSet_t)>("nvmlDeviceRegisterEvents");
  auto* wait = driver_function<nvmlReturn_t(nvmlEventSet_t, nvmlEventData_t*, unsigned)>("nvmlEventSetWait_v2");
  expect(listen(device(0), kXidEvent, set), "nvmlDeviceRegisterEvents");
  std::puts("ready");
  std::fflush(stdout);
  for (nvmlEventData_t data{}; data.eventData != kLast;) {
    expect(wait(set, &data, 60'000), "nvmlEventSetWait_v2");
    std::printf("%llu %llu\n", data.eventData, static_cast<unsigned long long>(sys::monotonic_ns()));
  }
}

// A process that waits, and what it prints.
class Waiter {
 public:
  Waiter(std::string what, std::vector<std::string> words) : what_(std::move(what)) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    std::fclose(output_);
    ::waitpid(child_, nullptr, 0);
  }

  const std::string& what() const { return what_; }
  // False where it does not start here.
  bool ready() {
    char line[64];
    return std::fgets(line, sizeof line, output_) != nullptr && std::string(line) == "ready\n";
  }
  // What came until the last event: how long each was under way, in microseconds.
  std::vector<double> delays(const std::vector<std::uint64_t>& raised_ns) {
    std::vector<double> all;
    unsigned long long data = 0;
    unsigned long long at_ns = 0;
    while (std::fscanf(output_, "%llu %llu", &data, &at_ns) == 2 && data != kLast)
      all.push_back(static_cast<double>(at_ns - raised_ns.at(data)) / 1e3);
    return all;
  }

 private:
  std::string what_;
  pid_t child_ = -1;
  FILE* output_ = nullptr;
};

enum class Binding : std::uint8_t { cpp, python, go };

struct Kind {
  const char* what;
  Binding binding;
  bool elsewhere;  // in namespaces of its own
};
constexpr Kind kKinds[] = {
    {"C++", Binding::cpp, false},       {"C++, in namespaces of its own", Binding::cpp, true},
    {"Python", Binding::python, false}, {"Python, in namespaces of its own", Binding::python, true},
    {"Go", Binding::go, false},         {"Go, in namespaces of its own", Binding::go, true}};

std::vector<std::string> program_of(Binding binding) {
  const std::string clients = kSource + "/build/clients";
  const std::string library = "LD_LIBRARY_PATH=" + kLibraries;
  if (binding == Binding::cpp) return {kPrograms + "/nvmlab-bench-events", "--wait"};
  if (binding == Binding::go) return {"env", library, clients + "/go-waiter/go-waiter"};
  return {"env", "PYTHONPATH=" + clients + "/pynvml-13", library, "python3", kSource + "/bench/events/waiter.py"};
}

std::vector<std::string> words_of(const Kind& kind) {
  std::vector<std::string> words;
  if (kind.elsewhere) words = {"unshare", "--pid", "--fork", "--mount", "--ipc", "--net", "--"};
  for (std::string& word : program_of(kind.binding))
    words.push_back(std::move(word));
  return words;
}

void raise(AttachedStore& attached, std::uint64_t data) {
  MachineAccess machine{*attached.store, attached.file, true};
  const Code code = apply(machine, make_change(0, RaiseEvent{kXidEvent, data, kNoInstance, kNoInstance, false})).code;
  if (code != kSuccess) throw std::runtime_error("an event was refused: " + std::to_string(code));
}

nlohmann::ordered_json measure() {
  const TempFolder folder{"nvmlab-bench-events"};
  const std::string file = folder.path() / "bench.store";
  const std::string up = "'" + kPrograms + "/nvmlab' up '" + file + "' --profile dgx-h100 > '" + file + ".said' 2>&1";
  if (std::system(up.c_str()) != 0) throw std::runtime_error("no machine: " + up);
  ::setenv("NVMLAB_MACHINE", file.c_str(), 1);
  AttachedStore attached;
  if (attach_store(file.c_str(), &attached)) throw std::runtime_error(file + " cannot be mapped");

  std::vector<std::unique_ptr<Waiter>> waiters;
  for (const Kind& kind : kKinds) {
    auto waiter = std::make_unique<Waiter>(kind.what, words_of(kind));
    if (waiter->ready()) waiters.push_back(std::move(waiter));
  }
  std::vector<std::uint64_t> raised_ns(kEvents);
  for (unsigned i = 0; i < kEvents; ++i) {
    raised_ns[i] = sys::monotonic_ns();
    raise(attached, i);
    std::this_thread::sleep_for(kPause);
  }
  raise(attached, kLast);

  auto all = nlohmann::ordered_json::array();
  for (const auto& waiter : waiters) {
    std::vector<double> delays = waiter->delays(raised_ns);
    std::ranges::sort(delays);
    const double median = delays.empty() ? 0 : delays[delays.size() / 2];
    all.push_back({{"what", waiter->what()},
                   {"raised", kEvents},
                   {"delivered", delays.size()},
                   {"median_us", median},
                   {"worst_us", delays.empty() ? 0 : delays.back()}});
  }
  detach_store(&attached);
  remove_store(file.c_str());
  return all;
}

}  // namespace
}  // namespace nvmlab::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: nvmlab-bench-events JSON\n", stderr);
    return 2;
  }
  try {
    if (std::string(arguments[1]) == "--wait") {
      nvmlab::bench::wait_for_events();
      return 0;
    }
    nvmlab::bench::forget_settings();
    std::ofstream out(arguments[1], std::ios::trunc);
    out << nvmlab::bench::measure().dump(1) << '\n';
    return out.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvmlab-bench-events: %s\n", error.what());
    return 1;
  }
}
