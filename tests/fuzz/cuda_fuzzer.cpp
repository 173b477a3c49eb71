// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a sequence of CUDA calls: contexts, memory, copies, streams, events, modules, links and launches, and what
// the headers beside this file have (graphs, pools, execution contexts), with handles that came from earlier calls,
// were given back, or never were. Wrong is a crash, a code that CUDA does not
// have, memory of the caller written beyond its end, and contexts that stay when all were given back.
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/cuda_shares.hpp"

namespace nvmlab::fuzz {
namespace {

constexpr std::size_t kHostBytes = 1 << 14;
constexpr const char* kPtx = R"(.version 7.0
.target sm_50
.address_size 64
.global .align 4 .u32 seen;
.extern .shared .align 4 .b32 room[];
.visible .entry fill(.param .u64 p, .param .u32 n) {
  .reg .pred %q;
  .reg .b32 %r<6>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %q, %r5, %r1;
  @%q bra $done;
  mad.wide.u32 %d2, %r5, 4, %d1;
  st.global.u32 [%d2], %r5;
$done:
  ret;
}
.visible .entry trapped() { trap; }
)";

class Session : private CudaShareCalls {
 public:
  void talk(const std::uint8_t* data, std::size_t size) {
    begin(data, size);
    host_.fill('\x5A');
    while (!at_end())
      step();
    end();
  }

 private:
  std::size_t host_size() { return number() % (kHostBytes + 1); }

  void* host() { return host_.data(); }

  void step() {
    const std::uint8_t choice = byte();
    if (choice >= 224) return choice % 8 == 7 ? shared_events() : managed();
    if (choice >= 128) return choice % 4 == 3 ? shares() : graphs();
    switch (choice % 4) {
      case 0:
        return contexts_and_memory();
      case 1:
        return copies();
      case 2:
        return streams_and_events();
      default:
        return kernels();
    }
  }

  void contexts_and_memory() {
    switch (byte() % 9) {
      case 0:
        create_context(slot(contexts_));
        return;
      case 1:
        call<int(void*)>("cuCtxDestroy_v2", slot(contexts_));
        return;
      case 2:
        call<int(void*)>("cuCtxSetCurrent", slot(contexts_));
        return;
      case 3:
        call<int(void*)>("cuCtxPushCurrent_v2", slot(contexts_));
        return;
      case 4:
        call<int(void**)>("cuCtxPopCurrent_v2", &nowhere_);
        return;
      case 5:
        call<int(Address*, std::size_t)>("cuMemAlloc_v2", &memory_[byte() % kSlots], number());
        return;
      case 6:
        call<int(Address)>("cuMemFree_v2", address());
        return;
      case 7: {
        const int limit = byte() % 12;
        call<int(int, std::size_t)>("cuCtxSetLimit", limit, number());
        std::size_t value = 0;
        call<int(std::size_t*, int)>("cuCtxGetLimit", &value, limit);
        return;
      }
      default: {
        Address base = 0;
        std::size_t size = 0;
        call<int(Address*, std::size_t*, Address)>("cuMemGetAddressRange_v2", &base, &size, address());
        call<int()>("cuCtxSynchronize");
      }
    }
  }

