// SPDX-License-Identifier: Apache-2.0
// How two devices reach one another. Tests:
// tests/drivers/cuda/devices_test.cpp.
#include "drivers/cuda/contexts/contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"
#include "engine/topics/topology/path.hpp"

namespace nvmlab::cuda {
namespace {

struct Peers {
  bool linked;  // by NVLink
  bool over_pci;
  bool access() const { return linked || over_pci; }
};

Peers peers(const CudaGpu& a, const CudaGpu& b) {
  const Pci other = consistent(b.slot, [](const Gpu& gpu) { return load(gpu.pci); });
  const LinkCount of_a = consistent(a.slot, [&](const Gpu& gpu) { return count_links(gpu.nvlink, other); });
  const std::uint32_t switched = consistent(b.slot, [](const Gpu& gpu) { return switched_links(gpu.nvlink); });
  const Topology at_a = consistent(a.slot, [](const Gpu& gpu) { return load(gpu.topology); });
  const Topology at_b = consistent(b.slot, [](const Gpu& gpu) { return load(gpu.topology); });
  const Fact<std::uint32_t> own = read_field(a.slot, &Gpu::pci, &Pci::peer_access);
  return {nvlinks_between(of_a, switched) > 0, reach_over_pci(pci_path(at_a, at_b), own, other.peer_access)};
}

// MIG devices reach nobody.
bool whole(const CudaGpu& a, const CudaGpu& b) { return a.device.mig == kWholeGpu && b.device.mig == kWholeGpu; }

template <class Body>
CUresult with_two(CUdevice first, CUdevice second, const Body& body) {
  return with_device(
      first, [&](const CudaGpu& a) { return with_device(second, [&](const CudaGpu& b) { return body(a, b); }); });
}

}  // namespace

namespace hooks {

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  if (canAccessPeer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_two(dev, peerDev, [&](const CudaGpu& a, const CudaGpu& b) {
    *canAccessPeer = dev != peerDev && whole(a, b) && peers(a, b).access() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
  constexpr int kPerformanceRank = 1;
  constexpr int kNativeAtomics = 3;
  constexpr int kSomeAtomics = 5;
  if (value == nullptr || attrib < kPerformanceRank || attrib > kSomeAtomics) return CUDA_ERROR_INVALID_VALUE;
  if (srcDevice == dstDevice) return CUDA_ERROR_INVALID_DEVICE;
  return with_two(srcDevice, dstDevice, [&](const CudaGpu& a, const CudaGpu& b) {
    const Peers found = whole(a, b) ? peers(a, b) : Peers{false, false};
    switch (attrib) {
      case kPerformanceRank:
        *value = found.linked ? 0 : 1;  // 0 is the fastest
        break;
      case kNativeAtomics:
        *value = found.linked ? 1 : 0;
        break;
      case kSomeAtomics:
        *value = 0;
        break;
      default:  // access to memory, and to arrays
        *value = found.access() ? 1 : 0;
    }
    return CUDA_SUCCESS;
  });
}

// Addresses are those of the host, so what may be reached is reached; only what cannot be is refused.
CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const Context* peer = find_context(peerContext);
  if (peer == nullptr) return no_context(peerContext);
  if (peer->device == guard.context().device) return CUDA_ERROR_INVALID_DEVICE;
  int can = 0;
  cuDeviceCanAccessPeer(&can, static_cast<CUdevice>(guard.context().device), static_cast<CUdevice>(peer->device));
  if (can == 0) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  std::uint64_t& word = guard.context().peers[peer->device / 64];
  const std::uint64_t bit = std::uint64_t{1} << (peer->device % 64);
  if ((word & bit) != 0) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  word |= bit;
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const Context* peer = find_context(peerContext);
  if (peer == nullptr) return no_context(peerContext);
  std::uint64_t& word = guard.context().peers[peer->device / 64];
  const std::uint64_t bit = std::uint64_t{1} << (peer->device % 64);
  if ((word & bit) == 0) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  word &= ~bit;
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
