// SPDX-License-Identifier: Apache-2.0
#include "engine/store/replicate.hpp"

namespace nvmlab {

void Replicator::list(const Gpu& gpu) {
  const Identity& identity = gpu.identity;
  const auto take = [](const auto& fact, Span* span, auto number) {
    if (fact.has_value()) span->take(number);
  };
  take(identity.serial, &serials_, number_of(identity.serial));
  take(identity.minor_number, &minors_, identity.minor_number.value);
  take(identity.module_id, &modules_, identity.module_id.value);
  take(gpu.fabric.platform_module_id, &platform_modules_, gpu.fabric.platform_module_id.value);
  take(gpu.fabric.gpu_fabric_guid, &guids_, number_of(gpu.fabric.gpu_fabric_guid));
  list_bus(gpu.pci);
  ++listed_;
}

void Replicator::list_bus(const Pci& pci) {
  const PciBus bus{pci.domain.value_or(0), pci.bus.value_or(0)};
  const std::uint32_t device = pci.device.value_or(0);
  domains_.take(bus.domain);
  if (listed_ > 0 && (device != device_ || bus != bus_behind(last_bus_, 1))) one_run_ = false;
  last_bus_ = bus;
  device_ = device;
}

// GPUs on one bus after the other go on so. Where they have places of their own, as on a baseboard, each round of them
// sits at the same places of other domains.
void Replicator::move_bus(std::uint32_t round, Pci* pci) const {
  if (!pci->bus.has_value()) return;
  const PciBus listed{pci->domain.value_or(0), pci->bus.value};
  const PciBus bus = one_run_ ? bus_behind(listed, round * listed_)
                              : PciBus{listed.domain + round * static_cast<std::uint32_t>(domains_.step()), listed.bus};
  pci->domain.set(bus.domain);
  pci->bus.set(bus.bus);
}

void Replicator::rename(std::uint32_t index, Gpu* gpu) const {
  if (listed_ == 0) return;
  const std::uint32_t round = index / listed_;
  Identity& identity = gpu->identity;
  if (identity.uuid.has_value()) derive_uuid(machine_, index, &identity.uuid);
  if (identity.pdi.has_value()) identity.pdi.set(derive_pdi(machine_, index));
  count_up(&identity.serial, round * serials_.step());
  count_up(&identity.minor_number, round * minors_.step());
  count_up(&identity.module_id, round * modules_.step());
  count_up(&gpu->fabric.platform_module_id, round * platform_modules_.step());
  count_up(&gpu->fabric.gpu_fabric_guid, round * guids_.step());
  move_bus(round, &gpu->pci);
  for (auto& each : gpu->instances.compute_instances)
    each.uuid = {};  // of its own GPU's, they follow from that
}

}  // namespace nvmlab
