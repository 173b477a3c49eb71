// SPDX-License-Identifier: Apache-2.0
// An error in words for people, and what to do about it.
#include "nvmlab/loader/advice.hpp"

#include <algorithm>
#include <span>

#include "nvmlab/loader/error.hpp"

namespace nvml::inline v1 {
namespace {

std::string named(const FailedDevice& device) {
  std::string text = device.mig ? "MIG device" : "GPU";
  if (device.index) text.append(" ").append(std::to_string(*device.index));
  if (!device.name.empty()) text.append(" (").append(device.name).append(")");
  return text;
}

std::string named(const FailedItem& item) {
  std::string text = item.kind;
  text.append(" ").append(*item.name != '\0' ? std::string{item.name} : std::to_string(item.id));
  if (item.scope != 0) text.append(", scope ").append(std::to_string(item.scope));
  return text;
}

// "470.256"; of the first release of a branch its number alone.
std::string release_text(std::uint32_t release) {
  const std::string branch = std::to_string(release >> 16);
  return (release & 0xFFFF) == 0 ? branch : branch + "." + std::to_string(release & 0xFFFF);
}

// "needs driver 535 or newer; this is driver 470.256", as far as both are known.
std::string needed(std::uint32_t driver, std::uint32_t present) {
  std::string text;
  if (driver != 0) text = "needs driver " + release_text(driver) + " or newer";
  if (present != 0) text.append(text.empty() ? "this is driver " : "; this is driver ").append(release_text(present));
  return text;
}

std::string named(const Shortage& shortage) {
  const std::string needed = shortage.needed == 0 ? "more" : std::to_string(shortage.needed);
  return "room was for " + std::to_string(shortage.offered) + ", " + needed + (needed == "1" ? " is" : " are") +
         " needed";
}

std::string_view reason_of(std::size_t function, abi::nvmlReturn_t code) {
  const std::span all{detail::reasons, detail::reason_count};
  const auto found = std::ranges::find_if(
      all, [&](const detail::Reason& each) { return each.function == function && each.code == code; });
  return found == all.end() ? std::string_view{} : found->text;
}

std::string_view remedy_of(abi::nvmlReturn_t code) {
  const std::span all{detail::remedies, detail::remedy_count};
  const auto found = std::ranges::find(all, code, &detail::Remedy::code);
  return found == all.end() ? std::string_view{} : found->text;
}

void add(std::string& text, std::string_view sentence) {
  if (!sentence.empty()) text.append(text.empty() ? "" : "; ").append(sentence);
}

}  // namespace

std::uint32_t detail::first_driver(const FailedItem& item) noexcept {
  const std::string_view kind = item.kind == nullptr ? "" : item.kind;
  std::span<const YoungIds> ids;
  if (kind == "field") ids = {young_fields, young_field_count};
  if (kind == "metric") ids = {young_metrics, young_metric_count};
  const auto found = std::ranges::lower_bound(ids, item.id, {}, &YoungIds::last);
  return found != ids.end() && found->first <= item.id ? found->driver : 0;
}

std::string Error::advice() const {
  const auto code = static_cast<abi::nvmlReturn_t>(code_);
  const std::size_t function = detail::index_of(this->function());
  std::string text;
  if (origin_ == Origin::fork) return "open a library in this process";
  if (origin_ == Origin::binding) return text;
  if (function < detail::kFunctionCount) {
    const detail::FunctionFacts& facts = detail::function_facts[function];
    if (origin_ == Origin::symbol) add(text, needed(facts.driver, driver_));
    add(text, reason_of(function, code));
    if (code == abi::NVML_ERROR_NOT_SUPPORTED && item_.kind == nullptr && *facts.boards != '\0')
      add(text, std::string{"it is documented for "} + facts.boards);
  }
  // A driver says of what it does not know yet that it is not supported, or no such thing.
  const bool unknown = code == abi::NVML_ERROR_NOT_SUPPORTED || code == abi::NVML_ERROR_INVALID_ARGUMENT;
  if (const std::uint32_t first = detail::first_driver(item_); unknown && driver_ != 0 && driver_ < first)
    add(text, needed(first, driver_));
  if (origin_ != Origin::symbol) add(text, remedy_of(code));
  return text;
}

std::string Error::message() const {
  std::string text = summary();
  if (device_) text.append(", ").append(named(*device_));
  if (item_.kind != nullptr) text.append(", ").append(named(item_));
  if (!detail().empty()) text.append("\n").append(detail());
  if (short_) text.append("\n").append(named(shortage_));
  if (const std::string help = advice(); !help.empty()) text.append("\n").append(help);
  return text;
}

}  // namespace nvml::inline v1
