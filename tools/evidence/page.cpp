// SPDX-License-Identifier: Apache-2.0
#include "evidence/page.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nvmlab::evidence {
namespace {

constexpr std::string_view kHead =
    "# Written by `profile-evidence`, where the captures are; not by hand.\n"
    "# profile\tcapture\tequal\tcompared\tdiffering\n";

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto end = std::min(line.find(separator), line.size());
    cells.push_back(line.substr(0, end));
    if (end == line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

bool read_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string percent_text(const Agreement& agreement) {
  if (agreement.compared == 0) return "-";
  return fmt::format("{:.2f} %",
                     100.0 * static_cast<double>(agreement.equal) / static_cast<double>(agreement.compared));
}

std::size_t count_of(const Profile& profile, std::string_view kind) {
  const auto found = profile.by_kind.find(std::string(kind));
  return found == profile.by_kind.end() ? 0 : found->second;
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names)
    out.push_back(fmt::format("`{}`", name));
  return fmt::format("{}", fmt::join(out, ", "));
}

// Members of one record are told together: `ecc.sram`.
std::vector<std::string> without_members(const std::vector<std::string>& fields) {
  std::vector<std::string> out;
  for (const auto& field : fields) {
    const auto second = field.find('.', field.find('.') + 1);
    std::string name = field.substr(0, second);
    if (out.empty() || out.back() != name) out.push_back(std::move(name));
  }
  return out;
}

std::string overview(std::span<const Profile> profiles, const Measured& measured, bool machines) {
  std::string out =
      fmt::format("| {} | captured | data sheet | documented | derived | assumed | inherited | agreement |\n",
                  machines ? "machine" : "board");
  out += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const Profile& profile : profiles) {
    if (profile.machine != machines) continue;
    const auto found = measured.find(profile.name);
    out += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} | {4} | {5} | {6} | {7} |\n", profile.name,
                       count_of(profile, "capture"), count_of(profile, "datasheet"), count_of(profile, "documentation"),
                       count_of(profile, "derived"), count_of(profile, "assumed"), profile.inherited,
                       found == measured.end() ? "no capture" : percent_text(found->second));
  }
  return out;
}

std::string section(const Profile& profile, const Measured& measured) {
  std::string out = fmt::format("\n### {}\n\n{}", profile.name, profile.doc);
  if (!profile.inherits.empty()) out += fmt::format(" Inherits {}.", quoted(profile.inherits));
  out += "\n\n";
  if (const auto found = measured.find(profile.name); found != measured.end()) {
    const Agreement& agreement = found->second;
    out += fmt::format("- Agreement with `{}`: {} of {} fields{}.\n", agreement.capture, agreement.equal,
                       agreement.compared,
                       agreement.differing.empty() ? "" : fmt::format("; {} differ", quoted(agreement.differing)));
  }
  if (!profile.evidence.empty()) out += fmt::format("- Evidence: {}.\n", fmt::join(profile.evidence, "; "));
  for (const auto& [why, fields] : profile.assumed)
    out += fmt::format("- Assumed ({}): {}.\n", why, quoted(without_members(fields)));
  return out;
}

}  // namespace

std::string table_of(const Measured& measured) {
  std::string out = "# SPDX-License-Identifier: Apache-2.0\n" + std::string(kHead);
  for (const auto& [name, agreement] : measured) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\n", name, agreement.capture, agreement.equal, agreement.compared,
                       fmt::join(agreement.differing, " "));
  }
  return out;
}

std::expected<Measured, std::string> read_table(std::string_view text) {
  Measured measured;
  std::size_t number = 0;
  for (const auto line : cells_of(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = cells_of(line, '\t');
    Agreement agreement;
    if (cells.size() != 5 || !read_number(cells[2], agreement.equal) || !read_number(cells[3], agreement.compared)) {
      return std::unexpected(
          fmt::format("{}: five cells would be right: profile, capture, equal, compared, differing", number));
    }
    agreement.capture = cells[1];
    for (const auto name : cells_of(cells[4], ' ')) {
      if (!name.empty()) agreement.differing.emplace_back(name);
    }
    measured[std::string(cells[0])] = std::move(agreement);
  }
  return measured;
}

std::string page_of(std::span<const Profile> profiles, const Measured& measured, std::string_view load) {
  std::string out =
      "<!-- Written by `profile-evidence`; change profiles/, not this. -->\n"
      "# The shipped profiles and their evidence\n\n"
      "Where the values of each shipped profile come from, how far it agrees with the capture that it was made from, "
      "and "
      "what in it is\nassumed. Values are counted for the first GPU and the machine that it is in. *Inherited* ones "
      "are "
      "stated by a family or, in a machine, by\nits boards, from the sources that are named here. The agreement is "
      "over the "
      "fields that the capture tells, without those that move by\nthemselves or name a unit (`nvmlab profiles diff`); "
      "what "
      "differs is named, and is what the publisher of the capture masked.\n\n## Boards\n\n";
  out += overview(profiles, measured, false) + "\n## Machines\n\n" + overview(profiles, measured, true);
  out += load;
  for (const bool machines : {false, true}) {
    out += machines ? "\n## Each machine\n" : "\n## Each board\n";
    for (const Profile& profile : profiles) {
      if (profile.machine == machines) out += section(profile, measured);
    }
  }
  return out;
}

}  // namespace nvmlab::evidence
