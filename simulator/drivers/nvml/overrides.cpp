// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/overrides.hpp"

#include <fcntl.h>
#include <cstring>

#include "drivers/nvml/compiler.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/process.hpp"
#include "engine/change/change.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kLongestPath = 4096;
constexpr std::uint64_t kLargestFile = 16 << 20;
constexpr const char* kBesideConfig = "overrides.yaml";

struct Document {
  const char* data = nullptr;
  std::uint64_t size = 0;

  const char* text() const { return data == nullptr ? "" : data; }
};

// How the file was when it was read; all zero where there is none.
struct Seen {
  std::uint64_t size;
  std::uint64_t changed_ns;
  std::uint64_t inode;
  bool operator==(const Seen&) const = default;
};

// Nothing but zeros, so that a process that watches nothing has no page of it.
struct Watch {
  Store* store = nullptr;  // null: nothing is watched
  char path[kLongestPath] = {};
  char config[kLongestPath] = {};
  char driver[64] = {};
  std::int64_t gpus = 0;
  std::uint64_t ttl_ns = 0;
  std::uint64_t next_ns = 0;
  Seen seen = {};
  Document applied;  // of this process alone, mapped; what the machine has
  ThreadLock busy;
};
Watch watch;

// False where it is too long.
template <std::size_t N>
bool keep(char (&to)[N], const char* text) {
  const std::size_t length = std::strlen(text);
  if (length >= N) return false;
  std::memcpy(to, text, length + 1);
  return true;
}

// MOCK_NVML_OVERRIDES, or the file that lies beside the configuration as that mock's node agent puts it.
bool find_path(const Config& config) {
  if (config.mock_overrides != nullptr) return keep(watch.path, config.mock_overrides);
  const char* const slash = std::strrchr(config.mock_config, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash + 1 - config.mock_config);
  const std::size_t name = std::strlen(kBesideConfig);
  if (folder + name >= sizeof watch.path) return false;
  std::memcpy(watch.path, config.mock_config, folder);
  std::memcpy(watch.path + folder, kBesideConfig, name + 1);
  return true;
}

int open_overrides(Seen* seen, std::uint64_t* size) {
  *seen = {};
  const int fd = sys::open_file(watch.path, O_RDONLY, 0);
  if (fd < 0) return fd;
  sys::FileFacts facts;
  if (sys::inspect(fd, &facts) != 0 || !facts.regular || facts.size > kLargestFile) {
    sys::close_file(fd);
    return -1;
  }
  *seen = {facts.size, facts.changed_ns, facts.inode};
  *size = facts.size;
  return fd;
}

bool read_text(int fd, std::uint64_t size, Document* text) {
  if (size == 0) return true;
  auto* const memory = static_cast<char*>(sys::map_private(size));
  if (memory == nullptr) return false;
  const std::int64_t got = sys::read_file(fd, memory, size);
  if (got < 0) {
    sys::unmap(memory, size);
    return false;
  }
  *text = {memory, static_cast<std::uint64_t>(got)};
  return true;
}

void forget(const Document& text) {
  if (text.size > 0) sys::unmap(const_cast<char*>(text.data), text.size);
}

void apply_or_report(const Change& change) {
  MachineAccess machine{*watch.store, process.file, true};
  const Code code = apply(machine, change).code;
  if (code == kSuccess || code == kNotFound) return;  // a fault that a reset has ended already
  if (change.target.is_gpu() && change.target.gpu >= machine.gpu_count()) return;
  Line line;
  line << "MOCK_NVML_OVERRIDES=" << Quoted{watch.path} << ": GPU " << std::uint64_t{change.target.gpu}
       << ": a change is refused with return code " << std::uint64_t{code};
  log_error(line);
}

void take_over(const Document& text) {
  CompiledProfile compiled;
  const MockReload reload{.overrides = watch.path,
                          .before = watch.applied.text(),
                          .before_size = watch.applied.size,
                          .after = text.text(),
                          .after_size = text.size};
  if (!reload_mock_config(watch.config, watch.gpus, watch.driver[0] == '\0' ? nullptr : watch.driver, reload,
                          &compiled))
    return forget(text);
  const auto* const changes = static_cast<const Change*>(compiled.result.changes);
  for (std::size_t i = 0; compiled.result.change_size == sizeof(Change) && i < compiled.result.change_count; ++i)
    apply_or_report(changes[i]);
  release_compiled(&compiled);
  forget(watch.applied);
  watch.applied = text;
}

void look() {
  Seen seen{};
  std::uint64_t size = 0;
  const int fd = open_overrides(&seen, &size);
  if (seen == watch.seen) {
    if (fd >= 0) sys::close_file(fd);
    return;
  }
  Document text;
  const bool read = fd < 0 || read_text(fd, size, &text);
  if (fd >= 0) sys::close_file(fd);
  watch.seen = seen;
  if (read) take_over(text);
}

// Who finds another thread at it goes on with what there is.
void look_if_due() {
  const std::uint64_t now = sys::monotonic_ns();
  if (now < __atomic_load_n(&watch.next_ns, __ATOMIC_ACQUIRE) || !watch.busy.lock_until(0)) return;
  if (now >= watch.next_ns) {
    look();
    __atomic_store_n(&watch.next_ns, now + watch.ttl_ns, __ATOMIC_RELEASE);
  }
  watch.busy.unlock();
}

}  // namespace

bool watch_overrides(const Config& config) {
  if (config.mock_config == nullptr || config.profile != nullptr || config.machine != nullptr) {
    if (config.mock_overrides == nullptr) return false;
    Line line;
    line << "MOCK_NVML_OVERRIDES: read with MOCK_NVML_CONFIG alone, by a process with a machine of its own; "
            "`nvmlab mock --machine` changes one that is up";
    log_error(line);
    return false;
  }
  if (!find_path(config) || !keep(watch.config, config.mock_config)) return false;
  if (!keep(watch.driver, config.driver == nullptr ? "" : config.driver)) return false;
  watch.gpus = config.gpus;
  watch.ttl_ns = config.overrides_ttl_ns;
  Seen seen{};
  std::uint64_t size = 0;
  const int fd = open_overrides(&seen, &size);
  if (fd >= 0) sys::close_file(fd);
  return config.mock_overrides != nullptr || fd >= 0;
}

void begin_watching(Store* store) {
  if (watch.store != store) {
    forget(watch.applied);
    watch.applied = {};
    watch.seen = {};
  }
  watch.next_ns = 0;
  watch.store = store;
  __atomic_store_n(&process.watched, true, __ATOMIC_RELEASE);
}

// The machine and what was applied to it stay for the next nvmlInit.
void end_watching() { __atomic_store_n(&process.watched, false, __ATOMIC_RELEASE); }

std::uint64_t overrides_nap_ns() {
  return __atomic_load_n(&process.watched, __ATOMIC_ACQUIRE) ? watch.ttl_ns : ~std::uint64_t{0};
}

[[gnu::cold]] Store* watched_store() {
  if (!__atomic_load_n(&process.watched, __ATOMIC_ACQUIRE)) return nullptr;
  look_if_due();
  return process.kept;
}

}  // namespace nvmlab::driver
