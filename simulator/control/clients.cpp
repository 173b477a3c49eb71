// SPDX-License-Identifier: Apache-2.0
#include "control/clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "control/machine.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::control {
namespace {

namespace fs = std::filesystem;

// "7f2a-7f2b rw-s 00000000 00:1b 4242  /dev/shm/nvmlab-0/ci.store"; which device it is, the kernel does not always say
// as stat() does, so the name of the file is compared.
bool is_of(const std::string& line, const StoreFile& file) {
  std::istringstream words(line);
  std::string skipped;
  std::uint64_t inode = 0;
  for (int i = 0; i < 4; ++i)
    words >> skipped;
  return words >> inode && inode == file.inode && line.contains(last_part(file.path));
}

bool has_open(const fs::path& process, const StoreFile& file) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    if (is_of(line, file)) return true;
  }
  return false;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::vector<Client> clients_of(const Machine& machine) {
  const StoreFile& file = machine.file();
  std::vector<Client> clients;
  std::error_code failed;
  for (fs::directory_iterator entry("/proc", failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const auto pid = whole_number(entry->path().filename().string());
    if (!pid || *pid == sys::process_id() || !has_open(entry->path(), file)) continue;
    clients.push_back({static_cast<std::uint32_t>(*pid), first_line(entry->path() / "comm")});
  }
  std::ranges::sort(clients, {}, &Client::pid);
  return clients;
}

}  // namespace nvmlab::control
