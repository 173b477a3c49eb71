// SPDX-License-Identifier: Apache-2.0
// nvmlgen fetch: what headers can be had here, and getting one into the cache (build/headers, which git ignores).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "codegen/commands/command.hpp"
#include "codegen/fetch/identify.hpp"
#include "codegen/fetch/source.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/model/version.hpp"
#include "codegen/parser/header_parser.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

struct FetchOptions {
  std::string what;
  std::string version;
  std::string from;
  std::string redist;
  std::string conda;
};

std::string setting(const std::string& option, const char* variable, std::string_view otherwise) {
  if (!option.empty()) return option;
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : std::string(otherwise);
}

// In the order in which a release is looked for: what is here, what has checksums, what is slow.
std::vector<Source> sources_of(const FetchOptions& options, const fs::path& root) {
  std::vector<Source> sources{installed_source("/"), wheel_source(),
                              redist_source(setting(options.redist, "NVMLGEN_REDIST", nvidia_redist)),
                              distribution_source(root)};
  const std::string channel = setting(options.conda, "NVMLGEN_CONDA", "");
  if (!channel.empty()) sources.push_back(conda_source(channel));
  return sources;
}

Result<std::vector<Source>> chosen_sources(const FetchOptions& options, const fs::path& root) {
  std::vector<Source> sources = sources_of(options, root);
  if (options.from.empty()) return sources;
  const auto at = std::ranges::find(sources, options.from, &Source::name);
  if (at != sources.end()) return std::vector{*at};
  if (options.from == "conda") return fail("--from conda needs a channel: --conda URL, or NVMLGEN_CONDA");
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const Source& source : sources)
    names.push_back(source.name);
  return fail(fmt::format("no source '{}'; there are {}", options.from, fmt::join(names, ", ")));
}

Result<Registry> known(const fs::path& root) {
  std::error_code code;
  return fs::exists(registry_path(root), code) ? load_registry(registry_path(root)) : Registry{};
}

// The release of a header that does not say it: the newest known one with the same facts.
std::string identified(const Registry& registry, const std::string& header) {
  const auto release = extract("nvml.h", header, "0");
  const auto versions = release ? releases_with_facts_of(registry, *release) : std::vector<std::string>{};
  return versions.empty() ? std::string{} : versions.back();
}

void print_offers(const Source& source, std::vector<Offer> offers) {
  std::ranges::sort(offers, VersionLess{}, &Offer::version);
  const bool many = offers.size() > 4;  // a package index: the releases are enough
  if (many) {
    std::vector<std::string> versions;
    versions.reserve(offers.size());
    for (const Offer& offer : offers)
      versions.push_back(offer.version);
    fmt::print("  {}\n", fmt::join(versions, " "));
    return;
  }
  for (const Offer& offer : offers)
    fmt::print("  {:<10} {}\n", offer.version.empty() ? "unknown" : offer.version, offer.where);
  if (offers.empty()) fmt::print("  none{}\n", source.name == "installed" ? " on this machine" : "");
}

Result<int> list(const FetchOptions& options, const fs::path& root) {
  const auto sources = chosen_sources(options, root);
  if (!sources) return std::unexpected(sources.error());
  const auto registry = known(root);
  if (!registry) return std::unexpected(registry.error());
  std::vector<std::string> cached;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(header_cache(root), code))
    cached.push_back(entry.path().filename().string());
  std::ranges::sort(cached, VersionLess{});
  fmt::print("cache: {}\n  {}\n", header_cache(root).string(),
             cached.empty() ? "empty" : fmt::format("{}", fmt::join(cached, " ")));
  for (const Source& source : *sources) {
    fmt::print("{}: {}\n", source.name, source.about);
    std::fflush(stdout);
    auto offers = source.list({});
    if (!offers) {
      fmt::print("  cannot be asked: {}\n", offers.error().text());
      continue;
    }
    for (Offer& offer : *offers) {
      if (offer.version.empty() && source.name == "installed")
        offer.version = identified(*registry, source.fetch(offer).value_or(""));
    }
    print_offers(source, std::move(*offers));
  }
  return 0;
}