  // What is advised and asked of managed memory; each call has room for one more than it tells.
  void managed() {
    struct Place {
      int type;
      int id;
    };
    const Place place{byte() % 8, int{byte() % 12} - 3};
    int told[4] = {};
    switch (byte() % 8) {
      case 6:
        call<int(Address, std::size_t, unsigned char, std::size_t, std::size_t)>("cuMemsetD2D8_v2", address(), number(),
                                                                                 byte(), number(), number());
        return;
      case 7: {
        std::array<std::uint64_t, 14> operation{};  // one box
        for (std::uint64_t& each : operation)
          each = number();
        operation[0] = 2 + byte() % 3;  // an address of nobody's would be one of the host
        operation[5] = 2 + byte() % 3;
        call<int(void*, unsigned long long, void*)>("cuMemcpy3DWithAttributesAsync",
                                                    static_cast<void*>(operation.data()), 0ULL, slot(streams_));
        return;
      }
      case 0:
        call<int(Address*, std::size_t, unsigned)>("cuMemAllocManaged", &memory_[byte() % kSlots], number(),
                                                   1u + byte() % 2);
        return;
      case 1:
        call<int(Address, std::size_t, int, Place)>("cuMemAdvise_v2", address(), number(), byte() % 8, place);
        return;
      case 2:
        call<int(Address, std::size_t, Place, unsigned, void*)>("cuMemPrefetchAsync_v2", address(), number(), place, 0u,
                                                                slot(streams_));
        return;
      case 3:
        call<int(void*, std::size_t, int, Address, std::size_t)>("cuMemRangeGetAttribute", &told, byte() % 4 * 4,
                                                                 byte() % 10, address(), number());
        if (told[3] != 0) wrong("wrote beyond what was asked");
        return;
      case 4: {
        Address which[2] = {address(), address()};
        std::size_t sizes[2] = {number(), number()};
        call<int(Address*, std::size_t*, std::size_t, unsigned long long, void*)>(
            "cuMemDiscardBatchAsync", which, sizes, byte() % 3, 0ULL, slot(streams_));
        return;
      }
      default:
        call<int(void*, Address, std::size_t, unsigned)>("cuStreamAttachMemAsync", slot(streams_), address(), number(),
                                                         unsigned{byte()} % 6);
    }
  }

  void shared_events() {
    std::array<char, 64> ticket{};
    call<int(void*, void*)>("cuIpcGetEventHandle", ticket.data(), slot(events_));
    ticket[byte() % 24] ^= static_cast<char>(byte());
    call<int(void**, std::array<char, 64>)>("cuIpcOpenEventHandle", &slot(events_), ticket);
    void* pool = nullptr;
    call<int(void**, void*, int, unsigned long long)>("cuMemPoolImportFromShareableHandle", &pool,
                                                      reinterpret_cast<void*>(number()), byte() % 3, 0ULL);
    call<int(Address*, void*, void*)>("cuMemPoolImportPointer", &memory_[byte() % kSlots], pool,
                                      static_cast<void*>(ticket.data()));
  }

  void create_context(void*& into) {
    if (into != nullptr) call<int(void*)>("cuCtxDestroy_v2", into);  // or nobody could give it back
    into = nullptr;
    call<int(void**, unsigned, int)>("cuCtxCreate_v2", &into, unsigned{byte()}, int{byte() % 9});
  }

