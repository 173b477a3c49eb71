// SPDX-License-Identifier: Apache-2.0
#include "command/machine/function_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/return_codes.hpp"
#include "control/faults.hpp"
#include "engine/topics/faults/internal_slots.hpp"
#include "nvmlab/loader/function_names.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint32_t kHighestCode = 999;
constexpr std::uint64_t kLongestDelay = 86'400'000'000'000;  // a day

using OptionWord = std::optional<std::string>;
template <class Value>
using OrSentence = std::expected<Value, std::string>;

OrSentence<std::uint32_t> number_of(const char* option, const OptionWord& word, std::uint32_t without,
                                    std::uint32_t least) {
  if (!word) return without;
  const auto number = whole_number(*word);
  if (!number || *number < least || *number > std::numeric_limits<std::uint32_t>::max())
    return std::unexpected(fmt::format("{} takes a number from {} on, not {}", option, least, in_quotes(*word)));
  return static_cast<std::uint32_t>(*number);
}

OrSentence<std::uint64_t> span_of(const char* option, const OptionWord& word) {
  if (!word) return 0;
  const auto span = parse_duration(*word);
  if (span) return *span;
  return std::unexpected(fmt::format("{} {}: {}", option, in_quotes(*word), span.error()));
}

OrSentence<std::uint32_t> code_of(const OptionWord& word) {
  if (!word) return 0;
  const auto code = compiler::find_return_code(*word);
  if (!code) return std::unexpected("--answer: " + code.error());
  if (*code > kHighestCode) return std::unexpected(fmt::format("--answer takes a code up to {}", kHighestCode));
  return *code;
}

// 0.25 or 25%, in millionths.
OrSentence<std::uint32_t> chance_of(const OptionWord& word) {
  if (!word) return kCertain;
  const bool percent = word->ends_with('%');
  double value = 0;
  const char* const end = word->data() + word->size() - (percent ? 1 : 0);
  const auto [at, error] = std::from_chars(word->data(), end, value);
  const double millionths = value * (percent ? kCertain / 100 : kCertain);
  if (error == std::errc{} && at == end && millionths >= 1 && millionths <= kCertain)
    return static_cast<std::uint32_t>(std::lround(millionths));
  return std::unexpected(fmt::format("--chance takes 0.25 or 25%, above 0 and at most 1, not {}", in_quotes(*word)));
}

template <std::size_t N>
OrSentence<void> put(const char* what, const std::string& word, char (&to)[N]) {
  if (word.empty() || word.size() >= N)
    return std::unexpected(fmt::format("{} takes a name of 1 to {} letters", what, N - 1));
  std::memcpy(to, word.data(), word.size());
  return {};
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

std::string option_text(const FunctionFault& fault) {
  std::string text;
  if (fault.code != 0) text += " --answer " + compiler::return_code_name(fault.code);
  if (fault.delay_ns != 0) text += " --slow " + duration_text(fault.delay_ns);
  if (fault.hangs != 0) text += " --hang";
  if (fault.skip != 0) text += fmt::format(" --skip {}", fault.skip);
  if (fault.every > 1) text += fmt::format(" --every {}", fault.every);
  if (fault.times != 0) text += fmt::format(" --times {}", fault.times);
  if (fault.chance != kCertain) text += fmt::format(" --chance {}", fault.chance / double{kCertain});
  if (fault.process[0] != '\0') text += fmt::format(" --process {}", fault.process);
  if (fault.shared != 0) text += " --shared";
  return text;
}

}  // namespace

void FunctionFaultOptions::declare(CommandLine& line) {
  line.option("--answer", "CODE", answer, "Of call: what the function answers, such as GPU_IS_LOST");
  line.option("--slow", "TIME", slow, "Of call: it takes so much longer, of the host's time");
  line.flag("--hang", hang, "Of call: it does not come back until it is healed");
  line.option("--skip", "N", skip, "Of call: so many calls go well first");
  line.option("--every", "N", every, "Of call: each so-manieth call fails");
  line.option("--chance", "P", chance, "Of call: a call fails with this probability, such as 0.1 or 10%");
  line.option("--from", "TIME", from, "Of call: begins so much later, of the machine's time");
  line.option("--for", "TIME", span, "Of call: befalls calls for so long, of the machine's time");
  line.option("--process", "NAME", process, "Of call: calls of processes with this name alone, as ps shows it");
  line.flag("--shared", shared, "Of call: calls are counted over all processes that may write to the machine");
  line.option("--seed", "N", seed, "Of call: from which follows which calls --chance takes (default: the machine's)");
}

