// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/log.hpp"

#include <fcntl.h>
#include <cstring>

#include "drivers/nvml/process.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

// Opened for each line: a descriptor that stays open would turn up in the client, and in what it forks.
using Path = char[512];
Path log_file;
Path record_file;

int open_to_append(const char* path) { return sys::open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600); }

void write_to_file(const Path& path, const Line& line) {
  const int fd = open_to_append(path);
  if (fd < 0) return;
  sys::write_quietly(fd, line.text(), line.size());
  sys::close_file(fd);
}

void write_line(const Line& line) {
  if (log_file[0] != '\0') return write_to_file(log_file, line);
  sys::write_quietly(2, line.text(), line.size());
}

void write_level(const char* level, const Line& line) {
  Line out;
  out << "nvmlab[" << std::uint64_t{sys::process_id()} << "] " << level << line.text();
  out.end();
  write_line(out);
}

// Whether it can be written to at all is found out once, where somebody can be told.
bool write_to(const char* path, Path& remembered) {
  const std::size_t length = std::strlen(path);
  if (length >= sizeof remembered) return false;
  const int fd = open_to_append(path);
  if (fd < 0) return false;
  sys::close_file(fd);
  std::memcpy(remembered, path, length + 1);
  return true;
}

void set_level(std::uint32_t level) { __atomic_store_n(&process.trace, level, __ATOMIC_RELAXED); }

bool is(const char* text, std::size_t length, const char* word) {
  return std::strlen(word) == length && std::memcmp(text, word, length) == 0;
}

}  // namespace

void configure_log(const char* setting) {
  set_level(kLogErrors);
  log_file[0] = '\0';  // of an earlier init
  if (setting == nullptr) return;
  const char* colon = std::strchr(setting, ':');
  const std::size_t length = colon == nullptr ? std::strlen(setting) : static_cast<std::size_t>(colon - setting);
  if (is(setting, length, "off")) {
    set_level(kLogOff);
  } else if (is(setting, length, "info")) {
    set_level(kLogInfo);
  } else if (is(setting, length, "trace")) {
    set_level(kTraceCalls);
  } else if (!is(setting, length, "error")) {
    Line line;
    line << "NVMLAB_LOG=" << Quoted{setting}
         << ": the level is off, error, info or trace, optionally followed by :FILE";
    log_error(line);
  }
  if (colon != nullptr && !write_to(colon + 1, log_file)) {
    Line line;
    line << "NVMLAB_LOG=" << Quoted{setting}
         << ": that file cannot be written to, so messages go to standard error; name another behind the colon";
    log_error(line);
  }
}

void configure_records(const char* setting) {
  record_file[0] = '\0';
  if (setting == nullptr) return;
  if (write_to(setting, record_file)) return set_level(log_level() | kRecordsCalls);
  Line line;
  line << "NVMLAB_RECORD_CALLS=" << Quoted{setting} << ": that file cannot be written to, so no call is recorded";
  log_error(line);
}

void log_error(const Line& line) {
  if (log_level() >= kLogErrors) write_level("", line);
}

void log_info(const Line& line) {
  if (log_level() >= kLogInfo) write_level("info: ", line);
}

void log_trace(const Line& line) { write_level("trace: ", line); }

void record_call(const Line& line) {
  Line out;
  out << std::uint64_t{sys::process_id()} << " " << line.text();
  out.end();
  write_to_file(record_file, out);
}

}  // namespace nvmlab::driver
