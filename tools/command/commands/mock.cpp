// SPDX-License-Identifier: Apache-2.0
//
// nvmlab mock: the verbs of the control program of NVIDIA's Go mock, on its file of overrides and on a machine that
// is up. Tests: tests/command/mock_test.cpp.
#include <cstdlib>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/mock/document.hpp"
#include "command/mock/verbs.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/mock/overrides.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {
namespace {

using mock::OverridesDocument;

std::string variable_or(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

struct MockCommand {
  std::vector<std::string> words;
  std::optional<std::string> gpu;
  std::optional<std::string> file;
  std::optional<std::string> config;
  std::optional<std::string> machine;
  mock::VerbOptions options;

  void declare(CommandLine& line);
  int run() const;

 private:
  struct Target {
    std::optional<std::uint32_t> gpu;  // none: all
    std::string label;
  };
  // What the GPUs of the configuration are, where there is one.
  struct Base {
    std::string path;
    std::optional<compiler::MockMachine> machine;
  };

  Base base() const;
  std::expected<Target, std::string> target(const Base& base) const;
  int status(const std::string& path) const;
  int change(const std::string& verb, const Base& base, const std::string& path) const;
  int change_machine(const Base& base, const compiler::MockTexts& texts) const;
};

void MockCommand::declare(CommandLine& line) {
  line.argument("VERB", words,
                "temp, power, fan, util, clocks, pstate, throttle, fail, nvlink-error, sram-ecc, "
                "fabric-health, set, status or reset, and its value")
      .required();
  line.option("--gpu,-g", "G", gpu, "An index, a UUID of the configuration, or all");
  line.option("--file,-f", "FILE", file,
              "The overrides (default: MOCK_NVML_OVERRIDES, else overrides.yaml beside the configuration)")
      .complete(Complete::file);
  line.option("--config", "FILE", config, "The configuration (default: MOCK_NVML_CONFIG)").complete(Complete::file);
  line.option("--machine,-m", "NAME", machine, "Change this machine too, which was made of the configuration")
      .complete(Complete::machine);
  line.option("--mode", "MODE", options.mode, "Of fail: healthy, lost, fallen_off_bus or ecc_uncorrectable");
  line.option("--after-calls", "N", options.after_calls,
              "Of fail: the call about the GPU that brings it (default: at once)");
  line.option("--xid", "N", options.xid, "Of fail: an Xid that is told of");
  line.option("--links", "LINKS", options.links, "Of nvlink-error: links such as 0,3 (default: all that are up)");
  line.option("--type,-t", "TYPE", options.type, "Of sram-ecc: correctable, parity or secded (default)");
  line.option("--source", "UNIT", options.source, "Of sram-ecc: l2, sm, microcontroller, pcie or other (default)");
  line.flag("--threshold-exceeded", options.threshold_exceeded, "Of sram-ecc: the threshold of errors is exceeded");
}

MockCommand::Base MockCommand::base() const {
  Base base{config.value_or(variable_or("MOCK_NVML_CONFIG", "")), std::nullopt};
  if (base.path.empty()) return base;
  auto compiled = compiler::compile_mock_config(base.path);
  if (compiled) {
    base.machine = std::move(*compiled);
  } else {
    complain("{}; UUIDs, indices and values are not checked", compiled.error().front().text());
  }
  return base;
}

std::expected<MockCommand::Target, std::string> MockCommand::target(const Base& base) const {
  if (!gpu || *gpu == "all") return Target{std::nullopt, "all"};
  const compiler::Machine* const known = base.machine ? &base.machine->machine : nullptr;
  if (const auto index = whole_number(*gpu); index) {
    const std::uint64_t count = known != nullptr ? known->gpu_count() : kMaxGpus;
    if (*index < count) return Target{static_cast<std::uint32_t>(*index), *gpu};
    return std::unexpected(fmt::format("--gpu {}: the configuration has {} GPUs, from 0 on", *gpu, count));
  }
  for (std::uint32_t i = 0; known != nullptr && i < known->gpu_count(); ++i) {
    if (*gpu == known->gpu(i).identity.uuid.data) return Target{i, *gpu};
  }
  return std::unexpected(
      fmt::format("--gpu {}: neither an index, a UUID of the configuration, nor all", in_quotes(*gpu)));
}

int MockCommand::status(const std::string& path) const {
  std::optional<std::uint32_t> only;
  if (gpu) {
    const auto index = whole_number(*gpu);
    if (!index || *index >= kMaxGpus)
      return misused(fmt::format("status takes the index of a GPU, not {}", in_quotes(*gpu)));
    only = static_cast<std::uint32_t>(*index);
  }
  const auto document = OverridesDocument::read(path);
  if (!document) return complain(document.error());
  const bool any =
      only ? document->find(only) != nullptr || document->find(std::nullopt) != nullptr : !document->empty();
  if (!any) {
    print("no active overrides{}\n", only ? fmt::format(" for gpu {}", *only) : "");
  } else {
    print(std::string_view(document->text(only)));
  }
  return kGood;
}

int MockCommand::change_machine(const Base& base, const compiler::MockTexts& texts) const {
  auto opened = Machine::open(*machine);
  if (!opened) return complain(opened.error());
  compiler::CompileOptions as_many;
  as_many.gpus = opened->gpu_count();
  const auto reload = compiler::reload_mock_overrides(base.path, as_many, texts);
  if (!reload) return complain(reload.error().front().text());
  int code = kGood;
  for (const Change& change : reload->changes) {
    const auto made = opened->apply(change);
    if (!made && made.error().code != nvmlab::kNotFound) code = complain(made.error().text);
  }
  return code;
}

int MockCommand::change(const std::string& verb, const Base& base, const std::string& path) const {
  const auto target = this->target(base);
  if (!target) return misused(target.error());
  if (machine && !base.machine) return misused("--machine needs the configuration: --config, or MOCK_NVML_CONFIG");
  const auto lock = mock::OverridesLock::take(path);
  if (!lock) return complain(lock.error());
  auto document = OverridesDocument::read(path);
  if (!document) return complain(document.error());
  if (verb == "reset") {
    document->clear(target->gpu);
  } else {
    mock::VerbOptions all = options;
    if (base.machine && base.machine->machine.gpu_count() > 0)
      all.fans = base.machine->machine.gpu(0).thermal.fans.size();
    const std::vector<std::string> values(words.begin() + 1, words.end());
    if (const auto done = mock::apply_verb(verb, values, all, document->block(target->gpu)); !done)
      return misused(done.error());
  }
  const std::string text = document->text();
  const auto parsed = compiler::parse_mock_overrides(text, path);
  if (!parsed) return misused(parsed.error().front().text());
  if (base.machine) {
    const auto whole = compiler::compile_mock_config(base.path, {}, parsed->get());
    if (!whole) return misused(whole.error().front().text());
    for (const compiler::Problem& note : whole->override_notes)
      complain(note.text());
  }
  if (const auto written = document->write(path); !written) return complain(written.error());
  if (machine) {
    if (const int code = change_machine(base, {document->text_as_read(), text, path}); code != kGood) return code;
  }
  print("ok: {} applied to {}\n", verb, target->label);
  return kGood;
}

int MockCommand::run() const {
  const std::string& verb = words.front();
  if (verb == "watch-allocations")
    return complain("watch-allocations is not simulated: memory follows processes (`nvmlab ps add`)");
  if (verb != "status" && verb != "reset" && !mock::is_verb(verb))
    return misused(fmt::format("there is no verb {}; `nvmlab help mock` lists them", in_quotes(verb)));
  if (verb != "status" && verb != "reset" && !gpu) return misused(verb + " needs --gpu: an index, a UUID, or all");
  const Base base = this->base();
  const std::string path = file.value_or(mock::overrides_path(base.path));
  if (path.empty()) return misused("the overrides have no name: --file FILE, MOCK_NVML_OVERRIDES or MOCK_NVML_CONFIG");
  return verb == "status" ? status(path) : change(verb, base, path);
}

constexpr Example kMockExamples[] = {
    {"nvmlab mock temp --gpu 3 85", "in the file that MOCK_NVML_OVERRIDES names"},
    {"nvmlab mock fail --gpu 0 --mode lost --after-calls 5 --xid 79 --file o.yaml", "from the fifth call on"},
    {"nvmlab mock throttle --gpu all thermal power --machine ci", "of a machine that is up, at once"},
    {"nvmlab mock reset", "as the configuration says"},
};

}  // namespace

extern const Command kMock{
    .name = "mock",
    .summary = "Change a node of NVIDIA's Mock NVML while it runs",
    .about =
        "The verbs of nvml-mock-ctl, for those who come from NVIDIA's Mock NVML: they edit its file of overrides, "
        "which "
        "processes with MOCK_NVML_CONFIG read again within a second. With --machine they change a machine that is up, "
        "made of the configuration, at once. A link named nvml-mock-ctl does the same. Who has no such configuration "
        "uses `nvmlab set`, `nvmlab fault` and `nvmlab load`.",
    .examples = kMockExamples,
    .declare = declared<MockCommand>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
