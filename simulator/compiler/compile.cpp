// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/nearest.hpp"
#include "compiler/compiled_boards.hpp"
#include "compiler/deprecations.hpp"
#include "compiler/layers.hpp"
#include "compiler/machine_draft.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::string_view kMachineKeys[] = {"machine", "inherits", "doc",      "sources",
                                             "source",  "defaults", "profiles", "gpus"};
constexpr std::string_view kDefaultsKeys[] = {"source"};
constexpr std::string_view kGpuKeys[] = {"profile", "count", "source"};

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options, const CompiledBoards* boards = nullptr)
      : options_(options), documents_(problems_, boards) {}

  std::expected<Machine, Problems> run(std::string_view name_or_path) { return run(documents_.open(name_or_path)); }

  std::expected<Machine, Problems> run(std::string_view text, const std::string& file, const std::string& name) {
    return run(documents_.open_text(text, file, name));
  }

 private:
  std::expected<Machine, Problems> run(const Document* document) {
    if (document == nullptr) return std::unexpected(in_file_order(std::move(problems_)));
    if (document->machine) {
      read_machine(*document);
    } else {
      add_gpus(*document, nullptr, 1, document->root);
    }
    if (!problems_.empty()) return std::unexpected(in_file_order(std::move(problems_)));
    return finish(*document);
  }

  struct Entry {
    const Document* document = nullptr;
    const yaml::Node* node = nullptr;
  };

  void problem(const yaml::Node& node, std::string message) { problems_.push_back(node.error(std::move(message))); }

  void read_machine(const Document& machine) {
    const std::vector<const Document*> chain = machine.lineage();
    const Document* lister = nullptr;  // a list of GPUs replaces the inherited one
    for (const Document* document : chain) {
      if (const yaml::Node* defaults = document->root.find("defaults")) defaults_.push_back({document, defaults});
      if (document->root.find("gpus") != nullptr) lister = document;
    }
    if (lister == nullptr) {
      problem(machine.root, "no 'gpus' here and none inherited; list them: gpus: [{profile: NAME, count: N}]");
      return;
    }
    read_gpus(*lister, *lister->root.find("gpus"));
    for (const Document* document : chain) {
      layers_.apply(document->root, *document, kMachineKeys, nullptr, &made_.node(),
                    "it belongs to each GPU and would be right under 'defaults' or in an item of 'gpus'");
    }
  }

  void read_gpus(const Document& machine, const yaml::Node& list) {
    if (!list.is_sequence()) {
      problem(list,
              fmt::format("{} was found; 'gpus' takes a list such as [{{profile: NAME, count: N}}]", list.describe()));
      return;
    }
    const Document* document = nullptr;
    for (const yaml::Node& item : list.items) {
      const yaml::Node* profile = item.is_mapping() ? item.find("profile") : nullptr;
      if (profile == nullptr) {
        problem(item, item.is_mapping()
                          ? "no 'profile' here; an item of 'gpus' names one"
                          : fmt::format("{} was found; an item of 'gpus' is a mapping such as {{profile: NAME}}",
                                        item.describe()));
        continue;
      }
      const std::uint32_t count = read_count(item);
      if (made_.gpus().size() + count > kMaxGpus) return problem(item, too_many_gpus());
      // Most machines list one board again and again.
      if (document == nullptr || !profile->is_scalar() || profile->scalar != document->name)
        document = documents_.refer(*profile, machine, false);
      if (document != nullptr && count > 0) add_gpus(*document, &machine, count, item);
    }
  }

  std::uint32_t read_count(const yaml::Node& item) {
    const yaml::Node* node = item.find("count");
    if (node == nullptr) return 1;
    auto number = node->is_scalar() && !node->quoted ? parse_number(node->scalar) : std::unexpected(std::string());
    if (!number || number->negative || number->magnitude == 0 || number->magnitude > kMaxGpus) {
      problem(*node,
              fmt::format("{} was found; 'count' takes a whole number from 1 to {}",
                          node->is_scalar() ? in_quotes(node->scalar) : std::string(node->describe()), kMaxGpus));
      return 0;
    }
    return static_cast<std::uint32_t>(number->magnitude);
  }

  // The profile and the machine's defaults are the same for every GPU of that profile, so they are worked out once.
  const GpuDrafts::Start& prepared(const Document& profile) {
    const GpuDrafts::Start*& known = prepared_[&profile];
    if (known != nullptr) return *known;
    GpuDraft& draft = made_.blank();
    // The node starts as the one that the first GPU's profile describes.
    std::optional<NodeDraft> alone;
    NodeDraft& node = prepared_.size() == 1 ? made_.node() : alone.emplace();
    if (profile.board != nullptr) {
      apply_compiled_board(profile.board, draft, node);
    } else {
      layers_.apply_profile(profile, draft, node);
    }
    for (const Entry& entry : defaults_) {
      layers_.apply(*entry.node, *entry.document, kDefaultsKeys, &draft, nullptr,
                    "it belongs to the machine and would be right at the top of the file");
    }
    return *(known = &made_.keep_start());
  }

  void add_gpus(const Document& profile, const Document* machine, std::uint32_t count, const yaml::Node& item) {
    GpuDraft& draft = made_.begin(prepared(profile));
    if (machine != nullptr) {
      layers_.apply(item, *machine, kGpuKeys, &draft, nullptr,
                    "it belongs to the machine and would be right at the top of the file");
    }
    made_.list(count, item.place);
  }

  std::expected<Machine, Problems> finish(const Document& document) {
    made_.settle(document.name);
    const std::uint32_t count = made_.gpus().size();
    const auto gpu = [&](std::uint32_t index) -> Gpu& { return *made_.finished(index).state; };
    std::expected<Machine, std::string> machine = std::unexpected(std::string());
    if (made_.problems().empty())
      machine = assemble({document.name, std::move(made_.node().state), count, gpu}, options_);
    made_.check();
    if (!made_.problems().empty()) return std::unexpected(in_file_order(located(made_.problems())));
    if (!machine) return std::unexpected(Problems{Problem{.message = machine.error()}});
    machine->notes = in_file_order(located(made_.notes()));
    if (options_.image_alone) return std::move(*machine);
    machine->provenance.set_node(made_.node().marks);
    for (std::uint32_t i = 0; i < count; ++i) {
      GpuDraft& draft = made_.finished(i);
      mark_deprecated(machine->node().system.driver_version, draft);
      machine->provenance.add_gpu(draft.marks);
    }
    return std::move(*machine);
  }

  const CompileOptions& options_;
  Problems problems_;
  Documents documents_;
  Layers layers_{documents_, problems_};
  std::vector<Entry> defaults_;
  std::map<const Document*, const GpuDrafts::Start*> prepared_;
  MachineDraft made_;
};

}  // namespace

std::expected<Machine, Problems> compile(std::string_view name_or_path, const CompileOptions& options) {
  return Compiler(options).run(name_or_path);
}

// Only a compilation of all files can say where something is wrong, or odd.
std::expected<Machine, Problems> compile(std::string_view name_or_path, const CompileOptions& options,
                                         const CompiledBoards& boards) {
  if (options.image_alone) {
    auto machine = Compiler(options, &boards).run(name_or_path);
    if (machine && machine->notes.empty()) return machine;
  }
  return compile(name_or_path, options);
}

std::expected<Machine, Problems> compile_text(std::string_view text, const std::string& file, const std::string& name) {
  return Compiler({}).run(text, file, name);
}

}  // namespace nvmlab::compiler
