// SPDX-License-Identifier: Apache-2.0
// Lines as the kernel module writes them. Where public logs show registers and addresses, a line has some that tell
// nothing.
#include <fmt/format.h>

#include "engine/topics/faults/recovery_names.hpp"
#include "command/machine/kernel_log.hpp"

namespace nvmlab::tool {
namespace {

struct XidText {
  std::uint16_t number;
  const char* text;
};

constexpr XidText kTexts[] = {
    {13, "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address"},
    {31,
     "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f00_00000000. Fault is of "
     "type "
     "FAULT_PDE ACCESS_TYPE_VIRT_READ"},
    {43, "Ch 00000008"},
    {45, "Ch 00000008"},
    {48,
     "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 0, subpartition "
     "0."},
    {74, "NVLink: fatal error detected on link 0(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"},
    {79, "GPU has fallen off the bus."},
    {92, "High single-bit ECC error rate"},
    {94, "Contained: FBHUB (0x1,0x0). RST: No, D-RST: No"},
    {95, "Uncontained: FBHUB (0x1,0x0). RST: Yes, D-RST: No"},
    {119,
     "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x0 0x0)."},
    {144, "SAW Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {145, "RLW Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {146, "TLW Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {147, "TREX Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {148, "NVLPW_CTRL Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
    {150, "MSE Fatal XC0 i0 Link 00 (0x00000000 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"},
};

std::string text_of(std::uint64_t xid, const XidSubject& subject) {
  switch (xid) {
    case 63:
      return subject.remaps_rows ? "Row Remapper: New row marked for remapping, reset gpu to activate."
                                 : "Dynamic Page Retirement: New retired page, reload the driver to activate. (0x1000)";
    case 64:
      return subject.remaps_rows ? "Row Remapper: Unable to remap the row."
                                 : "Dynamic Page Retirement: Fatal error, unable to retire page (0x1000)";
    case 154:
      return fmt::format("GPU recovery action changed from 0x{:x} ({}) to 0x{:x} ({})", subject.action_before,
                         name_of_recovery(subject.action_before), subject.action_now,
                         name_of_recovery(subject.action_now));
    default:
      break;
  }
  for (const XidText& each : kTexts) {
    if (each.number == xid) return each.text;
  }
  return "Ch 00000008";
}

}  // namespace

std::string xid_line(std::uint64_t xid, const XidSubject& subject) {
  std::string place =
      fmt::format("PCI:{:04x}:{:02x}:{:02x}", subject.address.domain, subject.address.bus, subject.address.device);
  if (subject.gpu_instance != kNoInstance) place += fmt::format(" GPU-I:{:02}", subject.gpu_instance);
  if (subject.compute_instance != kNoInstance) place += fmt::format(" GPU-CI:{:02}", subject.compute_instance);
  return fmt::format("NVRM: Xid ({}): {}, pid='<unknown>', name=<unknown>, {}", place, xid, text_of(xid, subject));
}

}  // namespace nvmlab::tool
