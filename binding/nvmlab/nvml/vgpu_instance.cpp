// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/vgpu_instance.hpp"

#include "nvmlab/nvml/shapes/text.hpp"

namespace nvml::inline v1 {

Result<VmId> VgpuInstance::vm_id() const {
  constexpr unsigned size = abi::DEVICE_UUID_BUFFER_SIZE;
  char room[size] = {};
  abi::nvmlVgpuVmIdType_t type{};
  const auto answer = detail::ask(state(), &Functions::nvmlVgpuInstanceGetVmID, handle(), &room[0], size, &type);
  if (!answer) return unexpected(answer.error());
  return VmId{detail::text_of(room, size), detail::typed_as<VgpuVmIdType>(type)};
}

}  // namespace nvml::inline v1
