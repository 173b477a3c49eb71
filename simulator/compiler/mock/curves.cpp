// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/curves.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/nearest.hpp"
#include "compiler/mock/scalars.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kHottest = 1000;
constexpr std::uint32_t kMostMw = kMostLoadMw;
constexpr std::uint32_t kLongestS = 1'000'000'000;
constexpr double kMostErrors = 1e9;

using Read = std::function<void(const yaml::Node& value, const std::string& key)>;

class CurveReader {
 public:
  CurveReader(SetMetricCurves& curves, Problems& problems, Problems& notes, std::set<std::string>& unheeded)
      : curves_(curves), problems_(problems), notes_(notes), unheeded_(unheeded) {}

  void dynamics(const yaml::Node& block) {
    if (block.is_null()) {
      curves_.which &= kLinkErrorCurve;
      return;
    }
    read(block, "dynamic_metrics",
         {{"seed", [this](const auto& value, const auto& key) { seed(value, key); }},
          {"temperature", [this](const auto& value, const auto& key) { temperature(value, key); }},
          {"power", [this](const auto& value, const auto& key) { power(value, key); }},
          {"utilization", [this](const auto& value, const auto& key) { utilization(value, key); }}});
  }

  void link_errors(const yaml::Node& block) {
    if (!begins(block, "nvlink_error", kLinkErrorCurve)) return;
    read(block, "nvlink_error",
         {{"rate",
           [this](const auto& value, const auto& key) {
             curves_.link_error_milli =
                 static_cast<std::uint64_t>(mock_real(value, key, kMostErrors, problems_) * 1000);
           }},
          {"links", [this](const auto& value, const auto& key) { links(value, key); }}});
    if (curves_.link_error_milli == 0) curves_.which &= ~std::uint32_t{kLinkErrorCurve};
  }

 private:
  // False where the curve is taken back, or the block is none.
  bool begins(const yaml::Node& block, const std::string& key, Curve curve) {
    if (block.is_null()) {
      curves_.which &= ~std::uint32_t{curve};
      return false;
    }
    if (!is_mapping(block, key)) return false;
    curves_.which |= curve;
    return true;
  }

  bool is_mapping(const yaml::Node& block, const std::string& key) {
    if (!block.is_mapping())
      problems_.push_back(block.error(fmt::format("{} was found; '{}' takes a mapping", block.describe(), key)));
    return block.is_mapping();
  }

  void read(const yaml::Node& block, const std::string& name, const std::map<std::string, Read>& keys) {
    if (!is_mapping(block, name)) return;
    for (const auto& [key, value] : block.entries) {
      const std::string path = name + "." + key.scalar;
      if (const auto known = keys.find(key.scalar); known != keys.end()) {
        known->second(value, path);
      } else {
        notes_.push_back(key.error(fmt::format("{} is unknown to nvmlab and left out", in_quotes(path))));
        unheeded_.insert(path);
      }
    }
  }

  Read number(std::uint32_t& to, std::uint32_t most) {
    return [this, &to, most](const yaml::Node& value, const std::string& key) {
      to = mock_number(value, key, most, to, problems_);
    };
  }

  void seed(const yaml::Node& value, const std::string& key) {
    const auto number = value.is_scalar() ? parse_number(value.scalar) : std::unexpected(std::string());
    if (number) {
      curves_.seed = number->negative ? ~number->magnitude + 1 : number->magnitude;
    } else {
      problems_.push_back(value.error(fmt::format("'{}' takes a whole number", key)));
    }
  }

  void temperature(const yaml::Node& block, const std::string& name) {
    if (!begins(block, name, kTemperatureCurve)) return;
    auto base = static_cast<std::uint32_t>(curves_.base_c);
    read(block, name,
         {{"base_c", number(base, kHottest)},
          {"variance_c", number(curves_.variance_c, kHottest)},
          {"ramp_c", number(curves_.ramp_c, kHottest)},
          {"ramp_period_sec", number(curves_.ramp_period_s, kLongestS)}});
    curves_.base_c = static_cast<std::int32_t>(base);
  }

  void power(const yaml::Node& block, const std::string& name) {
    if (!begins(block, name, kPowerCurve)) return;
    read(block, name,
         {{"base_mw", number(curves_.base_mw, kMostMw)}, {"variance_mw", number(curves_.variance_mw, kMostMw)}});
  }

  void utilization(const yaml::Node& block, const std::string& name) {
    if (!begins(block, name, kUtilizationCurve)) return;
    read(block, name,
         {{"pattern", [this](const auto& value, const auto& key) { pattern(value, key); }},
          {"gpu_min", number(curves_.gpu_min, 100)},
          {"gpu_max", number(curves_.gpu_max, 100)},
          {"memory_min", number(curves_.memory_min, 100)},
          {"memory_max", number(curves_.memory_max, 100)},
          {"burst_period_sec", number(curves_.burst_period_s, kLongestS)}});
  }

  // Any other word is steady, as there.
  void pattern(const yaml::Node& value, const std::string& key) {
    static const std::map<std::string, UsePattern> patterns{{"steady", UsePattern::steady},
                                                            {"idle", UsePattern::idle},
                                                            {"busy", UsePattern::busy},
                                                            {"burst", UsePattern::burst}};
    const auto known = patterns.find(mock_word(value.scalar));
    curves_.pattern = known == patterns.end() ? UsePattern::steady : known->second;
    if (known == patterns.end() && !value.scalar.empty())
      notes_.push_back(value.error(fmt::format("'{}' knows no {}; steady is taken", key, in_quotes(value.scalar))));
  }

  void links(const yaml::Node& value, const std::string& key) {
    curves_.links = 0;
    if (value.is_null()) return;
    if (!value.is_sequence()) {
      problems_.push_back(value.error(fmt::format("{} was found; '{}' takes a list", value.describe(), key)));
      return;
    }
    for (const yaml::Node& item : value.items)
      curves_.links |= std::uint64_t{1} << mock_number(item, key + "[]", 63, 0, problems_);
  }

  SetMetricCurves& curves_;
  Problems& problems_;
  Problems& notes_;
  std::set<std::string>& unheeded_;
};

}  // namespace

void read_mock_dynamics(const yaml::Node& block, SetMetricCurves& curves, Problems& problems, Problems& notes,
                        std::set<std::string>& unheeded) {
  CurveReader(curves, problems, notes, unheeded).dynamics(block);
}

void read_mock_link_errors(const yaml::Node& block, SetMetricCurves& curves, Problems& problems, Problems& notes,
                           std::set<std::string>& unheeded) {
  CurveReader(curves, problems, notes, unheeded).link_errors(block);
}

void add_mock_link_errors(const yaml::Node& rate, SetMetricCurves& curves, Problems& problems) {
  const auto milli =
      static_cast<std::uint64_t>(mock_real(rate, "nvlink.defaults.error_rate", kMostErrors, problems) * 1000);
  if (milli == 0) return;
  curves.which |= kLinkErrorCurve;
  curves.links = 0;
  curves.link_error_milli += milli;
}

}  // namespace nvmlab::compiler
