// SPDX-License-Identifier: Apache-2.0
//
// Asks a libnvidia-ml.so.1, ours or a real one, everything that it can be asked without a driver. The calls run in
// children without privileges: with root's, a real library makes device nodes and starts nvidia-modprobe. A call that
// ends the child is an answer too ("crash"), and the rest goes on in another child.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nvmlab::oracle {

struct Situation {
  std::string lifecycle;
  std::string arguments;
  auto operator<=>(const Situation&) const = default;
};

struct Answer {
  std::string code;           // "1"; "crash" where the library ended the process or did not come back
  std::string touched = "-";  // which bytes of the caller's memory changed: "version[0-14]"
  auto operator<=>(const Answer&) const = default;
};

struct Observations {
  std::map<std::string, std::map<Situation, Answer>> calls;  // by function
  std::map<int, std::string> error_strings;
  std::vector<std::string> not_called;  // exports whose parameters nobody knows
};

// The codes that nvmlErrorString is asked for.
std::vector<int> asked_error_codes();

// An error is a sentence. The library is opened before the privileges go, so it may lie in a private folder.
std::expected<Observations, std::string> observe(const std::filesystem::path& library);

// The sentence that tells why there is no oracle on this machine; empty where there is.
std::string why_not_here();

}  // namespace nvmlab::oracle
