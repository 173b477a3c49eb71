// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/device_runtime.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace nvmlab::kernels {
namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::size_t kMember = 60;  // header of a member; its name comes first
constexpr std::size_t kName = 16;
constexpr std::size_t kSizeAt = 48;
constexpr std::size_t kSizeDigits = 10;

// The size that a member's header says, no more than what is left.
std::size_t size_of_member(std::string_view header, std::size_t left) {
  std::uint64_t size = 0;
  const char* const digits = header.data() + kSizeAt;
  std::from_chars(digits, digits + kSizeDigits, size);
  return static_cast<std::size_t>(std::min<std::uint64_t>(size, left));
}

// A handle is the place where a cooperative grid meets, 0 in others. There, behind what programs compiled by NVIDIA's
// compiler use themselves, a number counts the blocks that ever came; a block goes on when all have come as often as
// it. 1 is CUDA's code for an invalid value. GPUs of sm_60 have no nanosleep; nobody but us reads this.
constexpr std::string_view kDeviceRuntime = R"(.version 6.0
.target sm_60
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %low, %high, %scope;
  .reg .b64 %place;
  .reg .pred %other;
  mov.u32 %low, %envreg2;
  mov.u32 %high, %envreg1;
  mov.b64 %place, {%low, %high};
  ld.param.u32 %scope, [scope];
  setp.ne.u32 %other, %scope, 1;
  @%other mov.u64 %place, 0;
  st.param.b64 [handle], %place;
  ret;
}

.visible .func (.param .b32 code) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
  .reg .b32 %x, %y, %z, %code;
  .reg .b64 %place, %blocks, %each, %came, %goal;
  .reg .pred %wrong, %other;
  mov.u32 %code, 1;
  ld.param.u64 %place, [handle];
  setp.eq.u64 %wrong, %place, 0;
  @%wrong bra end;
  bar.sync 0;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %z, %tid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %other, %x, 0;
  @%other bra together;
  mov.u32 %x, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mul.wide.u32 %blocks, %x, %y;
  mov.u32 %z, %nctaid.z;
  cvt.u64.u32 %each, %z;
  mul.lo.u64 %blocks, %blocks, %each;
  membar.gl;
  atom.add.u64 %came, [%place+2048], 1;
  div.u64 %goal, %came, %blocks;
  mad.lo.u64 %goal, %goal, %blocks, %blocks;
again:
  ld.volatile.u64 %came, [%place+2048];
  setp.ge.u64 %other, %came, %goal;
  @%other bra met;
  nanosleep.u32 100;
  bra again;
met:
  membar.gl;
together:
  bar.sync 0;
  mov.u32 %code, 0;
end:
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .b32 %code, %flags;
  .reg .b64 %place;
  ld.param.u64 %place, [handle];
  ld.param.u32 %flags, [flags];
  { .param .b64 of; .param .b32 with; .param .b32 result;
    st.param.b64 [of], %place;
    st.param.b32 [with], %flags;
    call (result), cudaCGSynchronizeGrid, (of, with);
    ld.param.b32 %code, [result]; }
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
  .reg .b32 %number, %each, %code;
  .reg .b64 %place, %to;
  .reg .pred %wrong, %none;
  mov.u32 %code, 1;
  ld.param.u64 %place, [handle];
  setp.eq.u64 %wrong, %place, 0;
  @%wrong bra end;
  mov.u32 %number, %ntid.x;
  mov.u32 %each, %ntid.y;
  mul.lo.u32 %number, %number, %each;
  mov.u32 %each, %ntid.z;
  mul.lo.u32 %number, %number, %each;
  mov.u32 %each, %nctaid.x;
  mul.lo.u32 %number, %number, %each;
  mov.u32 %each, %nctaid.y;
  mul.lo.u32 %number, %number, %each;
  mov.u32 %each, %nctaid.z;
  mul.lo.u32 %number, %number, %each;
  ld.param.u64 %to, [threads];
  setp.eq.u64 %none, %to, 0;
  @!%none st.u32 [%to], %number;
  ld.param.u64 %to, [grids];
  setp.eq.u64 %none, %to, 0;
  mov.u32 %number, 1;
  @!%none st.u32 [%to], %number;
  mov.u32 %code, 0;
end:
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
  .reg .b32 %rank, %size, %each, %code;
  .reg .b64 %place, %to;
  .reg .pred %wrong, %none;
  mov.u32 %code, 1;
  ld.param.u64 %place, [handle];
  setp.eq.u64 %wrong, %place, 0;
  @%wrong bra end;
  mov.u32 %rank, %ctaid.z;
  mov.u32 %size, %nctaid.y;
  mov.u32 %each, %ctaid.y;
  mad.lo.u32 %rank, %rank, %size, %each;
  mov.u32 %size, %nctaid.x;
  mov.u32 %each, %ctaid.x;
  mad.lo.u32 %rank, %rank, %size, %each;
  mov.u32 %size, %ntid.z;
  mov.u32 %each, %tid.z;
  mad.lo.u32 %rank, %rank, %size, %each;
  mov.u32 %size, %ntid.y;
  mov.u32 %each, %tid.y;
  mad.lo.u32 %rank, %rank, %size, %each;
  mov.u32 %size, %ntid.x;
  mov.u32 %each, %tid.x;
  mad.lo.u32 %rank, %rank, %size, %each;
  ld.param.u64 %to, [thread];
  setp.eq.u64 %none, %to, 0;
  @!%none st.u32 [%to], %rank;
  ld.param.u64 %to, [grid];
  setp.eq.u64 %none, %to, 0;
  mov.u32 %rank, 0;
  @!%none st.u32 [%to], %rank;
  mov.u32 %code, 0;
end:
  st.param.b32 [code], %code;
  ret;
}
)";

}  // namespace

bool is_device_runtime(std::string_view archive) {
  constexpr std::string_view kNamed = "device_runtime";
  if (!archive.starts_with(kArchive)) return false;
  archive.remove_prefix(kArchive.size());
  while (archive.size() >= kMember) {
    const std::string_view header = archive.substr(0, kMember);
    archive.remove_prefix(kMember);
    const std::size_t size = size_of_member(header, archive.size());
    const bool long_names = header.starts_with("// ");
    const std::string_view names = long_names ? archive.substr(0, size) : header.substr(0, kName);
    if (names.find(kNamed) != std::string_view::npos) return true;
    archive.remove_prefix(std::min(size + size % 2, archive.size()));
  }
  return false;
}

std::string_view device_runtime() { return kDeviceRuntime; }

}  // namespace nvmlab::kernels
