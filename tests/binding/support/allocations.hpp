// SPDX-License-Identifier: Apache-2.0
// How much a program has allocated: what links allocations.cpp counts every `new`.
#pragma once

namespace nvmlab::binding_test {

unsigned long allocations() noexcept;

template <class Body>
unsigned long allocated(Body&& body) {
  const unsigned long before = allocations();
  body();
  return allocations() - before;
}

// No compiler leaves out what this was shown.
void show(const void* object) noexcept;

// The allocations that a value holds: as many as a copy of it takes.
template <class T>
unsigned long kept_by(const T& value) {
  return allocated([&] {
    const T copy = value;
    show(&copy);
  });
}

// What is allocated while one is there does not count: a test's own, within what it looks at.
class Uncounted {
 public:
  Uncounted() noexcept : before_(allocations()) {}
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted();

 private:
  unsigned long before_;
};

}  // namespace nvmlab::binding_test
