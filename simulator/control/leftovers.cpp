// SPDX-License-Identifier: Apache-2.0
#include "control/leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "control/machines.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::control {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr std::string_view kPrivate = "run-";
constexpr std::size_t kDigits = 16;

bool older_than(const fs::directory_entry& entry, std::chrono::seconds age) {
  std::error_code failed;
  const auto written = entry.last_write_time(failed);
  return !failed && fs::file_time_type::clock::now() - written > age;
}

// A program that uses a file takes its lock within two seconds.
template <class TryLock>
bool unused(const fs::directory_entry& entry, const TryLock& try_lock) {
  if (!older_than(entry, std::chrono::seconds(2))) return false;
  const int fd = sys::open_file(entry.path().c_str(), O_RDWR | O_NOFOLLOW, 0);
  if (fd < 0) return false;
  const bool free = try_lock(fd);
  sys::close_file(fd);
  return free;
}

// The writer of a draft holds its lock (create_store).
bool abandoned(const fs::directory_entry& draft) {
  return unused(draft, [](int fd) { return sys::try_lock_file(fd) == 0; });
}

// This lock is independent of the one that writers take (engine/store/lock.hpp).
bool try_hold(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

bool is_draft(std::string_view file) {
  const std::size_t number = file.rfind(".store.");
  return number != std::string_view::npos && file.find_first_not_of("0123456789", number + 7) == std::string_view::npos;
}

bool is_private(std::string_view file) {
  if (!file.starts_with(kPrivate) || !file.ends_with(".store")) return false;
  const std::string_view digits = file.substr(kPrivate.size(), file.size() - kPrivate.size() - 6);
  return digits.size() == kDigits && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void sweep_compiled_profiles(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    std::error_code ignored;
    if (older_than(*entry, hours(24 * 7))) fs::remove(entry->path(), ignored);
  }
}

}  // namespace

std::string private_name(std::uint64_t attempt) {
  const std::uint64_t now = sys::realtime_ns() + attempt;
  return fmt::format("{}{:0{}x}", kPrivate, now ^ std::uint64_t{sys::process_id()} << 40, kDigits);
}

int hold(const StoreFile& file) {
  const int fd = sys::open_file(file.path, O_RDWR | O_NOFOLLOW, 0);
  if (fd >= 0) try_hold(fd);
  return fd;
}

void sweep_machines_folder() {
  const auto folder = machines_folder();
  if (!folder) return;
  std::error_code failed;
  for (fs::directory_iterator entry(*folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string file = entry->path().filename().string();
    std::error_code ignored;
    if (is_draft(file) && abandoned(*entry)) fs::remove(entry->path(), ignored);
    if (is_private(file) && unused(*entry, try_hold)) (void)remove_store(entry->path().c_str());
  }
  sweep_compiled_profiles(fs::path(*folder) / "compiled");
}

}  // namespace nvmlab::control
