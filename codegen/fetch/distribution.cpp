// SPDX-License-Identifier: Apache-2.0
// The distribution's libnvidia-ml-dev. scripts/fetch-deb asks apt with lists of its own and unpacks without installing.
#include <fmt/format.h>

#include "codegen/fetch/source.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/process.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "libnvidia-ml-dev";

// 11.8.86~11.8.0-5~deb12u1 packages the header of 11.8.86.
std::string release_of(std::string_view package_version) {
  const std::string_view upstream = package_version.substr(package_version.find(':') + 1);  // npos + 1 is 0
  const std::string_view release = upstream.substr(0, upstream.find_first_not_of("0123456789."));
  return is_version(release) ? std::string(release) : std::string{};
}

Result<Finished> fetch_deb(const fs::path& root, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), (root / "scripts" / "fetch-deb").string());
  auto done = run_program(arguments);
  if (!done || done->exit_code == 0) return done;
  std::string_view text = done->err;
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  return fail(std::string(text.substr(text.rfind('\n') + 1)));
}

}  // namespace

Source distribution_source(const fs::path& root) {
  const auto list = [root](const std::string&) -> Result<std::vector<Offer>> {
    const auto done = fetch_deb(root, {"--list", kPackage});
    if (!done) return std::unexpected(done.error());
    std::vector<Offer> offers;
    for (std::string_view rest = done->out; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (!line.empty())
        offers.push_back({release_of(line), fmt::format("{} {}", kPackage, line), std::string(line), {}});
    }
    return offers;
  };
  const auto fetch = [root](const Offer& offer) -> Result<std::string> {
    const fs::path folder =
        root / "build" / "packages" / fmt::format("{}-{}", kPackage, offer.version.empty() ? "any" : offer.version);
    const auto done = fetch_deb(root, {fmt::format("{}={}", kPackage, offer.key), folder.string()});
    if (!done) return std::unexpected(done.error());
    return read_file(folder / "usr" / "include" / "nvml.h");
  };
  return {"distribution", "the distribution's libnvidia-ml-dev, unpacked, not installed", list, fetch};
}

}  // namespace nvmlab::codegen
