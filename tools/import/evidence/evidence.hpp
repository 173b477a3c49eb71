// SPDX-License-Identifier: Apache-2.0
//
// What the inputs say of one machine: observations of its node and its GPUs, each with the line that it was read from.
// Values are checked as those of any profile are, at the moment that they are read: what cannot be is left out, with a
// note that names its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/literal.hpp"
#include "compiler/problems.hpp"
#include "import/evidence/observation.hpp"
#include "import/evidence/partial_lists.hpp"
#include "import/leaves/leaf_ledger.hpp"

namespace nvmlab::importer {

// NVLinks of one GPU that any input may list; no chip has more than 36.
inline constexpr std::uint64_t kMostLinks = 64;

// Where values come from, as a profile declares it under `sources`.
struct ProfileSource {
  std::string id = {};
  std::string kind = {};  // capture, documentation, derived, assumed
  std::string file = {};
  std::string driver = {};
  std::string title = {};
  std::string why = {};   // a sentence of ours
  std::string note = {};  // what else is to be said of it

  bool same_but_for_id(const ProfileSource& other) const;
};

// The node, or one GPU.
struct Subject {
  std::string who;      // "GPU 3", for notes
  std::string address;  // PCI address as printed, by which captures of one machine know it; empty for the node
  Observations observed = {};
  std::size_t index = 0;        // by which tools list it
  Observations fallbacks = {};  // for fields of which no input says how much there is: where the family does not either
  bool exact = false;           // a recording gave every value and error code by itself
  bool complete = false;        // what its inputs do not say it does not have: nothing is inherited
  PartialLists lists = {};      // until everything is read

  const Observation* find(std::string_view field) const;
  // The observed value; null where there is none, or an error code.
  const FieldValue* value(std::string_view field) const;
};

struct Evidence {
  std::vector<ProfileSource> sources;
  Subject node{"the machine", {}};
  std::vector<Subject> gpus;
  LeafLedger ledger;
  std::vector<std::string> notes;
  compiler::Problems problems;
  std::size_t effort = 0;  // spent on finding GPUs and observing values: what no machine needs is refused
  bool open = true;        // no input has said yet which GPUs there are
  bool logged = false;     // a log of nvidia-smi is among the inputs
  bool partial = false;    // a log may lack GPUs that it says are attached

  // The number of the source; one that is there already is not added again.
  std::size_t add_source(ProfileSource source);
  // The same source with one more thing to be said of it.
  std::size_t add_note(const std::string& id, std::size_t source, const std::string& note);
  // What is known stays, and a different value of the same field is noted. Empty where the subject says it now, else
  // why it does not.
  std::string observe(Subject& subject, std::string_view field, const compiler::Literal& value, const Origin& origin);
  std::string observe(Subject& subject, std::string_view field, FieldValue value, const Origin& origin);
  // A note, once.
  void note(std::string text);
};

// The value in the layout of the field, or what is wrong with it.
std::expected<FieldValue, compiler::Problems> checked_value(std::string_view field, const compiler::Literal& value,
                                                            const yaml::Place& place);

// A UUID by which one GPU can be known: not a masked one, and not all zeros.
bool is_unit_uuid(std::string_view text);

// "NOT_SUPPORTED" as an error code.
compiler::Literal error_code(std::string_view name);

}  // namespace nvmlab::importer
