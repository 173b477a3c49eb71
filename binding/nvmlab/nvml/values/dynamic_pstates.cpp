// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/dynamic_pstates.hpp"

#include <iterator>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::abi {

static_assert(std::size(nvmlGpuDynamicPstatesInfo_t{}.utilization) ==
              std::tuple_size_v<decltype(GpuDynamicPstatesInfo::domains)>);

void from_c(const nvmlGpuDynamicPstatesInfo_t& c, GpuDynamicPstatesInfo& value) {
  using nvml::detail::from_c;
  value.flags = c.flags;
  for (std::size_t i = 0; i < value.domains.size(); ++i) {
    const auto& from = c.utilization[i];
    std::optional<DomainUtilization>& domain = value.domains[i];
    if (from.bIsPresent != 0) {
      domain = DomainUtilization{Percent{from.percentage}, Percent{from.incThreshold}, Percent{from.decThreshold}};
    } else {
      domain.reset();
    }
  }
}

void to_c(const GpuDynamicPstatesInfo& value, nvmlGpuDynamicPstatesInfo_t& c) {
  using nvml::detail::to_c;
  c = {};
  c.flags = value.flags;
  for (std::size_t i = 0; i < value.domains.size(); ++i) {
    const std::optional<DomainUtilization>& domain = value.domains[i];
    if (!domain) continue;
    auto& to = c.utilization[i];
    to.bIsPresent = 1;
    to_c(domain->utilization, to.percentage);
    to_c(domain->increase_threshold, to.incThreshold);
    to_c(domain->decrease_threshold, to.decThreshold);
  }
}

}  // namespace nvml::abi
