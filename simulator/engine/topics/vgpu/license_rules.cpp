// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/license_rules.hpp"

namespace nvmlab {

// The civil calendar, counted from 1 March of the year 0, so that leap days come last.
LicenseEnd license_end(const Fact<std::uint32_t>& known, const Fact<std::uint64_t>& end) {
  LicenseEnd result{known.value_or(kLicenseEndUnknown), 0, 0, 0, 0, 0, 0};
  if (result.status != kLicenseEndValid) return result;
  const std::uint64_t seconds = end.value_or(0);
  constexpr std::uint64_t per_day = 86400;
  constexpr std::uint64_t days_to_1970 = 719468;
  const std::uint64_t latest = per_day * 1'000'000;  // what a year of four digits never reaches is cut off
  const std::uint64_t bounded = seconds < latest ? seconds : latest;
  const std::uint64_t days = bounded / per_day + days_to_1970;
  const std::uint64_t era = days / 146097;
  const std::uint64_t day_of_era = days % 146097;
  const std::uint64_t year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
  const std::uint64_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::uint64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const std::uint64_t rest = bounded % per_day;
  return {result.status,
          static_cast<std::uint32_t>(year + era * 400 + (month <= 2 ? 1 : 0)),
          static_cast<std::uint32_t>(month),
          static_cast<std::uint32_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1),
          static_cast<std::uint32_t>(rest / 3600),
          static_cast<std::uint32_t>(rest / 60 % 60),
          static_cast<std::uint32_t>(rest % 60)};
}

}  // namespace nvmlab
