// SPDX-License-Identifier: Apache-2.0
#include "engine/store/real_process.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cstring>

#include "engine/store/system.hpp"
#include "engine/store/text_writer.hpp"

namespace nvmlab {
namespace {

// The system's first pid namespace has a fixed inode (PROC_PID_INIT_INO of the kernel).
constexpr std::uint64_t kFirstNamespace = 0xEFFFFFFC;

// A file of a process below /proc, of the caller where `pid` is 0; negative where there is none.
int open_of_process(std::uint32_t pid, const char* file) {
  char path[48];
  TextWriter writer(path);
  writer.add("/proc/");
  pid == 0 ? writer.add("self") : writer.add(std::uint64_t{pid});
  writer.add(file);
  return sys::open_file(path, O_RDONLY, 0);
}

// Its beginning, with a NUL behind it; empty where there is none.
template <std::size_t N>
std::int64_t read_of_process(std::uint32_t pid, const char* file, char (&text)[N]) {
  text[0] = '\0';
  const int fd = open_of_process(pid, file);
  if (fd < 0) return 0;
  const std::int64_t size = sys::read_file(fd, text, N - 1);
  sys::close_file(fd);
  text[size > 0 ? size : 0] = '\0';
  return size;
}

const char* read_number(const char* at, std::uint64_t* value) {
  *value = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    *value = *value * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

// The words behind the name, which stands in parentheses and may hold any; the first of them is the third of the line.
std::uint64_t word_of_stat(const char* line, std::uint32_t number) {
  const char* at = std::strrchr(line, ')');
  if (at == nullptr) return 0;
  for (std::uint32_t word = 2; word < number; ++word) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return 0;
    ++at;
  }
  std::uint64_t value = 0;
  read_number(at, &value);
  return value;
}

// The pids that a process has: in the namespace that /proc is of, and in its own. The kernel lists those of all
// between.
struct NamespacePids {
  std::uint32_t count = 0;  // 0: the kernel does not tell
  std::uint64_t own = 0;
};

[[gnu::noinline]] NamespacePids namespace_pids(std::uint32_t pid) {
  char text[2048];
  NamespacePids found;
  if (read_of_process(pid, "/status", text) <= 0) return found;
  const char* at = std::strstr(text, "\nNSpid:");
  if (at == nullptr) return found;
  for (at += sizeof "\nNSpid:" - 1; *at == '\t'; ++found.count)
    at = read_number(at + 1, &found.own);
  return found;
}

std::uint64_t namespace_of(std::uint32_t pid) {
  const int fd = open_of_process(pid, "/ns/pid");
  if (fd < 0) return 0;
  sys::FileFacts facts;
  const int failed = sys::inspect(fd, &facts);
  sys::close_file(fd);
  return failed < 0 ? 0 : facts.inode;
}

// Whether `process` is the one that /proc lists as `pid`. Its namespace cannot always be looked at.
bool is_listed_as(const RealProcess& process, std::uint32_t pid) {
  if (start_of_process(pid) != process.start_ticks) return false;
  const NamespacePids pids = namespace_pids(pid);
  if (pids.count < 2 || pids.own != process.pid) return false;
  const std::uint64_t lives_in = namespace_of(pid);
  return lives_in == 0 || lives_in == process.pid_namespace;
}

std::uint32_t find_listed(const RealProcess& process) {
  const int fd = sys::open_file("/proc", O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0) return 0;
  alignas(dirent64) char entries[1024];
  std::uint64_t found = 0;
  for (std::int64_t size = 0; found == 0 && (size = sys::read_folder(fd, entries, sizeof entries)) > 0;) {
    for (std::int64_t at = 0; at < size && found == 0;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      std::uint64_t pid = 0;
      const char* end = read_number(entry->d_name, &pid);
      if (pid != 0 && *end == '\0' && is_listed_as(process, static_cast<std::uint32_t>(pid))) found = pid;
      at += entry->d_reclen;
    }
  }
  sys::close_file(fd);
  return static_cast<std::uint32_t>(found);
}

}  // namespace

std::uint64_t start_of_process(std::uint32_t pid) {
  if (pid == 0) return 0;
  char line[1024];
  const std::int64_t size = read_of_process(pid, "/stat", line);
  constexpr std::uint32_t kStartTime = 22;
  const char* name_end = size <= 0 ? nullptr : std::strrchr(line, ')');
  // Behind the name and a space stands the state; a zombie holds nothing any more.
  const bool gone = name_end == nullptr || name_end[1] == '\0' || name_end[2] == 'Z' || name_end[2] == 'X';
  return gone ? 0 : word_of_stat(line, kStartTime);
}

bool proc_is_own() { return namespace_pids(0).count <= 1; }

std::uint64_t own_pid_namespace() { return namespace_of(0); }

RealProcess find_real_process(std::uint32_t pid) {
  // What /proc has under that number is another process where /proc is of another namespace.
  const RealProcess here{pid, own_pid_namespace(), proc_is_own() ? start_of_process(pid) : 0};
  if (here.start_ticks == 0) return here;
  const NamespacePids pids = namespace_pids(pid);
  const std::uint64_t lives_in = pids.count < 2 ? 0 : namespace_of(pid);
  if (lives_in == 0) return here;
  return {static_cast<std::uint32_t>(pids.own), lives_in, here.start_ticks};
}

std::uint32_t pid_for_caller(const RealProcess& process, std::uint64_t own_namespace) {
  if (process.pid_namespace == own_namespace) return process.pid;
  return proc_is_own() ? find_listed(process) : 0;
}

bool has_ended(const RealProcess& process, std::uint64_t own_namespace) {
  if (process.pid_namespace == own_namespace) return start_of_process(process.pid) != process.start_ticks;
  return own_namespace == kFirstNamespace && find_listed(process) == 0;
}

}  // namespace nvmlab
