// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/device_runtime.hpp"

namespace nvmlab::kernels {
namespace {

// A launch lies in the heap of its module, as kernels/run/launched.hpp reads it: 64 bytes that say what is launched,
// and its parameters. What was launched stands in a list that is emptied when the grid has ended. Streams of kernels
// need no state, since what they hold runs one after the other; 3 is the one for what comes after all else, which is
// refused. Codes are those of the runtime: 69, too many launches, and 801.
constexpr std::string_view kDeviceLaunches = R"(.version 6.0
.target sm_60
.address_size 64

.visible .global .align 8 .b64 __nvmlab_launched;
.global .align 4 .b32 __nvmlab_launch_error;
.extern .func (.param .b64 address) malloc(.param .b64 bytes);

.visible .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2(.param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared)
{
  .reg .b32 %word;
  .reg .b64 %at, %kernel;
  .reg .pred %full;
  { .param .b64 bytes; .param .b64 address;
    st.param.b64 [bytes], 4160;
    call (address), malloc, (bytes);
    ld.param.b64 %at, [address]; }
  setp.eq.u64 %full, %at, 0;
  @%full st.global.u32 [__nvmlab_launch_error], 69;
  @%full bra end;
  ld.param.u64 %kernel, [kernel];
  st.u64 [%at+8], %kernel;
  ld.param.u32 %word, [grid];
  st.u32 [%at+16], %word;
  ld.param.u32 %word, [grid+4];
  st.u32 [%at+20], %word;
  ld.param.u32 %word, [grid+8];
  st.u32 [%at+24], %word;
  ld.param.u32 %word, [block];
  st.u32 [%at+28], %word;
  ld.param.u32 %word, [block+4];
  st.u32 [%at+32], %word;
  ld.param.u32 %word, [block+8];
  st.u32 [%at+36], %word;
  ld.param.u32 %word, [shared];
  st.u32 [%at+40], %word;
  add.u64 %at, %at, 64;
end:
  st.param.b64 [buffer], %at;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream)
{
  .reg .b32 %code;
  .reg .b64 %at, %stream, %list, %before;
  .reg .pred %last;
  mov.u32 %code, 801;
  ld.param.u64 %stream, [stream];
  setp.eq.u64 %last, %stream, 3;
  @%last st.global.u32 [__nvmlab_launch_error], %code;
  @%last bra end;
  ld.param.u64 %at, [buffer];
  sub.u64 %at, %at, 64;
  mov.u64 %list, __nvmlab_launched;
  atom.global.exch.b64 %before, [%list], %at;
  st.u64 [%at], %before;
  mov.u32 %code, 0;
end:
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2StreamCreateWithFlags(.param .b64 stream, .param .b32 flags)
{
  .reg .b64 %at;
  ld.param.u64 %at, [stream];
  st.u64 [%at], 16;
  st.param.b32 [code], 0;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2StreamDestroy(.param .b64 stream)
{
  st.param.b32 [code], 0;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2PeekAtLastError()
{
  .reg .b32 %code;
  ld.global.u32 %code, [__nvmlab_launch_error];
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2GetLastError()
{
  .reg .b32 %code;
  .reg .b64 %at;
  mov.u64 %at, __nvmlab_launch_error;
  atom.global.exch.b32 %code, [%at], 0;
  st.param.b32 [code], %code;
  ret;
}
)";

}  // namespace

std::string_view device_launches() { return kDeviceLaunches; }

bool launches(std::string_view text) { return text.find("__cudaCDP2") != std::string_view::npos; }

}  // namespace nvmlab::kernels
