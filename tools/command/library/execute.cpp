// SPDX-License-Identifier: Apache-2.0
#include "command/library/execute.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "command/cli/output.hpp"
#include "command/library/fetched_clients.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

// Where the PATH has no such program: one that was fetched for the demo.
void become_fetched_client(const std::string& name, char* const* words, const std::function<std::uint32_t()>& branch) {
  if (name.find('/') != std::string::npos) return;
  const std::string client = find_fetched_client(name, branch());
  if (client.empty()) return;
  complain("{} is not in the PATH; this is {}", name, client);
  ::execv(client.c_str(), words);
}

std::string not_found(const std::string& name) {
  if (name != "nvidia-smi") return fmt::format("{}: command not found", name);
  return "nvidia-smi: command not found; `scripts/fetch-clients nvidia-smi-550` in a clone of nvmlab fetches "
         "NVIDIA's, and `nvmlab smi` needs none";
}

}  // namespace

int execute(const std::vector<std::string>& command, const std::function<std::uint32_t()>& branch) {
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (!finish_output()) return kFailed;
  ::execvp(words[0], words.data());
  int number = errno;
  if (number == ENOENT) {
    become_fetched_client(command[0], words.data(), branch);
    number = ENOENT;
  }
  if (number == ENOENT || number == ENOTDIR) {
    std::error_code failed;
    if (command[0].find('/') != std::string::npos && fs::exists(command[0], failed)) {
      complain("{}: the interpreter that it names was not found", command[0]);
    } else {
      complain(not_found(command[0]));
    }
    return kNotFound;
  }
  complain("{}: cannot be executed: {}", command[0], std::strerror(number));
  return kNotExecutable;
}

}  // namespace nvmlab::tool
