// SPDX-License-Identifier: Apache-2.0
// An opened NVML library. Covered by tests/binding/library_test.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/loader/open.hpp"
#include "nvmlab/nvml/generated/library_methods.hpp"

namespace nvml::inline v1 {

/// A value: copies are owners of one library. It stays open as long as any of them, or any object that came from it,
/// lives; the last one to go shuts it down and closes it. Each open() makes a library of its own, and there may be
/// several at once in one process: the installed one and a simulated one, say.
///
/// Threads: NVML is thread-safe, and so are calls through one object from many threads. Changing one object (assigning
/// to it, shutting it down) while another thread uses the same object is not.
///
/// fork: the objects of the parent answer UNINITIALIZED of origin fork in the child; the child opens a library itself.
class Library : public LibraryMethods {
 public:
  using Options = OpenOptions;  ///< how one is opened

  /// Finds a library, looks up all functions, and initialises NVML. A program that links this needs no driver to start:
  /// where there is none, the answer is LIBRARY_NOT_FOUND, with what was tried as the error's detail().
  /// C: nvmlInit_v2, else nvmlInit
  /// C: nvmlInitWithFlags
  [[nodiscard]] static Result<Library> open(const Options& options = {});

  /// A library that is nothing but this table, for tests (nvml/fake.hpp). Nothing is initialised nor shut down.
  [[nodiscard]] static Library from_table(const Functions& functions);

  using LibraryMethods::LibraryMethods;

  /// All GPUs, at the places of their indices: for (auto&& device : library.devices()).
  /// One whose handle is refused (lost, removed, hidden from this user) is there too: refusal() says why, and so does
  /// every call of it. Where not even their number can be had, the list is one such device.
  [[nodiscard]] std::vector<Device> devices() const;

  /// All S-class units, likewise; none where the driver knows no units.
  [[nodiscard]] std::vector<Unit> units() const;

  /// Metrics of the time between two samples of one GPU, each with its type and an answer of its own:
  ///
  ///     const auto metrics = library.gpm<nvml::GpmMetricId::sm_util, nvml::GpmMetricId::dram_bw_util>(first, second);
  ///     if (auto busy = metrics.get<nvml::GpmMetricId::sm_util>()) std::cout << *busy;  // 97.5 %
  ///
  /// gpm_metrics() takes ids that are known only when the program runs.
  template <GpmMetricId... ids>
  [[nodiscard]] GpmMetrics<ids...> gpm(const GpmSample& first, const GpmSample& second) const {
    constexpr GpmMetricId kWanted[] = {ids...};
    std::array<Result<double>, sizeof...(ids)> values;
    detail::read_metrics(state(), first, second, kWanted, values);
    return GpmMetrics<ids...>{std::move(values)};
  }

  /// Whether the library has a function: has("nvmlDeviceGetFanSpeedRPM"), for any exported name, or
  /// has<&nvml::Functions::nvmlDeviceGetFanSpeedRPM>(), which misspelt does not compile.
  [[nodiscard]] bool has(const std::string& function) const noexcept {
    return state().symbol(function.c_str()) != nullptr;
  }
  /// The same of an entry of the table.
  template <auto Slot>
  [[nodiscard]] bool has() const noexcept {
    return functions().*Slot != nullptr;
  }

  /// A function that this release of the binding does not know, by name and type:
  /// find<nvmlReturn_t(unsigned*)>("nvmlNewerThanThis"). Null if there is none. It may be called as long as the library
  /// is open, and not in the child of a fork.
  template <class Function>
  requires std::is_function_v<Function>
  [[nodiscard]] Function* find(const std::string& name) const noexcept {
    return reinterpret_cast<Function*>(state().symbol(name.c_str()));
  }

  /// The library's file; empty for a table from no file.
  [[nodiscard]] std::string path() const { return state().path.value_or(""); }

  /// What destruction does by itself, for those who want to know how it went: gives up this owner, waits until all
  /// other owners are gone, and returns nvmlShutdown's answer. After `patience` the answer is TIMEOUT of origin
  /// binding, and the last owner shuts down when it goes. In both cases this object's calls answer UNINITIALIZED from
  /// then on.
  ///
  /// C: nvmlShutdown
  [[nodiscard]] Result<void> shutdown(std::chrono::milliseconds patience = std::chrono::seconds{10}) {
    return detail::shut_down(share(), patience);
  }

  /// One library, not two that were opened from one file.
  friend bool operator==(const Library& a, const Library& b) noexcept { return a.library() == b.library(); }
};

}  // namespace nvml::inline v1

template <>
struct std::hash<nvml::Library> {
  std::size_t operator()(const nvml::Library& library) const noexcept {
    return std::hash<const void*>{}(&*library.library());
  }
};
