// SPDX-License-Identifier: Apache-2.0
//
// The tables at work. `read` verdicts first, then field ids, metrics, and the rows for what hooks answer: the nearer a
// call is to one field, the sooner it speaks.
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Error counters answer only while error correction is on, and say nothing of a board that has it off.
bool counts_errors(std::string_view field) {
  return field.starts_with("ecc.corrected_") || field.starts_with("ecc.uncorrected_") || field.starts_with("ecc.sram.");
}

bool correction_is_off(const Context& context) {
  const Call* mode = context.calls.find("nvmlDeviceGetEccMode");
  return mode != nullptr && mode->succeeded() && number(*mode, "current") == 0;
}

// Whether a refused call says that the field is refused. Of a hook, which looks at more than the field, these two say
// that the question was wrong for this board, or for who asked.
bool speaks_of_field(const Call& call, bool hook) {
  if (!of_the_board(call.code)) return false;
  return !hook || (call.code != "INVALID_ARGUMENT" && call.code != "NO_PERMISSION");
}

void read_table(const Context& context, std::span<const OutputRow> rows, bool hooks) {
  const bool without_errors = correction_is_off(context);
  for (const OutputRow& row : rows) {
    if (without_errors && counts_errors(row.field)) continue;
    const Call* call = context.calls.find(row.function, row.when);
    if (call == nullptr) continue;
    if (!call->succeeded()) {
      if (speaks_of_field(*call, hooks)) context.set_error(row.field, *call);
      continue;
    }
    if (const Json* output = member(call->out, row.output)) context.set(row, *output, *call);
  }
}

// "nvlink.links.speed_mbps" as the list and the member.
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  const auto dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

class FieldReader {
 public:
  FieldReader(const Context& context, Lists& lists)
      : context_(context), lists_(lists), without_errors_(correction_is_off(context)) {
    for (const FieldIdRow& row : field_ids())
      rows_.emplace(row.name, &row);
  }

  void run() {
    for (const Call* call : context_.calls.of("nvmlDeviceGetFieldValues")) {
      const Json* id = member(call->in, "fieldId");
      if (id == nullptr || !id->is_string()) continue;
      const auto row = rows_.find(id->get_ref<const std::string&>());
      if (row != rows_.end()) read(*row->second, *call);
    }
  }

 private:
  void read(const FieldIdRow& row, const Call& call) {
    const auto scope = number(member(call.in, "scopeId")).value_or(0);
    switch (row.source) {
      case FieldSource::plain:
        return field(row, row.fields[0], call);
      case FieldSource::scoped:
        if (scope < std::size(row.fields) && !row.fields[scope].empty()) field(row, row.fields[scope], call);
        return;
      case FieldSource::link_of_scope:
      case FieldSource::port_of_scope:
      case FieldSource::c2c_of_scope:
      case FieldSource::profile_of_scope:
        return item(row, scope, call);
      case FieldSource::link_of_number:
        return item(row, row.number, call);
      default:  // sums and lengths of lists, which others tell item by item
        return;
    }
  }

  void field(const FieldIdRow& row, std::string_view path, const Call& call) {
    if (without_errors_ && counts_errors(path)) return;
    // An id that the driver does not have is refused like one that the board does not have.
    if (!call.succeeded()) return driver_has(row, context_.driver) ? context_.set_error(path, call) : void();
    const OutputRow output{call.function, {}, "value", path, row.times};
    if (const Json* value = member(call.out, "value")) context_.set(output, *value, call);
  }

  void item(const FieldIdRow& row, std::uint64_t index, const Call& call) {
    constexpr std::uint64_t most = 64;  // no list of records is longer
    if (index >= most) return;
    const auto [list, name] = split(row.fields[0]);
    put(lists_[std::string(list)].records[index], name, &call, "value");
  }

  const Context& context_;
  Lists& lists_;
  bool without_errors_;
  std::unordered_map<std::string_view, const FieldIdRow*> rows_;
};

constexpr double kHundred = 100;

// A metric that is a share of another field: known as long as that one is not zero, and known to be there even so.
void read_share(const Context& context, const GpmRow& row, const Call& call, double value) {
  const FieldValue* whole = context.value(row.fields[0]);
  if (whole == nullptr) return;
  const auto number = whole->number().value_or(0);
  if (number == 0) return context.set_fallback(row.fields[1], 0, call);
  const double share = value * kHundred / static_cast<double>(number);
  context.set(row.fields[1], std::lround(share), call);
}

struct Engines {
  std::uint64_t count = 0;
  const Call* last = nullptr;
};

}  // namespace

bool driver_has(const FieldIdRow& row, std::uint32_t driver) { return (row.drivers >> driver & 1) != 0; }

void read_rows(const Context& context) { read_table(context, read_outputs(), false); }

void read_hook_rows(const Context& context) {
  read_table(context, checked_outputs(), true);
  read_table(context, call_outputs(), true);
}

void read_field_ids(const Context& context, Lists& lists) { FieldReader(context, lists).run(); }

void read_metrics(const Context& context) {
  std::map<std::string_view, const Call*> calls;  // by metric
  for (const Call* call : context.calls.of("nvmlGpmMetricsGet")) {
    const Json* id = member(call->in, "metricId");
    // A metric that the driver does not have is an invalid argument.
    const bool speaks = call->succeeded() || (of_the_board(call->code) && call->code != "INVALID_ARGUMENT");
    if (id != nullptr && id->is_string() && speaks) calls.emplace(id->get_ref<const std::string&>(), call);
  }
  std::map<std::string_view, Engines> engines;  // by the field that counts them
  Engines graphics;
  for (const GpmRow& row : gpm_metrics()) {
    const auto found = calls.find(row.name);
    if (found == calls.end()) continue;
    const Call* call = found->second;
    const Json* output = member(call->out, "value");
    const bool good = call->succeeded() && output != nullptr && output->is_number();
    const double value = good ? output->get<double>() : 0;
    if (row.source == GpmSource::engine_percent) {
      if (context.value(row.fields[0]) == nullptr) continue;  // refused for the share, not for the engine
      Engines& known = engines[row.fields[1]];
      known.last = call;
      if (good && row.number >= known.count) known.count = row.number + 1;
    } else if (row.source == GpmSource::graphics_count) {
      if (good && row.number >= graphics.count) graphics = {row.number + 1U, call};
    } else if (row.source == GpmSource::percent && !row.fields[1].empty()) {
      if (good) {
        read_share(context, row, *call, value);
      } else if (context.value(row.fields[0]) != nullptr) {
        context.set_error(row.fields[1], *call);
      }
    } else if (row.source == GpmSource::percent || row.source == GpmSource::since_boot) {
      if (context.observed(row.fields[0])) continue;
      if (good) {
        context.set_number(row.fields[0], *call, "value");
      } else {
        context.set_error(row.fields[0], *call);
      }
    }
  }
  if (context.value("gpm.supported") == nullptr) return;
  for (const auto& [field, known] : engines)
    context.set(field, known.count, *known.last);
  if (graphics.last == nullptr) return;
  // What their counters stand at is not told, only what they grow by.
  ListDraft engines_at_rest{.source = graphics.last, .count = graphics.count};
  for (std::uint64_t i = 0; i < graphics.count; ++i)
    engines_at_rest.records[i] = {{"elapsed_cycles", 0}, {"active_cycles", 0}, {"requests", 0}};
  context.set("gpm.graphics_engines", engines_at_rest);
}

}  // namespace nvmlab::importer::replay
