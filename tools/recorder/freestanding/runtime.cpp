// SPDX-License-Identifier: Apache-2.0
//
// What headers of the C++ library expect of its binary part, as far as nvmlab-record needs it: memory, and an end where
// others would throw. So the program needs the C library alone. Tests: tests/drivers/abi/recorder_test.cpp.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "nvmlab/loader/fork.hpp"

namespace {

constexpr int kExitCode = 1;

[[noreturn]] void give_up(const char* why) {
  constexpr char beginning[] = "nvmlab-record: ";
  for (const char* text : {beginning, why, "\n"}) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  }
  ::_exit(kExitCode);
}

void* allocated(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) give_up("out of memory");
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocated(size); }
void* operator new[](std::size_t size) { return allocated(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace std {

// Declared by bits/functexcept.h.
void __throw_bad_alloc() { give_up("out of memory"); }
void __throw_bad_array_new_length() { give_up("out of memory"); }
void __throw_length_error(const char* what) { give_up(what); }
void __throw_logic_error(const char* what) { give_up(what); }
void __throw_out_of_range_fmt(const char* what, ...) { give_up(what); }

}  // namespace std

extern "C" {

// Counters of shared owners are atomic, whatever the C library could tell about threads.
extern char __libc_single_threaded;  // NOLINT(readability-redundant-declaration): not every library declares it
char __libc_single_threaded = 0;

void __cxa_pure_virtual();
void __cxa_pure_virtual() { give_up("a pure virtual function was called"); }

// std::_Sp_make_shared_tag::_S_eq: whether it is asked for by a type that nobody has without RTTI.
bool same_shared_tag(const void*) __asm__("_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info");
bool same_shared_tag(const void*) { return false; }
}

// The program never forks, so no table must be emptied in a child.
namespace nvml::detail {

ForkAware::ForkAware() = default;
ForkAware::~ForkAware() = default;

}  // namespace nvml::detail
