// SPDX-License-Identifier: Apache-2.0
//
// What the readers of a recording say of one GPU, or of the machine: fields, each at the line of the call that told it,
// and records in lists, put together from many calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/evidence/evidence.hpp"
#include "import/replay/call_index.hpp"
#include "import/replay/lists.hpp"
#include "import/replay/literals.hpp"
#include "import/replay/rows.hpp"

namespace nvmlab::importer::replay {

// What is known of the other ends of a GPU's links without asking for their type.
struct LinkEnds {
  const std::set<std::string>& gpus;  // addresses of all GPUs
  bool reach_peers = false;           // whether this one reaches another over links
};

// The calls about what MIG has cut a GPU into.
struct Parts {
  void add(const Call& call);

  std::map<unsigned, CallIndex> devices;        // by index
  std::map<unsigned, CallIndex> gpu_instances;  // by id
  std::map<std::pair<unsigned, unsigned>, CallIndex> compute_instances;
};

// "00000000:3B:00.0", as nvidia-smi prints it, from the struct with a place on the bus; empty where the call has none.
std::string place_on_bus(const Call& call);

class Context {
 public:
  Context(Evidence& evidence, Subject& subject, const CallIndex& index, std::uint32_t driver_row,
          std::shared_ptr<const std::string> file, std::size_t source)
      : calls(index),
        driver(driver_row),
        evidence_(evidence),
        subject_(subject),
        file_(std::move(file)),
        source_(source) {}

  const CallIndex& calls;
  const std::uint32_t driver;  // that was recorded, as driver_row() numbers it

  // The field has this value. What the field cannot hold is left out, and so is a second value; both are noted.
  void set(std::string_view field, const Literal& value, const Call& call) const;
  // Likewise the number of an output, where it is one.
  void set_number(std::string_view field, const Call& call, std::string_view output) const;
  // The value that an output has.
  void set(const OutputRow& row, const Json& output, const Call& call) const;
  // The board has it, and this is what to say where its family says no better.
  void set_fallback(std::string_view field, std::uint64_t number, const Call& call) const;
  // Asked for the field, NVML gave the call's code: the field's error code, where it says something of the board.
  void set_error(std::string_view field, const Call& call) const;
  // The records of a list; gaps are items that say nothing.
  void set(std::string_view list, const ListDraft& draft) const;

  // Whether a call has said what the field is, be it by a return code.
  bool observed(std::string_view field) const { return subject_.find(field) != nullptr; }
  // Its value; null where there is none, or a return code.
  const FieldValue* value(std::string_view field) const { return subject_.value(field); }
  void note(const Call& call, const std::string& text) const;
  // What is put together from this and other inputs when all are read.
  PartialLists& partial_lists() const { return subject_.lists; }
  Origin origin(const Call& call) const { return {source_, {file_, call.line, 1}}; }

 private:
  void keep(std::string_view field, std::expected<FieldValue, compiler::Problems> value, const Call& call) const;

  Evidence& evidence_;
  Subject& subject_;
  std::shared_ptr<const std::string> file_;
  std::size_t source_;
};

// The generated tables, and the rows of rows.cpp.
void read_rows(const Context& context);
void read_hook_rows(const Context& context);
void read_field_ids(const Context& context, Lists& lists);
void read_metrics(const Context& context);

// What takes more than one call, by topic.
void read_errors(const Context& context);
void read_memory(const Context& context);
void read_fans(const Context& context, Lists& lists);
void read_links(const Context& context, const LinkEnds& ends, Lists& lists);
void read_board(const Context& context);
void read_power(const Context& context, Lists& lists);
void read_mig(const Context& context, Lists& lists);
void read_instances(const Context& context, const Parts& parts);
void read_processes(const Context& context, const CallIndex& machine);
void read_affinity(const Context& context);
void read_machine(const Context& context, const std::vector<CallIndex>& units, Lists& lists);

}  // namespace nvmlab::importer::replay