// Checks that a text is a header at all, says how it compares with the registry, and stores it.
Result<int> store(const fs::path& root, const Registry& registry, const std::string& version, const std::string& text,
                  const std::string& where) {
  auto release = extract(where, text, version);
  if (!release) return std::unexpected(release.error());
  const fs::path target = header_cache(root) / version / "nvml.h";
  if (auto written = write_file(target, text); !written) return std::unexpected(written.error());
  const auto same = releases_with_facts_of(registry, *release);
  const auto versions = registry.versions();
  const bool listed = std::ranges::find(versions, version) != versions.end();
  std::string verdict = "the registry does not know this release: add it with nvmlgen extract";
  if (std::ranges::find(same, version) != same.end())
    verdict = "its facts are those of the registry";
  else if (listed)
    verdict = "its facts are not those that the registry has for this release: see nvmlgen validate";
  else if (!same.empty())
    verdict = fmt::format("its facts are those of {}", same.back());
  fmt::print("{} from {}\n  {}\n  SHA-256 {}; {}\n", version, where, target.string(), release->sha256, verdict);
  return 0;
}

Result<int> fetch_release(const FetchOptions& options, const fs::path& root, const Registry& registry) {
  const auto sources = chosen_sources(options, root);
  if (!sources) return std::unexpected(sources.error());
  std::string problems;
  for (const Source& source : *sources) {
    auto offers = source.list(options.what);
    if (!offers) {
      problems += fmt::format("\n  {}: {}", source.name, offers.error().text());
      continue;
    }
    std::vector<std::string> versions;
    for (Offer& offer : *offers) {
      if (offer.version.empty()) offer.version = identified(registry, source.fetch(offer).value_or(""));
      if (!offer.version.empty()) versions.push_back(offer.version);
    }
    std::ranges::sort(versions, VersionLess{});
    const auto version = resolve_version(versions, options.what);
    if (!version) {
      problems += fmt::format("\n  {}: {}", source.name, versions.empty() ? "offers none" : version.error().message);
      continue;
    }
    const Offer& offer = *std::ranges::find(*offers, *version, &Offer::version);
    const auto text = source.fetch(offer);
    if (text) return store(root, registry, *version, *text, offer.where);
    problems += fmt::format("\n  {}: {}", source.name, text.error().text());
  }
  return fail(fmt::format("no source has a header of release {}{}", options.what, problems));
}

Result<int> fetch_what_is_named(const FetchOptions& options, const fs::path& root, const Registry& registry) {
  const auto text = fetch_named(options.what);
  if (!text) return std::unexpected(text.error());
  std::string version = options.version;
  if (version.empty()) version = stated_version(*text);
  if (version.empty()) version = identified(registry, *text);
  if (version.empty()) {
    // A text that is no header gets the parser's own words.
    if (auto release = extract(options.what, *text, "0"); !release) return std::unexpected(release.error());
    return fail(fmt::format("{} does not say which release it is, and no known release has its facts; add --version",
                            options.what));
  }
  if (!is_version(version))
    return fail(fmt::format("'{}' is not a release; write numbers and dots, such as 13.3.29", version));
  return store(root, registry, version, *text, options.what);
}

Result<int> fetch(const FetchOptions& options, const fs::path& root) {
  if (options.what.empty()) return list(options, root);
  const auto registry = known(root);
  if (!registry) return std::unexpected(registry.error());
  std::error_code code;
  const bool release = is_version(options.what) && !fs::exists(options.what, code);
  return release ? fetch_release(options, root, *registry) : fetch_what_is_named(options, root, *registry);
}

Run declare_fetch(CLI::App& app) {
  const auto options = std::make_shared<FetchOptions>();
  app.add_option(
      "WHAT", options->what,
      "A release (13.3.29, or 13.3 for the newest of it), a file or an address: nvml.h or an archive that holds it. "
      "Without it, all that can be had is listed");
  app.add_option("--version", options->version, "The release of a file or address that does not say it")
      ->type_name("RELEASE");
  app.add_option("--from", options->from, "Ask this source only: installed, wheel, redist, distribution or conda")
      ->type_name("SOURCE");
  app.add_option("--redist", options->redist,
                 "NVIDIA's index of redistributable archives, or one redistrib_*.json; default: $NVMLGEN_REDIST, else "
                 "NVIDIA's own")
      ->type_name("URL");
  app.add_option("--conda", options->conda, "A conda channel to ask as well; default: $NVMLGEN_CONDA, else none")
      ->type_name("URL");
  return [options](const fs::path& root) { return fetch(*options, root); };
}

}  // namespace

extern const Command kFetch{.name = "fetch",
                            .summary = "List where NVIDIA's headers can be had, or get one into the cache",
                            .declare = declare_fetch};

}  // namespace nvmlab::codegen
