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

#include "import/evidence/evidence.hpp"
#include "import/replay/rows.hpp"
#include "import/replay/sheet.hpp"

namespace nvmlab::importer::replay {

// One item of a list of records; the values are YAML.
using Record = std::map<std::string, std::string, std::less<>>;
// Items by their number.
using Records = std::map<std::uint64_t, Record>;

// What is known of the other ends of a GPU's links without asking for their type.
struct LinkEnds {
  const std::set<std::string>& gpus;  // addresses of all GPUs
  bool reach_peers = false;           // whether this one reaches another over links
};

// "00000000:3B:00.0", as nvidia-smi prints it, from the struct with a place on the bus; empty where the call has none.
std::string place_on_bus(const Call& call);

class Context {
 public:
  Context(Evidence& evidence, Subject& subject, const Sheet& sheet, std::uint32_t driver_row,
          std::shared_ptr<const std::string> file, std::size_t source)
      : calls(sheet),
        driver(driver_row),
        evidence_(evidence),
        subject_(subject),
        file_(std::move(file)),
        source_(source) {}

  const Sheet& calls;
  const std::uint32_t driver;  // that was recorded, as driver_row() numbers it

  // The field has this value, as YAML. What the field cannot hold is left out, and so is a second value; both are
  // noted.
  void tell(std::string_view field, const std::string& yaml, const Call& call) const;
  // The board has it, and this is what to say where its family says no better.
  void tell_weakly(std::string_view field, std::uint64_t number, const Call& call) const;
  // The value that an output has.
  void tell(const OutputRow& row, const Json& output, const Call& call) const;
  // Asked for the field, NVML gave the call's code: the field's answer, where the code says something of the board.
  void refuse(std::string_view field, const Call& call) const;
  // The records of a list; gaps are items that say nothing.
  void tell(std::string_view list, const Records& records, std::uint64_t count, const Call& call) const;

  // Whether the field has been told, be it by a return code.
  bool told(std::string_view field) const { return subject_.find(field) != nullptr; }
  // What it has been told to be; null where nobody told, or a return code.
  const FieldValue* value(std::string_view field) const { return subject_.value(field); }
  void note(const Call& call, const std::string& text) const;

 private:
  void state(std::string_view field, std::expected<FieldValue, compiler::Problems> value, const Call& call) const;

  Evidence& evidence_;
  Subject& subject_;
  std::shared_ptr<const std::string> file_;
  std::size_t source_;
};

// Whether a return code says something of the board, and not of who asked or how.
bool of_the_board(std::string_view code);

// A number, a text, or bytes in hexadecimal as YAML; empty where it is none.
std::string yaml_of(const Json* value);
std::string text_yaml(const Json* value);

// Puts a number of the call's outputs into a record, or the code in its place.
void put(Record& record, std::string_view member, const Call* call, std::string_view output);

// The generated tables, and the rows of rows.cpp.
void read_rows(const Context& context);
void read_hook_rows(const Context& context);
void read_field_ids(const Context& context, std::map<std::string, Records, std::less<>>& lists);
void read_metrics(const Context& context);

// What takes more than one call, by topic.
void read_clocks(const Context& context);
void read_errors(const Context& context);
void read_fans(const Context& context);
void read_memory(const Context& context);
void read_links(const Context& context, std::map<std::string, Records, std::less<>>& lists, const LinkEnds& ends);
void read_board(const Context& context);
void read_power(const Context& context, std::map<std::string, Records, std::less<>>& lists);
void read_mig(const Context& context);
void read_processes(const Context& context, const Sheet& machine);
void read_sessions(const Context& context);
void read_affinity(const Context& context);
void read_machine(const Context& context, const std::vector<Sheet>& units);

}  // namespace nvmlab::importer::replay
