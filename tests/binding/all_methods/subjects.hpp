// SPDX-License-Identifier: Apache-2.0
// An object of each class to call methods on, and an argument of each type to call them with.
#pragma once

#include <cstdint>
#include <memory>

#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/objects.hpp"
#include "tests/binding/all_methods/written.hpp"
#include "tests/binding/support/allocations.hpp"

namespace nvml::all_methods {

// This library has no such object at hand.
struct Absent {};

template <class... T>
using Each = std::tuple<std::optional<T>...>;
using Objects = Each<Library, Device, Unit, EventSet, SystemEventSet, GpmSample, GpuInstance, ComputeInstance, VgpuType,
                     VgpuInstance>;

template <class T, class Tuple>
inline constexpr bool is_among = false;
template <class T, class... All>
inline constexpr bool is_among<T, std::tuple<std::optional<All>...>> = (std::is_same_v<T, All> || ...);
template <class T>
inline constexpr bool is_object = is_among<T, Objects>;

// A value that differs from place to place and is neither zero nor empty.
template <class T>
T patterned(unsigned place) {
  T made{};
  if constexpr (std::is_same_v<T, bool>) {
    made = true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    made = "text " + std::to_string(place);
  } else if constexpr (std::is_enum_v<T>) {
    made = static_cast<T>(place + 1);
  } else if constexpr (requires { detail::from_c(place, made); }) {
    detail::from_c(place + 11, made);
  } else if constexpr (requires { made.emplace(); }) {
    made.emplace(patterned<typename T::value_type>(place));
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    for (auto& each : made)
      each = static_cast<std::remove_reference_t<decltype(each)>>(++place);
  }
  return made;
}

// Whose methods are called, and with what numbers and texts: no driver takes one set of arguments for all.
struct Round {
  unsigned number = 0;
  enum class Of { first, last, mig } device = Of::first;
  enum class Text { any, uuid, address, serial } text = Text::any;
};

class Subjects {
 public:
  // Objects of handles that were never given: for a table that looks at none.
  static Subjects invented(const Library& library) {
    Subjects made(library);
    made.patterns_ = true;
    const auto make = [&]<class T, class Handle>(std::optional<T>& place, Handle handle) {
      place.emplace(library.library(), handle);
    };
    make(std::get<std::optional<Device>>(made.objects_), handle<abi::nvmlDevice_t>(1));
    make(std::get<std::optional<Unit>>(made.objects_), handle<abi::nvmlUnit_t>(2));
    make(std::get<std::optional<EventSet>>(made.objects_), handle<abi::nvmlEventSet_t>(3));
    make(std::get<std::optional<SystemEventSet>>(made.objects_), handle<abi::nvmlSystemEventSet_t>(4));
    make(std::get<std::optional<GpmSample>>(made.objects_), handle<abi::nvmlGpmSample_t>(5));
    make(std::get<std::optional<GpuInstance>>(made.objects_), handle<abi::nvmlGpuInstance_t>(6));
    make(std::get<std::optional<ComputeInstance>>(made.objects_), handle<abi::nvmlComputeInstance_t>(7));
    return made;
  }

  // Objects that the library gives: of the last GPU in MIG mode, if there is one, instances that are made if need be.
  static Subjects real(const Library& library, const Round& round = {});

  template <class T>
  const T& get() const {
    const auto& found = std::get<std::optional<T>>(objects_);
    if (!found) throw Absent{};
    return *found;
  }

  // The argument at a place. Invented: a pattern. Real: what is nothing in particular, zero, the first enumerator, an
  // empty struct, so that a driver may take it.
  template <class T>
  T argument(unsigned place) const {
    const nvmlab::binding_test::Uncounted arguments;
    if constexpr (is_object<T>) {
      if (!patterns_) return real_argument<T>();
      using Handle = decltype(get<T>().handle());
      if constexpr (std::is_pointer_v<Handle>) {
        return T{get<Library>().library(), handle<Handle>(0x100 + place)};
      } else {
        return T{get<Library>().library(), 0x100 + place};
      }
    } else if constexpr (requires { typename T::element_type; }) {
      using Element = typename T::element_type;  // of what is asked for, or of memory for an answer
      static std::array<std::remove_const_t<Element>, std::is_const_v<Element> ? 64 : 2048> room{};
      return T{room};
    } else if (patterns_) {
      return patterned<T>(place);
    } else if constexpr (std::same_as<T, std::string>) {
      return text_;
    } else {
      T made{};
      // Nobody waits for events longer than not at all.
      if constexpr (
          !requires { typename T::period; } && requires { detail::from_c(number_, made); })
        detail::from_c(number_, made);
      return made;
    }
  }

  // A typed struct, which the method hands to C as a C.
  template <class T, class C>
  T structure(unsigned place) const {
    const nvmlab::binding_test::Uncounted arguments;
    T made{};
    if (!patterns_) return made;
    const auto c = std::make_unique<C>();
    write_pattern(c.get(), 40 * place);
    from_c(*c, made);
    return made;
  }

  // The same, to be written to.
  template <class T>
  T& place() const {
    const nvmlab::binding_test::Uncounted arguments;
    static T room;
    room = argument<T>(0);
    return room;
  }

 private:
  explicit Subjects(const Library& library) {
    std::get<std::optional<Library>>(objects_) = library;
    std::get<std::optional<VgpuType>>(objects_).emplace(library.library(), 8U);
    std::get<std::optional<VgpuInstance>>(objects_).emplace(library.library(), 9U);
  }

  template <class Handle>
  static Handle handle(std::size_t number) {
    return reinterpret_cast<Handle>(number * 0x1000);  // NOLINT(performance-no-int-to-ptr)
  }

  // Another device than the one that is asked, where there is one.
  template <class T>
  T real_argument() const {
    if constexpr (std::is_same_v<T, Device>) {
      if (second_) return *second_;
    }
    return get<T>();
  }

  void take_instances(const Device& device);

  Objects objects_;
  bool patterns_ = false;
  unsigned number_ = 0;
  std::string text_ = "text";
  std::optional<Device> second_;
};

}  // namespace nvml::all_methods
