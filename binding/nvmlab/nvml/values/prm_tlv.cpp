// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/prm_tlv.hpp"

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::abi {

void from_c(const nvmlPRMTLV_v1_t& c, PrmTlv& value) {
  value.status = c.status;
  nvml::detail::from_c_counted(c.outData, c.dataSize, value.data);
}

void to_c(const PrmTlv& value, nvmlPRMTLV_v1_t& c) {
  c = {};
  c.status = value.status;
  nvml::detail::to_c_counted(value.data, c.inData, c.dataSize);
}

}  // namespace nvml::abi
