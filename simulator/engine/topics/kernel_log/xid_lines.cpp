// SPDX-License-Identifier: Apache-2.0
// Public logs show registers and addresses in these lines; the lines here have values without a meaning.
#include "engine/topics/kernel_log/xid_lines.hpp"

#include "engine/topics/events/event_types.hpp"
#include "engine/topics/faults/recovery_names.hpp"

namespace nvmlab {
namespace {

struct XidText {
  std::uint16_t number;
  const char* text;
};

constexpr XidText kXidTexts[] = {
    {13, "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address"},
    {31,
     "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f00_00000000. Fault is of "
     "type FAULT_PDE ACCESS_TYPE_VIRT_READ"},
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

// Xids 63 and 64 of boards that remap rows, and of boards that retire pages.
struct RetirementTexts {
  const char* remapping;
  const char* retirement;
};

constexpr RetirementTexts kRetired{
    "Row Remapper: New row marked for remapping, reset gpu to activate.",
    "Dynamic Page Retirement: New retired page, reload the driver to activate. (0x1000)"};
constexpr RetirementTexts kNotRetired{"Row Remapper: Unable to remap the row.",
                                      "Dynamic Page Retirement: Fatal error, unable to retire page (0x1000)"};

const char* text_of_retirement(const RetirementTexts& texts, const XidSubject& subject) {
  return subject.remaps_rows ? texts.remapping : texts.retirement;
}

const char* text_of_xid(std::uint64_t xid, const XidSubject& subject) {
  if (xid == 63) return text_of_retirement(kRetired, subject);
  if (xid == 64) return text_of_retirement(kNotRetired, subject);
  for (const XidText& each : kXidTexts) {
    if (each.number == xid) return each.text;
  }
  return "Ch 00000008";
}

void add_action(TextWriter& line, const char* before, std::uint32_t action) {
  line.add(before);
  line.add_hexadecimal(action, 1);
  line.add(" (");
  line.add(name_of_recovery(action));
  line.add(")");
}

void add_instance(TextWriter& line, const char* before, std::uint32_t instance) {
  if (instance == kNoInstance) return;
  line.add(before);
  line.add(std::uint64_t{instance}, 2);
}

}  // namespace

void write_xid_line(std::uint64_t xid, const XidSubject& subject, TextWriter& line) {
  line.add("NVRM: Xid (PCI:");
  line.add_hexadecimal(subject.address.domain, 4);
  line.add(":");
  line.add_hexadecimal(subject.address.bus, 2);
  line.add(":");
  line.add_hexadecimal(subject.address.device, 2);
  add_instance(line, " GPU-I:", subject.gpu_instance);
  add_instance(line, " GPU-CI:", subject.compute_instance);
  line.add("): ");
  line.add(xid);
  line.add(", pid='<unknown>', name=<unknown>, ");
  if (xid != kRecoveryActionXid) return line.add(text_of_xid(xid, subject));
  add_action(line, "GPU recovery action changed from 0x", subject.action_before);
  add_action(line, " to 0x", subject.action_now);
}

}  // namespace nvmlab
