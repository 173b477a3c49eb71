// SPDX-License-Identifier: Apache-2.0
#include "command/mock/verb.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::tool::mock {
namespace {

constexpr std::uint64_t kHottest = 200;
constexpr std::uint64_t kMostWatts = 100'000;
constexpr std::uint64_t kFastestMhz = 100'000;
constexpr std::uint64_t kMostErrors = 1'000'000'000;

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::expected<std::uint64_t, std::string> number_in(const std::string& what, const std::string& word,
                                                    std::uint64_t most) {
  const auto number = whole_number(word);
  if (!number || *number > most)
    return wrong("{} takes a whole number from 0 to {}, not {}", what, most, in_quotes(word));
  return *number;
}

std::expected<std::uint64_t, std::string> one_number(const std::string& verb, const Words& words, std::uint64_t most) {
  if (words.size() != 1) return wrong("{} takes one value, not {}", verb, words.size());
  return number_in(verb, words.front(), most);
}

std::expected<double, std::string> one_real(const std::string& verb, const Words& words, double most) {
  if (words.size() != 1) return wrong("{} takes one value, not {}", verb, words.size());
  double value = 0;
  const char* const end = words.front().data() + words.front().size();
  const auto [at, error] = std::from_chars(words.front().data(), end, value);
  if (error != std::errc{} || at != end || !std::isfinite(value) || value < 0 || value > most)
    return wrong("{} takes a number from 0 to {}, not {}", verb, most, in_quotes(words.front()));
  return value;
}

// The curve stands still at that value, so that it is told whether or not the configuration moves it.
Patched temperature(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  const auto celsius = one_number(verb, words, kHottest);
  if (!celsius) return std::unexpected(celsius.error());
  put(block, "thermal.temperature_gpu_c", *celsius);
  put(block, "dynamic_metrics.temperature.base_c", *celsius);
  put(block, "dynamic_metrics.temperature.ramp_c", std::uint64_t{0});
  put(block, "dynamic_metrics.temperature.variance_c", std::uint64_t{0});
  return {};
}

Patched power(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  const auto watts = one_real(verb, words, static_cast<double>(kMostWatts));
  if (!watts) return std::unexpected(watts.error());
  const auto milliwatts = static_cast<std::uint64_t>(*watts * 1000 + 0.5);
  put(block, "power.current_draw_mw", milliwatts);
  put(block, "dynamic_metrics.power.base_mw", milliwatts);
  put(block, "dynamic_metrics.power.variance_mw", std::uint64_t{0});
  return {};
}

Patched fan(const std::string& verb, const Words& words, const VerbOptions& options, yaml::Node& block) {
  const auto percent = one_number(verb, words, 100);
  if (!percent) return std::unexpected(percent.error());
  put(block, "fan.count", std::max<std::uint64_t>(1, options.fans));
  put(block, "fan.speed_percent", yaml_text(std::to_string(*percent)));
  return {};
}

Patched utilization(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  const auto percent = one_number(verb, words, 100);
  if (!percent) return std::unexpected(percent.error());
  put(block, "utilization.gpu", *percent);
  put(block, "utilization.memory", *percent);
  put(block, "dynamic_metrics.utilization", yaml::Node{});
  return {};
}

Patched clocks(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  const auto mhz = one_number(verb, words, kFastestMhz);
  if (!mhz) return std::unexpected(mhz.error());
  put(block, "clocks.graphics_current", *mhz);
  put(block, "clocks.sm_current", *mhz);
  return {};
}

Patched pstate(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  const auto number = one_number(verb, words, 15);
  if (!number) return std::unexpected(number.error());
  put(block, "performance_state", yaml_scalar(fmt::format("P{}", *number)));
  return {};
}

Patched nvlink_error(const std::string& verb, const Words& words, const VerbOptions& options, yaml::Node& block) {
  const auto rate = one_real(verb, words, static_cast<double>(kMostErrors));
  if (!rate) return std::unexpected(rate.error());
  yaml::Node errors = yaml_mapping();
  yaml_member(errors, "rate") = yaml_scalar(fmt::format("{}", *rate));
  yaml::Node links;
  links.kind = yaml::Kind::sequence;
  for (std::string rest = options.links.value_or(""); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto link = number_in("--links", without_blanks(rest.substr(0, comma)), 63);
    if (!link) return std::unexpected(link.error());
    links.items.push_back(yaml_scalar(std::to_string(*link)));
    rest.erase(0, comma + 1);
  }
  if (!links.items.empty()) yaml_member(errors, "links") = std::move(links);
  yaml_member(block, "nvlink_error") = std::move(errors);
  return {};
}

Patched sram_ecc(const std::string& verb, const Words& words, const VerbOptions& options, yaml::Node& block) {
  static const Names types{
      {"correctable", "correctable"}, {"parity", "uncorrectable_parity"}, {"secded", "uncorrectable_secded"}};
  static const Names sources{
      {"l2", "l2"},     {"sm", "sm"},      {"microcontroller", "microcontroller"}, {"mcu", "microcontroller"},
      {"pcie", "pcie"}, {"other", "other"}};
  const auto count = one_number(verb, words, kMostErrors);
  if (!count) return std::unexpected(count.error());
  const auto type = types.find(in_lower_case(options.type.value_or("secded")));
  if (type == types.end()) return wrong("--type takes correctable, parity or secded, not {}", in_quotes(*options.type));
  const bool correctable = type->first == "correctable";
  if (correctable && options.source) return wrong("--source tells where errors come from that cannot be corrected");
  const auto source = sources.find(in_lower_case(options.source.value_or("other")));
  if (source == sources.end())
    return wrong("--source takes l2, sm, microcontroller, pcie or other, not {}", in_quotes(*options.source));
  for (const std::string scope : {"volatile", "aggregate"}) {
    for (const auto& [word, key] : types)
      put(block, fmt::format("ecc.sram.{}.{}", scope, key), key == type->second ? *count : std::uint64_t{0});
  }
  for (const auto& [word, key] : sources)
    put(block, "ecc.sram.uncorrectable_sources." + key,
        !correctable && key == source->second ? *count : std::uint64_t{0});
  put(block, "ecc.sram.threshold_exceeded", options.threshold_exceeded);
  return {};
}

Patched fail(const std::string&, const Words& words, const VerbOptions& options, yaml::Node& block) {
  static const Words modes{"healthy", "lost", "fallen_off_bus", "ecc_uncorrectable"};
  if (!words.empty()) return wrong("fail takes options alone, not {}", in_quotes(words.front()));
  if (!options.mode || std::ranges::find(modes, *options.mode) == modes.end())
    return wrong("fail takes --mode {}", fmt::join(modes, ", "));
  std::erase_if(block.entries, [](const auto& entry) { return entry.first.scalar == "failure"; });
  if (*options.mode == "healthy") return {};
  put(block, "failure.mode", yaml_scalar(*options.mode));
  for (const auto& [option, word, key] : {std::tuple("--after-calls", options.after_calls, "failure.after_calls"),
                                          std::tuple("--xid", options.xid, "failure.xid.code")}) {
    if (!word) continue;
    const auto number = number_in(option, *word, 0xFFFF'FFFE);
    if (!number) return std::unexpected(number.error());
    if (*number > 0) put(block, key, *number);
  }
  return {};
}

Patched set(const std::string&, const Words& words, const VerbOptions&, yaml::Node& block) {
  if (words.empty()) return wrong("set takes one or more of key.path=value");
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string path = word.substr(0, equals);
    const bool good = equals != std::string::npos && !path.empty() && path.front() != '.' && path.back() != '.' &&
                      path.find("..") == std::string::npos;
    if (!good) return wrong("{} is no key.path=value", in_quotes(word));
    auto value = yaml::parse(word.substr(equals + 1), path);
    if (!value) return std::unexpected(value.error().text());
    put(block, path, std::move(*value));
  }
  return {};
}

using Verb = Patched (*)(const std::string&, const Words&, const VerbOptions&, yaml::Node&);
const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> all{{"temp", temperature},
                                               {"temperature", temperature},
                                               {"power", power},
                                               {"fan", fan},
                                               {"util", utilization},
                                               {"utilization", utilization},
                                               {"clocks", clocks},
                                               {"pstate", pstate},
                                               {"throttle", throttle},
                                               {"fabric-health", fabric_health},
                                               {"nvlink-error", nvlink_error},
                                               {"sram-ecc", sram_ecc},
                                               {"fail", fail},
                                               {"set", set}};
  return all;
}

}  // namespace

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void put(yaml::Node& block, std::string_view path, yaml::Node value) {
  yaml::Node* at = &block;
  for (std::size_t begin = 0;;) {
    const std::size_t dot = path.find('.', begin);
    if (!at->is_mapping()) *at = yaml_mapping();
    at = &yaml_member(*at, path.substr(begin, dot - begin));
    if (dot == std::string_view::npos) break;
    begin = dot + 1;
  }
  *at = std::move(value);
}
void put(yaml::Node& block, std::string_view path, std::uint64_t value) {
  put(block, path, yaml_scalar(std::to_string(value)));
}
void put(yaml::Node& block, std::string_view path, bool value) {
  put(block, path, yaml_scalar(value ? "true" : "false"));
}

bool is_verb(const std::string& word) { return verbs().contains(word); }

std::expected<void, std::string> apply_verb(const std::string& verb, const Words& words, const VerbOptions& options,
                                            yaml::Node& block) {
  return verbs().at(verb)(verb, words, options, block);
}

}  // namespace nvmlab::tool::mock
