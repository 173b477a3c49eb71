// SPDX-License-Identifier: Apache-2.0
#include "import/evidence/evidence.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/checks.hpp"
#include "compiler/paths.hpp"
#include "compiler/return_codes.hpp"

namespace nvmlab::importer {
namespace {

std::string where(const yaml::Place& place) {
  return place.file == nullptr ? std::string("nowhere") : fmt::format("{}:{}", *place.file, place.line);
}

constexpr std::string_view kUuid = "identity.uuid";

std::string lower_case(std::string_view uuid) {
  constexpr std::string_view begin = "GPU-";
  std::string lower(uuid);
  for (std::size_t i = uuid.starts_with(begin) ? begin.size() : 0; i < lower.size(); ++i) {
    if (lower[i] >= 'A' && lower[i] <= 'F') lower[i] = static_cast<char>(lower[i] - 'A' + 'a');
  }
  return lower;
}

// What a board does at the moment differs in every capture; what it is and how it is set does not.
bool is_steady(const Field& field) { return field.kind == FieldKind::fixed || field.kind == FieldKind::setting; }

}  // namespace

bool is_unit_uuid(std::string_view text) {
  return compiler::is_gpu_uuid(text) && text.find_first_not_of("GPU-0") != std::string_view::npos;
}

bool ProfileSource::same_but_for_id(const ProfileSource& other) const {
  const auto all = [](const ProfileSource& of) {
    return std::tie(of.kind, of.file, of.driver, of.title, of.why, of.note);
  };
  return all(*this) == all(other);
}

const Observation* Subject::find(std::string_view field) const {
  const auto found = observed.find(field);
  return found == observed.end() ? nullptr : &found->second;
}

const FieldValue* Subject::value(std::string_view field) const {
  const Observation* found = find(field);
  return found == nullptr || !found->value.has_value() ? nullptr : &found->value;
}

std::size_t Evidence::add_source(ProfileSource source) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].same_but_for_id(source)) return i;
  }
  const std::string id = source.id;
  for (int n = 2; std::ranges::find(sources, source.id, &ProfileSource::id) != sources.end(); ++n)
    source.id = fmt::format("{}{}", id, n);
  sources.push_back(std::move(source));
  return sources.size() - 1;
}

std::size_t Evidence::add_note(const std::string& id, std::size_t source, const std::string& note) {
  ProfileSource noted = sources[source];
  noted.id = id;
  noted.note = noted.note.empty() ? note : fmt::format("{}; {}", noted.note, note);
  return add_source(std::move(noted));
}

void Evidence::note(std::string text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

std::string Evidence::observe(Subject& subject, std::string_view field, const compiler::Literal& value,
                              const Origin& origin) {
  auto checked = checked_value(field, value, origin.place);
  if (checked) return observe(subject, field, std::move(*checked), origin);
  for (const auto& problem : checked.error())
    note(problem.text() + "; it is left out");
  return checked.error().front().message;
}

std::string Evidence::observe(Subject& subject, std::string_view field, FieldValue value, const Origin& origin) {
  if (field == kUuid && value.has_value() && !compiler::is_gpu_uuid(value.text())) {
    const std::string lower = lower_case(value.text());
    if (!compiler::is_gpu_uuid(lower)) {
      note(fmt::format("{}: {}: its UUID {} is masked; one is derived from the names of the machine and its GPUs",
                       where(origin.place), subject.who, in_quotes(value.text())));
      return "it is masked; a UUID is derived";
    }
    return observe(subject, field, compiler::Literal(lower), origin);
  }
  const auto found = subject.observed.find(field);
  if (found == subject.observed.end()) {
    subject.observed.emplace(std::string(field), Observation{std::move(value), origin});
    return {};
  }
  Observation& known = found->second;
  if (known.value == value) return {};
  if (!known.value.has_value() && value.has_value()) {
    known = {std::move(value), origin};  // an older tool, or one with fewer rights, could not say
    return {};
  }
  if (known.value.has_value() && value.has_value() && known.origin.source != origin.source &&
      is_steady(value.field())) {
    notes.push_back(fmt::format("{} of {}: {} says {}, but {} says {}; the first one stands", field, subject.who,
                                where(known.origin.place), known.value.yaml(), where(origin.place), value.yaml()));
  }
  return fmt::format("{} says {}, which stands", where(known.origin.place), known.value.yaml());
}

std::expected<FieldValue, compiler::Problems> checked_value(std::string_view field, const compiler::Literal& value,
                                                            const yaml::Place& place) {
  const auto ref = compiler::find_field(field);
  if (!ref) return std::unexpected(compiler::Problems{place.error(ref.error())});
  compiler::Problems problems;
  std::vector<std::byte> bytes(ref->field->size);
  if (!compiler::store(value, *ref->field, field, place, bytes.data(), problems)) return std::unexpected(problems);
  return FieldValue(*ref->field, std::move(bytes));
}

compiler::Literal error_code(std::string_view name) {
  return compiler::ErrorCode{compiler::find_return_code(name).value_or(kNotSupported)};
}

}  // namespace nvmlab::importer
