// SPDX-License-Identifier: Apache-2.0
//
// Rows of the tables that read recordings: what a call's answer says of the state. The tables in generated/ come from
// the verdicts `read`, `item`, `list` and `length` and the ids of model/meaning/, run backwards; rows.cpp has what a
// function that the driver answers with code of its own tells of a single field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlab::importer::replay {

// How an output stands for its field.
enum class As : std::uint8_t {
  same,
  text,        // bytes that spell a text
  positive,    // a number, or zero where the board has none
  bit,         // the lowest bit of a mask
  or_zero,     // a number, and zero too where the board has none
  or_unknown,  // a number, or all ones where it is not known
};

struct OutputRow {
  std::string_view function;
  std::string_view when;    // inputs that choose the field: "clockType=NVML_CLOCK_SM clockId=NVML_CLOCK_ID_CURRENT"
  std::string_view output;  // "clock", "utilization.gpu"
  std::string_view field;
  std::uint32_t per = 1;  // so many units of the output make one of the field's
  As as = As::same;
};

// An output that is a member of one item of a list.
struct ItemRow {
  std::string_view function;
  std::string_view when;
  std::string_view list;             // "nvlink.links"
  std::string_view item;             // the input that says which: "link", a number, or "unit", which the call is about
  std::string_view key = {};         // the member that this input is the value of; none: it is the item's place
  std::string_view inner = {};       // the list within the item of which the output's item is one
  std::string_view inner_item = {};  // and the input that says which
  std::string_view output;
  std::string_view member;
  std::string_view bit = {};  // the input, or the number, of the member's bit that the output is
  As as = As::same;
};

// An array of an output, and the member that each of its items, or a column of them, is.
struct ListRow {
  std::string_view function;
  std::string_view when;
  std::string_view list;
  std::string_view items;        // "infos", "errorCounts.entries"
  std::string_view column = {};  // none: the items are numbers
  std::string_view member = {};  // none: of a list of numbers
  std::string_view inner = {};   // the list within the item
  std::string_view key = {};     //   whose member
  std::string_view input = {};   //   has the value of this input
  std::string_view rest = {};    // what fills the array behind the last item
  bool refused_if_empty = false;
  As as = As::same;
};

// An output that is how long a list is.
struct LengthRow {
  std::string_view function;
  std::string_view when;
  std::string_view output;
  std::string_view list;
  bool refused_if_empty = false;
};

// As the driver's table of ids has them (drivers/nvml/field_row.hpp).
enum class FieldSource : std::uint8_t {
  plain,
  scoped,
  link_of_scope,
  link_of_number,
  link_sum,
  port_of_scope,
  c2c_of_scope,
  profile_of_scope,
  bandwidth_of_number,
  bandwidth_sum,
  length,
  link_count,
  switched_link_count,
  c2c_count,
};

struct FieldIdRow {
  std::string_view name;
  FieldSource source;
  std::uint64_t drivers;  // that have it: one bit for each row of the engine's table of drivers
  std::uint32_t times;    // the value is the field's times this
  std::uint32_t number;
  std::string_view fields[3];  // "power.energy_mj"; "nvlink.links.speed_mbps" of records in a list
};

// As the driver's table of metrics has them (drivers/nvml/gpm_row.hpp).
enum class GpmSource : std::uint8_t {
  percent,
  engine_percent,
  kbps,
  since_boot,
  link_rate,
  link_rate_sum,
  link_since_boot,
  c2c_rate,
  c2c_rate_sum,
  graphics_count,
  graphics_ratio,
  graphics_percent,
};

struct GpmRow {
  std::string_view name;
  GpmSource source;
  std::uint32_t number;
  std::string_view fields[2];
};

struct KnownFunction {
  std::string_view name;
  bool exported;  // by the library of the newest simulated driver
};

// `driver` as driver_row() numbers it.
bool driver_has(const FieldIdRow& row, std::uint32_t driver);

std::span<const OutputRow> read_outputs();  // generated, by function
// Likewise, of functions that look at more than the field; generated.
std::span<const OutputRow> checked_outputs();
std::span<const OutputRow> call_outputs();  // written by hand
std::span<const ItemRow> item_rows();       // generated, by function, as are these
std::span<const ListRow> list_rows();
std::span<const LengthRow> length_rows();
std::span<const FieldIdRow> field_ids();  // by name
std::span<const GpmRow> gpm_metrics();    // by name
// Null unless a known header declares it or a known driver exports it.
const KnownFunction* find_function(std::string_view name);

}  // namespace nvmlab::importer::replay
