// SPDX-License-Identifier: Apache-2.0
// Wheels that ship nvml.h. Pip itself does the work: it knows where this machine gets its packages, and checks their
// hashes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/temp_folder.hpp"
#include "codegen/fetch/archive.hpp"
#include "codegen/fetch/source.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/process.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

struct Package {
  std::string_view name;
  std::string_view major;  // the only major release in it; empty: the rest
};

constexpr std::array packages{Package{"nvidia-nvml-dev-cu11", "11"}, Package{"nvidia-nvml-dev-cu12", "12"},
                              Package{"nvidia-nvml-dev", ""}};

// Each question to pip takes a second; a package that cannot have the release is not asked about.
bool may_have(const Package& package, std::string_view wanted) {
  if (wanted.empty()) return true;
  const std::string_view major = wanted.substr(0, wanted.find('.'));
  const bool elsewhere = std::ranges::any_of(packages, [&](const Package& other) { return other.major == major; });
  return package.major == major || (package.major.empty() && !elsewhere);
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));  // npos + 1 is 0
}

Result<Finished> pip(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"python3", "-m", "pip", "--disable-pip-version-check", "--no-input"});
  auto done = run_program(arguments);
  if (done && done->exit_code != 0) return fail(fmt::format("pip: {}", last_line(done->err)));
  return done;
}

// "Available versions: 13.5.37, 13.4.92"
void add_versions(std::string_view output, std::string_view package, std::vector<Offer>& offers) {
  constexpr std::string_view label = "Available versions:";
  const std::size_t at = output.find(label);
  if (at == std::string_view::npos) return;
  std::string_view rest = output.substr(at + label.size());
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view version = rest.substr(0, comma);
    while (version.starts_with(' '))
      version.remove_prefix(1);
    if (is_version(version)) {
      const std::string requirement = fmt::format("{}=={}", package, version);
      offers.push_back({std::string(version), requirement, requirement, {}});
    }
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
}

Result<std::vector<Offer>> list_wheels(const std::string& wanted) {
  std::vector<Offer> offers;
  std::string problem;
  for (const Package& package : packages) {
    if (!may_have(package, wanted)) continue;
    const auto done = pip({"index", "versions", std::string(package.name)});
    if (done) {
      add_versions(done->out, package.name, offers);
    } else {
      problem = done.error().message;
    }
  }
  if (offers.empty() && !problem.empty()) return fail(problem);
  return offers;
}

Result<std::string> fetch_wheel(const Offer& offer) {
  const TempFolder temporary("nvmlgen-wheel");
  const std::string folder = temporary.path();
  if (folder.empty()) return fail("no temporary folder can be made");
  const auto done = pip({"download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, offer.key});
  auto text = Result<std::string>(fail(fmt::format("pip downloaded no wheel for {}", offer.key)));
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const auto bytes = read_file(entry.path());
    text = bytes ? header_in_archive(*bytes, entry.path().filename().string()) : bytes;
  }
  if (!done) return std::unexpected(done.error());
  return text;
}

}  // namespace

Source wheel_source() {
  return {"wheel", "wheels that ship nvml.h (nvidia-nvml-dev...), through python3 -m pip", list_wheels, fetch_wheel};
}

}  // namespace nvmlab::codegen