std::string FunctionFaultOptions::any_given() const {
  if (hang) return "--hang";
  if (shared) return "--shared";
  const std::pair<const char*, const OptionWord&> all[] = {
      {"--answer", answer}, {"--slow", slow}, {"--skip", skip},       {"--every", every}, {"--chance", chance},
      {"--from", from},     {"--for", span},  {"--process", process}, {"--seed", seed}};
  for (const auto& [name, word] : all)
    if (word) return name;
  return "";
}

std::expected<void, std::string> check_function(const std::string& pattern) {
  std::vector<std::string> names;
  for (const char* const name : nvml::detail::function_names) {
    if (std::string_view(name) == "nvmlErrorString") continue;  // answers no code
    if (control::matches_function(pattern.c_str(), name)) return {};
    names.emplace_back(name);
  }
  for (const std::uint8_t slot : kInternalSlots) {
    if (control::matches_function(pattern.c_str(), name_of_internal_slot(slot).text)) return {};
  }
  if (is_pattern(pattern))
    return std::unexpected(fmt::format("no function of NVML fits {}; nvmlDeviceGet* is a pattern", in_quotes(pattern)));
  const std::string like = did_you_mean(similar(pattern, names));
  return std::unexpected(fmt::format("there is no function {} that answers a code{}{}", in_quotes(pattern),
                                     like.empty() ? "" : "; ", like));
}

std::expected<FunctionFault, std::string> FunctionFaultOptions::read(const std::vector<std::string>& words,
                                                                     const std::optional<std::string>& times,
                                                                     std::uint64_t now_ns) const {
  if (words.size() != 2)
    return std::unexpected("call takes the name of a function, such as call nvmlDeviceGetTemperature");
  if (!answer && !slow && !hang)
    return std::unexpected("call takes --answer CODE, --slow TIME or --hang: what the function does");
  if (hang && (answer || slow))
    return std::unexpected("a call that hangs answers nothing; leave out --answer and --slow");
  if (const auto known = check_function(words[1]); !known) return std::unexpected(known.error());

  FunctionFault fault{};
  fault.gpu = kAnyGpu;
  fault.hangs = hang ? 1 : 0;
  fault.shared = shared ? 1 : 0;
  std::string wrong;
  const auto take = [&wrong](auto& to, const auto& value) {
    if (value) to = *value;
    if (!value && wrong.empty()) wrong = value.error();
  };
  take(fault.code, code_of(answer));
  take(fault.delay_ns, span_of("--slow", slow));
  take(fault.skip, number_of("--skip", skip, 0, 0));
  take(fault.every, number_of("--every", every, 1, 1));
  take(fault.times, number_of("--times", times, 0, 1));
  take(fault.chance, chance_of(chance));
  take(fault.seed, number_of("--seed", seed, 0, 1));
  take(fault.from_ns, span_of("--from", from));
  std::uint64_t lasts_ns = 0;
  take(lasts_ns, span_of("--for", span));
  if (!wrong.empty()) return std::unexpected(wrong);
  if (fault.delay_ns > kLongestDelay)
    return std::unexpected("--slow takes at most a day; --hang waits until it is healed");
  if ((slow && fault.delay_ns == 0) || (span && lasts_ns == 0))
    return std::unexpected("--slow and --for take a time that is longer than 0s");
  fault.from_ns += from ? now_ns : 0;
  if (span) fault.until_ns = (from ? fault.from_ns : now_ns) + lasts_ns;
  if (const auto named = put("call", words[1], fault.function); !named) return std::unexpected(named.error());
  if (!process) return fault;
  if (const auto named = put("--process", *process, fault.process); !named) return std::unexpected(named.error());
  return fault;
}

std::expected<HealFunctions, std::string> read_heal(const std::vector<std::string>& words, std::uint32_t gpu) {
  HealFunctions heal{};
  heal.gpu = gpu;
  if (words.size() > 2) return std::unexpected(fmt::format("{}: call takes no third word", in_quotes(words[2])));
  if (words.size() < 2) return heal;
  if (const auto named = put("call", words[1], heal.function); !named) return std::unexpected(named.error());
  return heal;
}

std::string describe(const FunctionFault& fault) {
  return fmt::format("call {}{}", fault.function, option_text(fault));
}

}  // namespace nvmlab::tool