  void copies() {
    switch (byte() % 6) {
      case 0:
        call<int(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2", address(), host(), host_size());
        return;
      case 1:
        call<int(void*, Address, std::size_t)>("cuMemcpyDtoH_v2", host(), address(), host_size());
        return;
      case 2:
        call<int(Address, Address, std::size_t)>("cuMemcpyDtoD_v2", address(), address(), host_size());
        return;
      case 3:
        call<int(Address, unsigned char, std::size_t)>("cuMemsetD8_v2", address(), byte(), host_size());
        return;
      case 4:
        call<int(Address, unsigned, std::size_t)>("cuMemsetD32_v2", address(), unsigned{byte()}, host_size());
        return;
      default:
        call<int(Address, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2", address(), host(), host_size(),
                                                            slot(streams_));
        call<int(void*)>("cuStreamSynchronize", slot(streams_));
    }
  }

  void streams_and_events() {
    switch (byte() % 8) {
      case 0:
        call<int(void**, unsigned)>("cuStreamCreate", &slot(streams_), unsigned{byte()} % 3);
        return;
      case 1:
        call<int(void*)>("cuStreamDestroy_v2", slot(streams_));
        return;
      case 2:
        call<int(void*)>("cuStreamQuery", slot(streams_));
        return;
      case 3:
        call<int(void**, unsigned)>("cuEventCreate", &slot(events_), unsigned{byte()} % 8);
        return;
      case 4:
        call<int(void*)>("cuEventDestroy_v2", slot(events_));
        return;
      case 5:
        call<int(void*, void*)>("cuEventRecord", slot(events_), slot(streams_));
        return;
      case 6:
        call<int(void*, void*, unsigned)>("cuStreamWaitEvent", slot(streams_), slot(events_), 0u);
        return;
      default: {
        float milliseconds = 0;
        call<int(float*, void*, void*)>("cuEventElapsedTime", &milliseconds, slot(events_), slot(events_));
      }
    }
  }

  void kernels() {
    switch (byte() % 8) {
      case 0:
        call<int(void**, const void*)>("cuModuleLoadData", &slot(modules_), kPtx);
        return;
      case 1:
        call<int(void*)>("cuModuleUnload", slot(modules_));
        return;
      case 2:
        call<int(void**, void*, const char*)>("cuModuleGetFunction", &slot(functions_), slot(modules_),
                                              byte() % 4 == 0 ? "trapped" : "fill");
        return;
      case 3:
        call<int(Address*, std::size_t*, void*, const char*)>("cuModuleGetGlobal_v2", &memory_[byte() % kSlots],
                                                              nullptr, slot(modules_), "seen");
        return;
      case 4:
        call<int(unsigned, int*, void**, void**)>("cuLinkCreate_v2", 0u, nullptr, nullptr, &slot(links_));
        return;
      case 5:
        call<int(void*, int, void*, std::size_t, const char*, unsigned, int*, void**)>(
            "cuLinkAddData_v2", slot(links_), int{byte() % 7}, const_cast<char*>(kPtx), std::strlen(kPtx), "it", 0u,
            nullptr, nullptr);
        return;
      case 6: {
        void*& link = slot(links_);
        void* image = nullptr;
        std::size_t size = 0;
        if (call<int(void*, void**, std::size_t*)>("cuLinkComplete", link, &image, &size) == 0)
          call<int(void**, const void*)>("cuModuleLoadData", &slot(modules_), image);
        call<int(void*)>("cuLinkDestroy", link);
        return;
      }
      default:
        launch();
    }
  }

  void launch() {
    Address to = address();
    unsigned count = byte();
    void* parameters[] = {&to, &count};
    unsigned shape[6];
    for (unsigned& each : shape) {
      const std::uint8_t choice = byte();
      each = choice < 128 ? 1 + choice % 40 : choice < 250 ? 1 : static_cast<unsigned>(number());
    }
    // Not more blocks than run in a moment.
    if (std::uint64_t{shape[0]} * shape[1] > 4096 || std::uint64_t{shape[0]} * shape[1] * shape[2] > 4096)
      shape[0] = 0x80000000U;
    using Launch =
        int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    call<Launch>("cuLaunchKernel", slot(functions_), shape[0], shape[1], shape[2], shape[3], shape[4], shape[5],
                 static_cast<unsigned>(number()), slot(streams_), parameters, nullptr);
  }

  void end() {
    destroy_graphs();
    destroy_shares();
    for (void*& each : contexts_) {
      call<int(void*)>("cuCtxDestroy_v2", each);
      each = nullptr;
    }
    void* current = nullptr;
    for (int i = 0; i < 256 && call<int(void**)>("cuCtxPopCurrent_v2", &current) == 0; ++i) {
    }
    for (auto* kind : {&streams_, &events_, &modules_, &functions_, &links_})
      kind->fill(nullptr);
    memory_.fill(0);
    for (const char each : guard_) {
      if (each != 0) wrong("wrote beyond memory of the caller");
    }
  }

  std::array<char, kHostBytes> host_{};
  std::array<char, 256> guard_{};
  Handles modules_{};
  Handles links_{};
};

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setenv("NVMLAB_LOG", "off", 1);
  ::setenv("NVMLAB_KERNEL_TIMEOUT", "1s", 1);
  static nvmlab::fuzz::Session session;
  session.talk(data, size);
  return 0;
}
