// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/faulty_calls.hpp"

#include <fcntl.h>
#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/store/system.hpp"

namespace nvmlab {
namespace {

// How soon a call that hangs sees that its machine is gone where nobody wakes it.
constexpr std::uint64_t kLookNs = 500'000'000;

// As Linux keeps the name of a process.
constexpr std::size_t kLongestName = 15;

bool fits(const char* pattern, const char* text, const char* end) {
  const char* star = nullptr;
  const char* behind = nullptr;
  while (text != end) {
    if (*pattern == '*') {
      star = ++pattern;
      behind = text;
    } else if (*pattern == *text || *pattern == '?') {
      ++pattern;
      ++text;
    } else if (star != nullptr) {
      pattern = star;
      text = ++behind;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    ++pattern;
  return *pattern == '\0';
}

// Where the version of a name begins, or its end.
const char* version_of(const char* function, const char* end) {
  const char* at = end;
  while (at != function && at[-1] >= '0' && at[-1] <= '9')
    --at;
  return at != end && at - function > 2 && at[-1] == 'v' && at[-2] == '_' ? at - 2 : end;
}

// Of the process itself, as `ps` tells it.
struct ProcessComm {
  char text[64];
};
ProcessComm own_name() {
  ProcessComm name{};
  const int fd = sys::open_file("/proc/self/comm", O_RDONLY, 0);
  if (fd < 0) return name;
  const std::int64_t size = sys::read_file(fd, name.text, sizeof name.text - 1);
  sys::close_file(fd);
  if (size > 0 && name.text[size - 1] == '\n') name.text[size - 1] = '\0';
  return name;
}

bool fits_process(const char* pattern) {
  if (*pattern == '\0') return true;
  const ProcessComm name = own_name();
  const std::size_t length = std::strlen(name.text);
  if (length == kLongestName && std::strncmp(pattern, name.text, length) == 0) return true;
  return fits(pattern, name.text, name.text + length);
}

bool concerns(const FunctionFault& fault, const FaultyCall& call, const Store& store) {
  if (fault.id == 0 || (fault.gpu == kAnyGpu ? call.gpu_alone : fault.gpu != call.gpu)) return false;
  if (!fits_function(fault.function, call.function) || !fits_process(fault.process)) return false;
  const std::uint64_t now = machine_time_ns(store.clock);
  return now >= fault.from_ns && (fault.until_ns == 0 || now < fault.until_ns);
}

// The number of the call among those that the process made since there is this fault. A word has the last bits of its
// id and the number, so that no lock is needed.
std::uint64_t count_own(std::uint64_t& word, std::uint64_t id) {
  constexpr std::uint32_t kNumberBits = 40;
  const std::uint64_t head = id << kNumberBits;
  std::uint64_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  for (;;) {
    const bool same = (seen ^ head) >> kNumberBits == 0;
    const std::uint64_t next = same ? seen + 1 : head + 1;
    if (__atomic_compare_exchange_n(&word, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return next - head;
  }
}

std::uint64_t count(const CalledStore& called, std::uint32_t place, const FunctionFault& fault, CallCounts& own) {
  if (fault.shared == 0 || !called.writable) return count_own(own.places[place], fault.id);
  return __atomic_add_fetch(&called.store.functions.counted[place], 1, __ATOMIC_RELAXED);
}

// False where the fault was healed, or the machine taken down.
bool wait_out(const CalledStore& called, std::uint32_t place, const FunctionFault& fault) {
  if (fault.hangs == 0 && fault.delay_ns == 0) return true;
  const std::uint32_t* const word = &called.store.functions.sequence;
  const std::uint64_t began = sys::monotonic_ns();
  for (;;) {
    const std::uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (read_function_fault(called.store, place).id != fault.id || taken_down(called.store)) return false;
    const std::uint64_t waited = sys::monotonic_ns() - began;
    if (fault.hangs == 0 && waited >= fault.delay_ns) return true;
    const std::uint64_t left = fault.hangs != 0 ? kLookNs : fault.delay_ns - waited;
    sys::wait_on(word, seen, left < kLookNs ? left : kLookNs, called.shared);
  }
}

}  // namespace

bool fits_function(const char* pattern, const char* function) {
  const char* const end = function + std::strlen(function);
  const char* const version = version_of(function, end);
  return fits(pattern, function, end) || (version != end && fits(pattern, function, version));
}

bool befalls(const FunctionFault& fault, std::uint64_t number) {
  if (number <= fault.skip) return false;
  const std::uint64_t behind = number - fault.skip;
  if (behind % fault.every != 0) return false;
  const std::uint64_t turn = behind / fault.every;
  if (fault.times != 0 && turn > fault.times) return false;
  return fault.chance == kCertain || mix(fault.seed ^ mix(number)) % kCertain < fault.chance;
}

FunctionFault read_function_fault(const Store& store, std::uint32_t place) {
  const FunctionFaultTable& table = store.functions;
  for (;;) {
    const std::uint32_t before = __atomic_load_n(&table.sequence, __ATOMIC_ACQUIRE);
    FunctionFault fault{};
    load_into(fault, table.copies[before & 1].items[place]);
    if (__atomic_load_n(&table.sequence, __ATOMIC_RELAXED) != before) continue;
    // What others have damaged leads to no division by zero, and nowhere outside.
    if (fault.every == 0) fault.every = 1;
    fault.function[sizeof fault.function - 1] = '\0';
    fault.process[sizeof fault.process - 1] = '\0';
    return fault;
  }
}

Code meet_function_faults(const CalledStore& called, const FaultyCall& call, CallCounts& own, Befallen& befallen) {
  Code answer = kSuccess;
  for (std::uint32_t place = 0; place < kMaxFunctionFaults; ++place) {
    const FunctionFault fault = read_function_fault(called.store, place);
    if (!concerns(fault, call, called.store) || !befalls(fault, count(called, place, fault, own))) continue;
    if (!wait_out(called, place, fault)) continue;
    if (answer == kSuccess) answer = fault.code;
    if (fault.befalls != 0) befallen = {.fault = fault.befalls, .gpu = fault.gpu, .xid = fault.xid};
  }
  return answer;
}

}  // namespace nvmlab
