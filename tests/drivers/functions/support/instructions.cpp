// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/instructions.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/drivers/functions/support/driver.hpp"

namespace nvmlab::driver_test {
#ifdef __x86_64__
namespace {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool has(std::uint64_t address) const { return address >= begin && address < end; }
};

// Where the driver lies.
Range driver_range() {
  Dl_info info{};
  if (::dladdr(Driver::get().address("nvmlInit_v2"), &info) == 0) return {};
  Range range;
  range.begin = reinterpret_cast<std::uint64_t>(info.dli_fbase);
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* context) {
        Range& found = *static_cast<Range*>(context);
        if (object->dlpi_addr != found.begin) return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type == PT_LOAD)
            found.end = std::max(found.end, found.begin + segment.p_vaddr + segment.p_memsz);
        }
        return 1;
      },
      &range);
  return range;
}

// Between its two stops the child makes the call.
[[noreturn]] void make_between_stops(const std::function<void()>& call) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(9);
  call();  // the first one also finds functions and fresh pages
  ::raise(SIGSTOP);
  call();
  ::raise(SIGSTOP);
  ::_exit(0);
}

}  // namespace

std::uint64_t instructions_of(const std::function<void()>& call) {
  const Range range = driver_range();
  const pid_t child = ::fork();
  if (child == 0) make_between_stops(call);
  int status = 0;
  std::uint64_t count = 0;
  bool whole = ::waitpid(child, &status, 0) == child && WIFSTOPPED(status);
  while (whole) {
    whole = ::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 && ::waitpid(child, &status, 0) == child &&
            WIFSTOPPED(status);
    if (!whole || WSTOPSIG(status) == SIGSTOP) break;
    user_regs_struct registers{};
    if (::ptrace(PTRACE_GETREGS, child, nullptr, &registers) == 0 && range.has(registers.rip)) ++count;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return whole ? count : 0;
}
#else
std::uint64_t instructions_of(const std::function<void()>&) { return 0; }
#endif

}  // namespace nvmlab::driver_test
