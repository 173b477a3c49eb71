// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/device_runtime.hpp"

namespace nvmlab::kernels {
namespace {

// Copies and fills by kernels are launches of kernels like any others, so they come in the order of their stream.
constexpr std::string_view kDeviceCopies = R"(.version 6.0
.target sm_60
.address_size 64

.extern .func (.param .b64 address) malloc(.param .b64 bytes);
.extern .func free(.param .b64 address);
.extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2(.param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 code) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);

.visible .entry __nvmlab_copy(.param .u64 to, .param .u64 from, .param .u64 bytes)
{
  .reg .b32 %x;
  .reg .b64 %to, %from, %bytes, %at, %in;
  .reg .pred %end;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %bytes, [bytes];
  mov.u32 %x, %tid.x;
  cvt.u64.u32 %at, %x;
again:
  setp.ge.u64 %end, %at, %bytes;
  @%end ret;
  add.u64 %in, %from, %at;
  ld.u8 %x, [%in];
  add.u64 %in, %to, %at;
  st.u8 [%in], %x;
  add.u64 %at, %at, 256;
  bra again;
}

.visible .entry __nvmlab_fill(.param .u64 to, .param .u64 value, .param .u64 bytes)
{
  .reg .b32 %x, %value;
  .reg .b64 %to, %bytes, %at, %in;
  .reg .pred %end;
  ld.param.u64 %to, [to];
  ld.param.u32 %value, [value];
  ld.param.u64 %bytes, [bytes];
  mov.u32 %x, %tid.x;
  cvt.u64.u32 %at, %x;
again:
  setp.ge.u64 %end, %at, %bytes;
  @%end ret;
  add.u64 %in, %to, %at;
  st.u8 [%in], %value;
  add.u64 %at, %at, 256;
  bra again;
}

.func (.param .b32 code) __nvmlab_launch(.param .b64 kernel, .param .b64 first, .param .b64 second, .param .b64 third, .param .b64 stream)
{
  .reg .b32 %code;
  .reg .b64 %kernel, %word, %at;
  .reg .pred %full;
  mov.u32 %code, 69;
  ld.param.u64 %kernel, [kernel];
  { .param .b64 of; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 shared; .param .b64 buffer;
    st.param.b64 [of], %kernel;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 256; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [shared], 0;
    call (buffer), __cudaCDP2GetParameterBufferV2, (of, grid, block, shared);
    ld.param.b64 %at, [buffer]; }
  setp.eq.u64 %full, %at, 0;
  @%full bra end;
  ld.param.u64 %word, [first];
  st.u64 [%at], %word;
  ld.param.u64 %word, [second];
  st.u64 [%at+8], %word;
  ld.param.u64 %word, [third];
  st.u64 [%at+16], %word;
  ld.param.u64 %word, [stream];
  { .param .b64 buffer; .param .b64 in; .param .b32 result;
    st.param.b64 [buffer], %at;
    st.param.b64 [in], %word;
    call (result), __cudaCDP2LaunchDeviceV2, (buffer, in);
    ld.param.b32 %code, [result]; }
end:
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream)
{
  .reg .b32 %code;
  .reg .b64 %kernel, %a, %b, %c, %d;
  mov.u64 %kernel, __nvmlab_copy;
  ld.param.u64 %a, [to];
  ld.param.u64 %b, [from];
  ld.param.u64 %c, [bytes];
  ld.param.u64 %d, [stream];
  { .param .b64 of; .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b32 result;
    st.param.b64 [of], %kernel;
    st.param.b64 [a], %a;
    st.param.b64 [b], %b;
    st.param.b64 [c], %c;
    st.param.b64 [d], %d;
    call (result), __nvmlab_launch, (of, a, b, c, d);
    ld.param.b32 %code, [result]; }
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2MemsetAsync(.param .b64 to, .param .b32 value, .param .b64 bytes, .param .b64 stream)
{
  .reg .b32 %code;
  .reg .b64 %kernel, %a, %b, %c, %d;
  mov.u64 %kernel, __nvmlab_fill;
  .reg .b32 %value;
  ld.param.u64 %a, [to];
  ld.param.u32 %value, [value];
  cvt.u64.u32 %b, %value;
  ld.param.u64 %c, [bytes];
  ld.param.u64 %d, [stream];
  { .param .b64 of; .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b32 result;
    st.param.b64 [of], %kernel;
    st.param.b64 [a], %a;
    st.param.b64 [b], %b;
    st.param.b64 [c], %c;
    st.param.b64 [d], %d;
    call (result), __nvmlab_launch, (of, a, b, c, d);
    ld.param.b32 %code, [result]; }
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2Malloc(.param .b64 to, .param .b64 size)
{
  .reg .b32 %code;
  .reg .b64 %at, %to;
  .reg .pred %full;
  ld.param.u64 %at, [size];
  { .param .b64 bytes; .param .b64 address;
    st.param.b64 [bytes], %at;
    call (address), malloc, (bytes);
    ld.param.b64 %at, [address]; }
  setp.eq.u64 %full, %at, 0;
  selp.u32 %code, 2, 0, %full;
  ld.param.u64 %to, [to];
  @!%full st.u64 [%to], %at;
  st.param.b32 [code], %code;
  ret;
}

.visible .func (.param .b32 code) __cudaCDP2Free(.param .b64 memory)
{
  .reg .b64 %at;
  ld.param.u64 %at, [memory];
  { .param .b64 address;
    st.param.b64 [address], %at;
    call free, (address); }
  st.param.b32 [code], 0;
  ret;
}

.global .align 1 .b8 __nvmlab_no_error[9] = {110, 111, 32, 101, 114, 114, 111, 114, 0};
.global .align 1 .b8 __nvmlab_many[30] = {116, 111, 111, 32, 109, 97, 110, 121, 32, 108, 97, 117, 110, 99, 104, 101, 115, 32, 98, 121, 32, 97, 32, 107, 101, 114, 110, 101, 108, 0};
.global .align 1 .b8 __nvmlab_memory[14] = {111, 117, 116, 32, 111, 102, 32, 109, 101, 109, 111, 114, 121, 0};
.global .align 1 .b8 __nvmlab_unsupported[24] = {111, 112, 101, 114, 97, 116, 105, 111, 110, 32, 110, 111, 116, 32, 115, 117, 112, 112, 111, 114, 116, 101, 100, 0};
.global .align 1 .b8 __nvmlab_other[14] = {97, 110, 111, 116, 104, 101, 114, 32, 101, 114, 114, 111, 114, 0};
.global .align 1 .b8 __nvmlab_cudaSuccess[12] = {99, 117, 100, 97, 83, 117, 99, 99, 101, 115, 115, 0};
.global .align 1 .b8 __nvmlab_cudaMany[36] = {99, 117, 100, 97, 69, 114, 114, 111, 114, 76, 97, 117, 110, 99, 104, 80, 101, 110, 100, 105, 110, 103, 67, 111, 117, 110, 116, 69, 120, 99, 101, 101, 100, 101, 100, 0};
.global .align 1 .b8 __nvmlab_cudaMemory[26] = {99, 117, 100, 97, 69, 114, 114, 111, 114, 77, 101, 109, 111, 114, 121, 65, 108, 108, 111, 99, 97, 116, 105, 111, 110, 0};
.global .align 1 .b8 __nvmlab_cudaUnsupported[22] = {99, 117, 100, 97, 69, 114, 114, 111, 114, 78, 111, 116, 83, 117, 112, 112, 111, 114, 116, 101, 100, 0};
.global .align 1 .b8 __nvmlab_cudaOther[17] = {99, 117, 100, 97, 69, 114, 114, 111, 114, 85, 110, 107, 110, 111, 119, 110, 0};

.visible .func (.param .b64 text) __cudaCDP2GetErrorString(.param .b32 code)
{
  .reg .b32 %code;
  .reg .b64 %at;
  .reg .pred %is;
  ld.param.u32 %code, [code];
  mov.u64 %at, __nvmlab_other;
  setp.eq.u32 %is, %code, 0;
  @%is mov.u64 %at, __nvmlab_no_error;
  setp.eq.u32 %is, %code, 69;
  @%is mov.u64 %at, __nvmlab_many;
  setp.eq.u32 %is, %code, 2;
  @%is mov.u64 %at, __nvmlab_memory;
  setp.eq.u32 %is, %code, 801;
  @%is mov.u64 %at, __nvmlab_unsupported;
  cvta.global.u64 %at, %at;
  st.param.b64 [text], %at;
  ret;
}

.visible .func (.param .b64 text) __cudaCDP2GetErrorName(.param .b32 code)
{
  .reg .b32 %code;
  .reg .b64 %at;
  .reg .pred %is;
  ld.param.u32 %code, [code];
  mov.u64 %at, __nvmlab_cudaOther;
  setp.eq.u32 %is, %code, 0;
  @%is mov.u64 %at, __nvmlab_cudaSuccess;
  setp.eq.u32 %is, %code, 69;
  @%is mov.u64 %at, __nvmlab_cudaMany;
  setp.eq.u32 %is, %code, 2;
  @%is mov.u64 %at, __nvmlab_cudaMemory;
  setp.eq.u32 %is, %code, 801;
  @%is mov.u64 %at, __nvmlab_cudaUnsupported;
  cvta.global.u64 %at, %at;
  st.param.b64 [text], %at;
  ret;
}
)";

}  // namespace

std::string_view device_copies() { return kDeviceCopies; }

}  // namespace nvmlab::kernels
