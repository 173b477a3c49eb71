// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/exports/timed_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "tests/bench/exports/painted_stack.hpp"

extern "C" int nvmlab_empty(void* device, unsigned int* value);

namespace nvmlab::bench {
namespace {

using recorder::Word;
using Words = std::array<Word, 6>;
using Function = int(Word, Word, Word, Word, Word, Word);

constexpr int kBatches = 5;
constexpr std::chrono::microseconds kBatch(20);
constexpr std::uint64_t kMostCalls = 1 << 14;

int invoke(Function* function, const Words& w) { return function(w[0], w[1], w[2], w[3], w[4], w[5]); }

double time_of(Function* function, const Words& words, std::uint64_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < calls; ++i)
    invoke(function, words);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  return spent.count();
}

// The fastest of some batches, each long enough for the clock.
double ns_of(Function* function, const Words& words) {
  std::uint64_t calls = 1;
  double spent = time_of(function, words, calls);
  while (spent < std::chrono::duration<double, std::nano>(kBatch).count() && calls < kMostCalls)
    spent = time_of(function, words, calls *= 2);
  double best = spent;
  for (int i = 1; i < kBatches; ++i)
    best = std::min(best, time_of(function, words, calls));
  return best / static_cast<double>(calls);
}

Cost measure(Function* function, const Words& words, int code) {
  Cost cost;
  cost.code = code;
  cost.calls = 1;
  cost.ns = ns_of(function, words);
  cost.stack = stack_of([&] { invoke(function, words); });
  return cost;
}

TimedLibrary* current = nullptr;

}  // namespace

TimedLibrary::TimedLibrary(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  current = this;
}

TimedLibrary::~TimedLibrary() {
  current = nullptr;
  ::dlclose(handle_);
}

void* TimedLibrary::address(const char* name) const {
  called_ = ::dlsym(handle_, name);
  name_ = name;
  return called_ == nullptr ? nullptr : reinterpret_cast<void*>(&measured);
}

int TimedLibrary::measured(Word a, Word b, Word c, Word d, Word e, Word f) {
  const Words words = {a, b, c, d, e, f};
  auto* const function = reinterpret_cast<Function*>(current->called_);
  const int code = invoke(function, words);
  Cost& known = current->costs_[current->name_];
  const bool better = code == recorder::kSuccess && known.code != recorder::kSuccess;
  if (known.calls > 0 && !better && code != known.code) return code;
  const Cost now = measure(function, words, code);
  const bool dearer = known.calls == 0 || better || now.ns > known.ns;
  known = {dearer ? now.ns : known.ns, std::max(known.stack, now.stack), code, known.calls + 1};
  return code;
}

Cost TimedLibrary::empty_call() {
  return measure(reinterpret_cast<Function*>(reinterpret_cast<void*>(&nvmlab_empty)), Words{}, recorder::kSuccess);
}

}  // namespace nvmlab::bench
