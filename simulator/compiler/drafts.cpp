// SPDX-License-Identifier: Apache-2.0
#include "compiler/drafts.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/deprecations.hpp"
#include "compiler/family.hpp"
#include "compiler/machine_draft.hpp"
#include "compiler/paths.hpp"
#include "compiler/values_raw.hpp"
#include "engine/store/image.hpp"

namespace nvmlab::compiler {
namespace {

// Lays a value over a draft, as Layers does for a profile.
template <class Owner>
void lay(const DraftValue& value, Draft<Owner>& draft) {
  const FieldRef ref = *find_field(value.field);
  const bool deprecated = !is_list(ref.field->type) && raw::code(*ref.field, value.bytes.data()) == kDeprecatedCode;
  if (!deprecated || !can_be_deprecated(value.field)) {
    std::byte* const at = draft.bytes() + ref.offset;
    std::memset(at, 0, ref.field->size);
    std::memcpy(at, value.bytes.data(), value.bytes.size());
  }
  draft.marks[leaf_of(ref)] = {value.source, &value.origin, 0, deprecated};
}

class DraftChecks {
 public:
  explicit DraftChecks(const Drafts& drafts) : drafts_(drafts), items_(drafts.gpus.size()) {}

  DraftCheck run() {
    if (auto problem = refusal()) return {{*std::move(problem)}, {}};
    const std::vector<const GpuDrafts::Start*> starts = lay_boards();
    const auto file = std::make_shared<const std::string>(drafts_.machine + ".yaml");
    for (std::size_t i = 0; i < drafts_.gpus.size(); ++i) {
      const DraftGpu& gpu = drafts_.gpus[i];
      items_[i].file = file;
      GpuDraft& draft = made_.begin(*starts[gpu.board]);
      for (const DraftValue& value : gpu.values)
        lay(value, draft);
      made_.list(1, items_[i]);
    }
    for (const DraftValue& value : drafts_.node)
      lay(value, made_.node());
    made_.settle(drafts_.machine);
    made_.check();
    number_places();
    return {in_order(made_.problems()), in_order(made_.notes())};
  }

 private:
  // The place of a value or of a GPU as a whole, for findings that name it.
  struct Stated {
    std::size_t number;
    std::string_view field;
    std::optional<std::uint32_t> gpu;
  };

  // A machine that no profile can describe.
  std::optional<DraftProblem> refusal() const {
    if (!valid_profile_name(drafts_.machine)) return DraftProblem{{}, {}, {}, invalid_name(drafts_.machine)};
    if (drafts_.gpus.size() > kMaxGpus) return DraftProblem{{}, {}, {}, too_many_gpus()};
    return std::nullopt;
  }

  // The node starts as the one that the first board describes.
  std::vector<const GpuDrafts::Start*> lay_boards() {
    std::vector<const GpuDrafts::Start*> starts;
    for (const DraftBoard& board : drafts_.boards) {
      GpuDraft& draft = made_.blank();
      NodeDraft other;
      families_.lay(board.inherits, draft, starts.empty() ? made_.node() : other);
      for (const DraftValue& value : board.values)
        lay(value, draft);
      starts.push_back(&made_.keep_start());
    }
    return starts;
  }

  void number_places() {
    number_values(drafts_.node, {});
    for (std::size_t i = 0; i < drafts_.boards.size(); ++i) {
      const auto first = std::ranges::find(drafts_.gpus, i, &DraftGpu::board) - drafts_.gpus.begin();
      number_values(drafts_.boards[i].values, static_cast<std::uint32_t>(first));
    }
    for (std::uint32_t i = 0; i < drafts_.gpus.size(); ++i) {
      stated_.emplace(&items_[i], Stated{stated_.size(), {}, i});
      number_values(drafts_.gpus[i].values, i);
    }
  }

  void number_values(const std::vector<DraftValue>& values, std::optional<std::uint32_t> gpu) {
    for (const DraftValue& value : values)
      stated_.emplace(&value.origin, Stated{stated_.size(), value.field, gpu});
  }

  // Each finding once: GPUs share the values of their board.
  std::vector<DraftProblem> in_order(const Findings& findings) const {
    std::map<std::pair<std::size_t, std::size_t>, DraftProblem> ordered;
    std::set<std::tuple<const yaml::Place*, std::string_view>> seen;
    for (const Finding& finding : findings) {
      if (!seen.emplace(finding.place, finding.message).second) continue;
      const auto known = stated_.find(finding.place);
      const Stated stated = known == stated_.end() ? Stated{stated_.size(), {}, {}} : known->second;
      const yaml::Place origin = stated.field.empty() ? yaml::Place{} : *finding.place;
      ordered.emplace(std::pair(stated.number, ordered.size()),
                      DraftProblem{stated.field, stated.gpu, origin, finding.message});
    }
    std::vector<DraftProblem> problems;
    for (auto& [key, problem] : ordered)
      problems.push_back(std::move(problem));
    return problems;
  }

  const Drafts& drafts_;
  std::vector<yaml::Place> items_;  // of the GPUs, in the profile that is to be written
  Families families_;
  MachineDraft made_;
  std::map<const yaml::Place*, Stated> stated_;
};

}  // namespace

DraftCheck check(const Drafts& drafts) { return DraftChecks(drafts).run(); }

}  // namespace nvmlab::compiler
