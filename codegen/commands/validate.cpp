// SPDX-License-Identifier: Apache-2.0
// nvmlgen validate: do the committed facts hold? Asked twice: by reading the header anew, and by asking the machine's C
// compiler.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "codegen/commands/command.hpp"
#include "codegen/commands/headers.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/parser/header_parser.hpp"
#include "codegen/validate/probe.hpp"

namespace nvmlab::codegen {
namespace {

struct ValidateOptions {
  std::string header;
  std::string version;
  std::string compiler;
};

std::string compiler_of(const ValidateOptions& options) {
  if (!options.compiler.empty()) return options.compiler;
  const char* variable = std::getenv("CC");
  return variable == nullptr || *variable == '\0' ? "cc" : variable;
}

// Everything that is wrong with the facts about one header.
Result<std::vector<std::string>> problems(const Registry& registry, const HeaderSource& source,
                                          const std::string& compiler) {
  const auto known = registry.versions();
  if (std::ranges::find(known, source.version) == known.end()) {
    return fail_at(source.header.string(), 0, 0,
                   fmt::format("release {} is not in the registry; add it with nvmlgen extract", source.version));
  }
  const auto facts = view(registry, source.version);
  if (!facts) return std::unexpected(facts.error());
  const auto header = extract_file(source.header, source.version);
  if (!header) return std::unexpected(header.error());
  std::vector<std::string> lines = deviations(*facts, *header);
  const auto wrong = wrong_answers(*facts, source.header, compiler);
  if (wrong) {
    lines.insert(lines.end(), wrong->begin(), wrong->end());
  } else {
    lines.push_back(wrong.error().text());
  }
  return lines;
}

Result<int> validate(const ValidateOptions& options, const std::filesystem::path& root) {
  const auto registry = load_registry(registry_path(root));
  if (!registry) return std::unexpected(registry.error());
  const auto sources = headers_of(options.header, options.version, header_cache(root));
  if (!sources) return std::unexpected(sources.error());
  const std::string compiler = compiler_of(options);
  bool clean = true;
  for (const HeaderSource& source : *sources) {
    const auto lines = problems(*registry, source, compiler);
    if (!lines) return std::unexpected(lines.error());
    if (lines->empty()) {
      const auto facts = view(*registry, source.version);
      fmt::print("{:<10} holds: {} questions to {}\n", source.version, questions_about(*facts).size(), compiler);
      continue;
    }
    clean = false;
    fmt::print("{:<10} {} facts are wrong\n", source.version, lines->size());
    for (const std::string& line : *lines)
      fmt::print("  {}\n", line);
  }
  return clean ? 0 : 1;
}

Run declare_validate(CLI::App& app) {
  const auto options = std::make_shared<ValidateOptions>();
  app.add_option("HEADER", options->header, "An nvml.h; default: every header in the cache, build/headers/*/nvml.h")
      ->type_name("FILE");
  app.add_option("--version", options->version, "The header's release, where neither it nor its folder says so")
      ->type_name("RELEASE");
  app.add_option("--compiler", options->compiler, "The C compiler to ask; default: $CC, else cc")->type_name("PROGRAM");
  return [options](const std::filesystem::path& root) { return validate(*options, root); };
}

}  // namespace

extern const Command kValidate{.name = "validate",
                               .summary = "Hold the facts against a header and the machine's C compiler",
                               .declare = declare_validate};

}  // namespace nvmlab::codegen
