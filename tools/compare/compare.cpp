// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.hpp"

#include <string>
#include <unordered_map>

namespace nvmlab::compare {
namespace {

constexpr std::string_view kNotSupported = "NOT_SUPPORTED";

bool is_observed(const Statement* statement) {
  return statement != nullptr && statement->observed && !statement->silent;
}

bool composite(const Statement& statement) {
  return !statement.code && (statement.shape == StatementShape::list || statement.shape == StatementShape::record);
}

bool same(const Statement& a, const Statement& b) {
  return a.code == b.code && a.text == b.text && a.count == b.count && a.parts == b.parts;
}

// By what its differing parts are: one steady part makes it a difference that matters.
Class class_of_parts(const Statement& a, const Statement& b) {
  bool seen[class_names.size()] = {};
  for (const PartPair& pair : different_parts(a, b))
    seen[static_cast<std::size_t>(class_of(pair))] = true;
  for (const Class which : {Class::value, Class::code, Class::identifier, Class::noise}) {
    if (seen[static_cast<std::size_t>(which)]) return which;
  }
  return a.count == b.count ? Class::equal : Class::value;
}

// Whether there is anything to say about the two: not where neither side says it.
bool worth_a_row(const Statement* a, const Statement* b) { return is_observed(a) || is_observed(b); }

using StatementIndex = std::unordered_map<std::string_view, const Statement*>;

StatementIndex by_name(const SideSubject& subject) {
  StatementIndex index;
  index.reserve(subject.statements.size());
  for (const Statement& statement : subject.statements)
    index.emplace(statement.name, &statement);
  return index;
}

class Comparer {
 public:
  Comparer(const Options& options, Report& report) : options_(options), report_(report) {}

  void subjects(const SideSubject& a, const SideSubject& b, const StatementIndex& names_a,
                const StatementIndex& names_b, Pair gpus) {
    for (const Statement& statement : a.statements) {
      const auto other = names_b.find(statement.name);
      add(&statement, other == names_b.end() ? nullptr : other->second, gpus);
    }
    for (const Statement& statement : b.statements) {
      if (!names_a.contains(statement.name)) add(nullptr, &statement, gpus);
    }
  }

 private:
  void add(const Statement* a, const Statement* b, Pair gpus) {
    if (!worth_a_row(a, b)) return;
    const Row row{class_of(a, b), gpus, a, b};
    const Nature nature = row.any().nature;
    if (nature == Nature::identifier && !options_.identifiers) return;
    ++report_.counts[static_cast<std::size_t>(row.which)];
    const bool both = a != nullptr && b != nullptr && a->observed && b->observed;
    if (!both && row.which == Class::equal) ++report_.assumed_equal;
    // A return code stays what it is, also where the value would move.
    const bool comparable = nature == Nature::steady || row.any().code || row.which == Class::code;
    if (both && comparable && row.which != Class::noise && row.which != Class::identifier) {
      ++report_.steady_compared;
      if (row.which == Class::equal) ++report_.steady_equal;
    }
    report_.rows.push_back(row);
  }

  const Options& options_;
  Report& report_;
};

}  // namespace

double Report::agreement() const {
  return steady_compared == 0 ? 0.0 : 100.0 * static_cast<double>(steady_equal) / static_cast<double>(steady_compared);
}

Class class_of(const Statement* a, const Statement* b) {
  if (a == nullptr || b == nullptr) {
    // A list that comes and goes, such as processes, is not printed while it is empty.
    const Statement& only = a == nullptr ? *b : *a;
    return only.shape == StatementShape::list && only.nature == Nature::live ? Class::noise : Class::missing;
  }
  if (same(*a, *b)) return Class::equal;
  if (!a->observed || !b->observed) return Class::missing;
  if (a->silent || b->silent) {
    const Statement& other = a->silent ? *b : *a;
    if (composite(other)) {
      if (other.count == 0 && other.parts.empty()) return Class::equal;
      return other.nature == Nature::live ? Class::noise : Class::value;
    }
    return other.code && other.text == kNotSupported ? Class::equal : Class::code;
  }
  if (a->code || b->code) return Class::code;
  if (a->nature == Nature::identifier) return Class::identifier;
  if (a->nature == Nature::live) return Class::noise;
  return composite(*a) && composite(*b) ? class_of_parts(*a, *b) : Class::value;
}

Report compare(const Side& a, const Side& b, const Options& options) {
  Report report;
  report.matching = options.pairs ? Matching{Matched::chosen, *options.pairs, {}, {}} : match(a, b);
  Comparer comparer(options, report);
  comparer.subjects(a.node, b.node, by_name(a.node), by_name(b.node), {node_index, node_index});
  std::vector<StatementIndex> names_a;
  std::vector<StatementIndex> names_b;
  for (const SideSubject& gpu : a.gpus)
    names_a.push_back(by_name(gpu));
  for (const SideSubject& gpu : b.gpus)
    names_b.push_back(by_name(gpu));
  for (const Pair& gpus : report.matching.pairs) {
    const auto i = static_cast<std::size_t>(gpus.first);
    const auto j = static_cast<std::size_t>(gpus.second);
    comparer.subjects(a.gpus[i], b.gpus[j], names_a[i], names_b[j], gpus);
  }
  return report;
}

}  // namespace nvmlab::compare
