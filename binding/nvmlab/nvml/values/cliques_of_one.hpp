// SPDX-License-Identifier: Apache-2.0
// A GPU's cliques as layouts before nvmlGpuFabricInfo_v4_t tell them: by one id. A GPU that is registered is in the
// clique of it by both kinds of pointers, which is what newer drivers list for the same board; what stands there before
// is no id. Covered by tests/binding/values_hand_test.cpp and tests/binding/drivers_test.cpp.
#pragma once

#include <vector>

#include "nvmlab/nvml/generated/values_fabric.hpp"

namespace nvml::inline v1::detail {

template <class C>
void cliques_of_one(const C& c, std::vector<FabricClique>& cliques) {
  cliques.clear();
  if (c.state != abi::GPU_FABRIC_STATE_COMPLETED || c.status != abi::NVML_SUCCESS) return;
  cliques.assign({{FabricCliqueType::unicast_pointer, c.cliqueId}, {FabricCliqueType::multicast_pointer, c.cliqueId}});
}

}  // namespace nvml::inline v1::detail
