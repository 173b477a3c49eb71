// SPDX-License-Identifier: Apache-2.0
//
// What the binding adds to a function that fills one struct: all getters of a device of that kind which the simulated
// board answers, found by their types.
#include "tests/bench/binding_structs.hpp"

#include <benchmark/benchmark.h>

#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/reflect.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/bench/allocations.hpp"
#include "tests/bench/driver.hpp"
#include "tests/binding/generated/fake_methods.hpp"

namespace nvmlab::bench {
namespace {

using nvml::Functions;

constexpr unsigned kGpus = 8;

nvml::Device first_device() {
  use_node(kGpus);
  return nvml::or_throw(nvml::or_throw(nvml::Library::open({.path = driver_library()})).device(0));
}

// The struct that a function of a device alone fills; void of all others.
template <class Function>
struct Filled {
  using type = void;
};
template <class C>
struct Filled<nvml::abi::nvmlReturn_t (*)(nvml::abi::nvmlDevice_t, C*)> {
  using type = std::conditional_t<std::is_class_v<C>, C, void>;
};

template <class C>
C blank() {
  C c{};
  nvml::detail::fill_version(c);
  return c;
}

// As a careful program in C has it: the function's pointer from the table, its answer looked at.
template <auto Slot, class C>
void raw(benchmark::State& state) {
  const nvml::Device device = first_device();
  for (auto _ : state) {
    C c = blank<C>();
    if ((device.functions().*Slot)(device.handle(), &c) != nvml::abi::NVML_SUCCESS) [[unlikely]]
      state.SkipWithError("refused");
    benchmark::DoNotOptimize(c);
    benchmark::ClobberMemory();
  }
}

// How many texts and lists are in an answer.
template <class T>
unsigned parts_of(const T& value) {
  unsigned parts = 0;
  const auto visit = [&parts](std::string_view, const auto& member) { parts += parts_of(member); };
  if constexpr (requires { value.capacity(); }) {
    parts = 1;
  } else if constexpr (requires { for_each_member(value, visit); }) {
    for_each_member(value, visit);
  }
  return parts;
}

template <auto Method>
void typed(benchmark::State& state) {
  const nvml::Device device = first_device();
  auto answer = (device.*Method)();
  state.counters["allocations"] = static_cast<double>(allocations_of([&] { answer = (device.*Method)(); }));
  state.counters["bytes"] = sizeof(*answer);
  state.counters["parts"] = answer ? parts_of(*answer) : 0;
  for (auto _ : state) {
    auto value = (device.*Method)();
    benchmark::DoNotOptimize(value);
    benchmark::ClobberMemory();
  }
}

// Of the versions of a function the first that the board answers, as the method finds it.
template <auto Method, auto Slot, auto... Older>
void compare(const std::string& name) {
  using C = typename Filled<std::remove_cvref_t<decltype(std::declval<Functions&>().*Slot)>>::type;
  if constexpr (!std::is_void_v<C>) {
    const nvml::Device device = first_device();
    const auto function = device.functions().*Slot;
    C c = blank<C>();
    if (function != nullptr && function(device.handle(), &c) == nvml::abi::NVML_SUCCESS) {
      benchmark::RegisterBenchmark(("struct/raw/" + name).c_str(), raw<Slot, C>);
      benchmark::RegisterBenchmark(("struct/typed/" + name).c_str(), typed<Method>);
      return;
    }
  }
  if constexpr (sizeof...(Older) > 0) compare<Method, Older...>(name);
}

template <auto Method, class Functions>
struct Compared;
template <auto Method, auto... Slots>
struct Compared<Method, nvml::detail::Behind<Slots...>> {
  static void add(const std::string& name) { compare<Method, Slots...>(name); }
};

// Without arguments, of a device, and one struct behind it.
template <class Method>
inline constexpr bool kAsks = false;
template <class T>
inline constexpr bool kAsks<nvml::Result<T> (nvml::DeviceMethods::*)() const> = true;

}  // namespace

void register_structs() {
  nvml::for_each_method([]<auto Method>(std::string_view name, int) {
    if constexpr (kAsks<decltype(Method)>)
      Compared<Method, typename nvml::detail::FunctionsOf<Method>::type>::add(
          std::string(name.substr(name.rfind(':') + 1)));
  });
}

}  // namespace nvmlab::bench
