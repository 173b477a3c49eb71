// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/open.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "nvmlab/loader/fork.hpp"
#include "nvmlab/loader/function_names.hpp"

namespace nvml::inline v1::detail {
namespace {

Error error_of(abi::nvmlReturn_t code, Origin origin, const char* function, std::string detail = {}) {
  if (detail.empty()) return {static_cast<Return>(code), origin, function};
  return {static_cast<Return>(code), origin, function, std::move(detail)};
}

// A library that the dynamic linker has opened.
class DynamicLibrary final : public ForkAware {
 public:
  DynamicLibrary(void* handle, bool keep_loaded) : handle_(handle), keep_loaded_(keep_loaded) {
    link_map* map = nullptr;
    path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
    for (std::size_t at = 0; at < kFunctionCount; ++at)
      set_entry(functions, at, dlsym(handle, function_names[at]));
  }

  // In the child of a fork there is nothing to shut down or close: what the parent has open is the parent's.
  ~DynamicLibrary() override {
    if (absence == Absence::fork) return;
    shut_down();
    if (!keep_loaded_) dlclose(handle_);
  }

  Result<void> initialise(const std::optional<unsigned>& flags) {
    auto* const plain = functions.nvmlInit_v2 != nullptr ? functions.nvmlInit_v2 : functions.nvmlInit;
    auto* const flagged = functions.nvmlInitWithFlags;
    if (flags.value_or(0) != 0 && flagged == nullptr) return absent("nvmlInitWithFlags", "too old for flags");
    if (plain == nullptr && (flagged == nullptr || !flags)) return absent("nvmlInit_v2", "not an NVML library");

    const bool with_flags = flags.has_value() && flagged != nullptr;
    const abi::nvmlReturn_t code = with_flags ? flagged(*flags) : plain();
    if (code != abi::NVML_SUCCESS) {
      const char* const plain_name = functions.nvmlInit_v2 != nullptr ? "nvmlInit_v2" : "nvmlInit";
      return unexpected(error_of(code, Origin::driver, with_flags ? "nvmlInitWithFlags" : plain_name, *path));
    }
    initialised_ = true;
    return {};
  }

  abi::nvmlReturn_t shut_down() noexcept override {
    if (!std::exchange(initialised_, false) || functions.nvmlShutdown == nullptr) return abi::NVML_SUCCESS;
    return functions.nvmlShutdown();
  }

  void* symbol(const char* name) const noexcept override {
    return absence == Absence::symbol ? dlsym(handle_, name) : nullptr;
  }

 private:
  unexpected<Error> absent(const char* function, const char* verdict) const {
    return unexpected(error_of(abi::NVML_ERROR_FUNCTION_NOT_FOUND, Origin::symbol, function, *path + ": " + verdict));
  }

  void* handle_;
  bool keep_loaded_;
  bool initialised_ = false;
};

// What the dynamic linker says, without the name that it mostly repeats.
std::string reason(const std::string& place) {
  const char* const said = dlerror();
  std::string_view text = said != nullptr ? said : "no reason given";
  if (text.starts_with(place + ": ")) text.remove_prefix(place.size() + 2);
  return std::string{text};
}

}  // namespace

Result<Shared> open(const OpenOptions& options) { return open_first(search_order(options), options); }

Result<Shared> open_first(const std::vector<std::string>& places, const OpenOptions& options) {
  std::string tried;
  for (const std::string& place : places) {
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      tried.append(tried.empty() ? "" : "\n").append(place).append(": ").append(reason(place));
      continue;
    }
    auto* const opened = new DynamicLibrary(handle, options.keep_loaded);
    Shared shared{opened};
    const auto flags = options.init_flags ? std::optional{options.init_flags->raw()} : std::nullopt;
    if (auto done = opened->initialise(flags); !done) return unexpected(std::move(done.error()));
    return shared;
  }
  return unexpected(error_of(abi::NVML_ERROR_LIBRARY_NOT_FOUND, Origin::loader, "", std::move(tried)));
}

Shared closed_state() noexcept {
  // Never the last owner's: this one is kept until the process ends.
  static State* const state = [] {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory for it the process ends
    auto* const made = new State;
    made->absence = Absence::closed;
    return made;
  }();
  state->owners.add(1);
  return Shared{state};
}

Result<void> shut_down(Shared& library, std::chrono::milliseconds patience) {
  const std::size_t entry = slot_offset(&Functions::nvmlShutdown);
  const Shared last = std::exchange(library, closed_state());
  if (last->absence != Absence::symbol) return unexpected(failure(*last, entry, abi::NVML_SUCCESS));

  // Owners say nothing when they go, which is what makes them cheap; so this looks, at longer and longer intervals.
  const auto until = std::chrono::steady_clock::now() + patience;
  std::chrono::microseconds pause{20};
  while (last->owners.load() > 1 + last->bystanders.load()) {
    if (std::chrono::steady_clock::now() >= until)
      return unexpected(error_of(abi::NVML_ERROR_TIMEOUT, Origin::binding, "nvmlShutdown"));
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{2000});
  }
  if (const abi::nvmlReturn_t code = last->shut_down(); code != abi::NVML_SUCCESS)
    return unexpected(failure(*last, entry, code));
  return {};
}

}  // namespace nvml::inline v1::detail
