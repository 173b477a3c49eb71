// SPDX-License-Identifier: Apache-2.0
//
// System calls without libc. Each name that the driver takes from libc costs a third of a microsecond when it is
// loaded (docs/decisions/0012-start.md), libc's own wrappers of some calls carry symbol versions newer than the oldest
// container that the driver is mounted into, and none of these calls may become a cancellation point in a client's
// thread, or change its errno.
#pragma once

#include <sys/syscall.h>
#include <cerrno>
#include <type_traits>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <unistd.h>
#endif

namespace nvmlab::sys {

template <class Argument>
long register_of(Argument argument) {
  if constexpr (std::is_pointer_v<Argument>) {
    return reinterpret_cast<long>(argument);
  } else if constexpr (std::is_null_pointer_v<Argument>) {
    return 0;
  } else {
    return static_cast<long>(argument);
  }
}

// The result, or a negative errno value.
#if defined(__x86_64__)
inline long call_kernel(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
inline long call_kernel(long number, long a, long b, long c, long d, long e, long f) {
  register long which __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  register long fifth __asm__("x4") = e;
  register long sixth __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(result)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory", "cc");
  return result;
}
#else
inline long call_kernel(long number, long a, long b, long c, long d, long e, long f) {
  const long result = ::syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}
#endif

template <class... Arguments>
long call(long number, Arguments... arguments) {
  static_assert(sizeof...(arguments) <= 6);
  const long words[6] = {register_of(arguments)...};
  return call_kernel(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

}  // namespace nvmlab::sys
