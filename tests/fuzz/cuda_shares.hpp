// SPDX-License-Identifier: Apache-2.0
//
// Calls about execution contexts, batches, pools and what other processes or APIs would share.
#pragma once

#include <unistd.h>

#include "tests/drivers/cuda/pool_properties.hpp"
#include "tests/drivers/cuda/resources.hpp"
#include "tests/fuzz/cuda_graphs.hpp"

namespace nvmlab::fuzz {

class CudaShareCalls : protected CudaGraphCalls {
 protected:
  void shares() {
    switch (byte() % 8) {
      case 0:
        return make_green();
      case 1:
        return use_green();
      case 2:
        return make_pool();
      case 3:
        return use_pool();
      case 4:
        return export_pool();
      case 5:
        return batch();
      case 6:
        return prefetches();
      default:
        return external();
    }
  }

  void destroy_shares() {
    for (void*& each : green_)
      call<int(void*)>("cuGreenCtxDestroy", each);
    for (void*& each : pools_)
      call<int(void*)>("cuMemPoolDestroy", each);
    for (Handles* each : {&green_, &pools_})
      each->fill(nullptr);
  }

 private:
  void make_green() {
    cuda_test::Resource all;
    cuda_test::Resource parts[3];
    const int device = byte() % 3;
    call<cuda_test::OfDevice>("cuDeviceGetDevResource", device, &all, 1 + byte() % 2);
    unsigned groups = byte() % 3;
    call<cuda_test::SplitEvenly>("cuDevSmResourceSplitByCount", &parts[0], &groups, byte() < 250 ? &all : &parts[1],
                                 &parts[2], byte() % 4U, static_cast<unsigned>(number()));
    if (byte() >= 240) parts[0].own[byte() % sizeof parts[0].own] ^= byte();
    void* descriptor = nullptr;
    if (call<cuda_test::Describe>("cuDevResourceGenerateDesc", &descriptor, &parts[byte() % 2], byte() % 3U) != 0)
      descriptor = nullptr;
    void* made = nullptr;
    if (call<cuda_test::CreateGreen>("cuGreenCtxCreate", &made, descriptor, byte() < 240 ? device : 1, 1U) == 0)
      replace(green_, "cuGreenCtxDestroy", made);
  }
  void use_green() {
    void* const green = slot(green_);
    void* context = nullptr;
    switch (byte() % 6) {
      case 0:
        make<int(void**, void*, unsigned, int)>(streams_, "cuGreenCtxStreamCreate", green, 1U, byte() - 128);
        return;
      case 1:
        if (call<int(void**, void*)>("cuCtxFromGreenCtx", &context, green) == 0)
          call<int(void*)>("cuCtxSetCurrent", context);
        return;
      case 2:
        call<int(void*, void*)>("cuGreenCtxRecordEvent", green, slot(events_));
        return;
      case 3:
        call<int(void*, void*)>("cuGreenCtxWaitEvent", green, slot(events_));
        return;
      case 4: {
        cuda_test::Resource of;
        call<int(void*, void*, int)>("cuGreenCtxGetDevResource", green, static_cast<void*>(&of), byte() % 3);
        return;
      }
      default: {
        void*& given_back = slot(green_);
        if (call<int(void*)>("cuGreenCtxDestroy", given_back) == 0) stale_ = given_back;
        if (byte() % 2 == 0) call<int(void*)>("cuGreenCtxDestroy", stale_);
      }
    }
  }

  void make_pool() {
    cuda_test::PoolProperties asked;
    asked.handles = byte() % 2;
    asked.device = byte() < 240 ? 0 : byte() % 3;
    asked.most = byte() < 200 ? 0 : number();
    void* made = nullptr;
    if (call<int(void**, void*)>("cuMemPoolCreate", &made, static_cast<void*>(&asked)) == 0)
      replace(pools_, "cuMemPoolDestroy", made);
  }
  void use_pool() {
    Address& made = memory_[byte() % kSlots];
    switch (byte() % 5) {
      case 0:
        call<int(Address*, std::size_t, void*, void*)>("cuMemAllocFromPoolAsync", &made, number(), slot(pools_),
                                                       slot(streams_));
        return;
      case 1:
        call<int(Address*, std::size_t, void*)>("cuMemAllocAsync", &made, number(), slot(streams_));
        return;
      case 2:
        call<int(Address, void*)>("cuMemFreeAsync", address(), slot(streams_));
        return;
      case 3:
        call<int(void*, std::size_t)>("cuMemPoolTrimTo", slot(pools_), number());
        return;
      default: {
        unsigned long long value = number();
        call<int(void*, int, void*)>("cuMemPoolSetAttribute", slot(pools_), byte() % 10, static_cast<void*>(&value));
      }
    }
  }
  // Imported where it was made.
  void export_pool() {
    int file = -1;
    void* made = nullptr;
    void* const pool = slot(pools_);
    using Export = int(void*, void*, int, unsigned long long);
    if (call<Export>("cuMemPoolExportToShareableHandle", &file, pool, 1 + byte() % 2, 0ULL) == 0) {
      auto* const handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(file));
      if (call<int(void**, void*, int, unsigned long long)>("cuMemPoolImportFromShareableHandle", &made, handle, 1,
                                                            0ULL) == 0)
        replace(pools_, "cuMemPoolDestroy", made);
      ::close(file);
    }
    std::array<char, 64> ticket{};
    call<int(void*, Address)>("cuMemPoolExportPointer", ticket.data(), address());
    if (byte() >= 128) ticket[byte() % 48] ^= static_cast<char>(byte());
    call<int(Address*, void*, void*)>("cuMemPoolImportPointer", &memory_[byte() % kSlots],
                                      made != nullptr ? made : slot(pools_), static_cast<void*>(ticket.data()));
  }

  // Between memory of the host: what was freed would be that, too.
  void batch() {
    struct {
      int order;
      int hints[4];
      unsigned flags;
    } attributes{byte() % 5, {byte() % 4, byte() % 3, byte() % 4, byte() % 3}, byte() % 3U};
    const auto place = [this](std::size_t at) { return reinterpret_cast<Address>(pages_.data() + at); };
    Address to[] = {place(0), place(1000)};
    Address from[] = {place(2000), place(3000)};
    std::size_t sizes[] = {number() % 1000, number() % 1000};
    std::size_t first[] = {byte() % 3U, byte() % 3U};
    using Batch =
        int(Address*, Address*, std::size_t*, std::size_t, void*, std::size_t*, std::size_t, std::size_t*, void*);
    std::size_t failed = 0;
    call<Batch>("cuMemcpyBatchAsync", to, from, sizes, std::size_t{byte()} % 3, static_cast<void*>(&attributes), first,
                std::size_t{byte()} % 2, &failed, slot(streams_));
  }
  void prefetches() {
    struct {
      int type;
      int id;
    } places[2] = {{byte() % 8, byte() % 4 - 1}, {byte() % 8, byte() % 4 - 1}};
    Address which[] = {address(), address()};
    std::size_t sizes[] = {number(), number()};
    std::size_t first[] = {byte() % 3U, byte() % 3U};
    using Prefetch =
        int(Address*, std::size_t*, std::size_t, void*, std::size_t*, std::size_t, unsigned long long, void*);
    call<Prefetch>("cuMemPrefetchBatchAsync", which, sizes, std::size_t{byte()} % 3, static_cast<void*>(places), first,
                   std::size_t{byte()} % 3, 0ULL, slot(streams_));
  }

  // Refused, and nothing is written or read.
  void external() {
    constexpr int kNotSupported = 801;
    static constexpr const char* kNames[] = {"cuImportExternalMemory", "cuImportExternalSemaphore",
                                             "cuExternalMemoryGetMappedBuffer", "cuDestroyExternalMemory",
                                             "cuGraphAddExternalSemaphoresSignalNode"};
    void* made = nullptr;
    const char* const name = kNames[byte() % 5];
    const auto any = [this] { return reinterpret_cast<void*>(number()); };
    if (call<int(void**, void*, void*, std::size_t, void*)>(name, &made, any(), any(), number(), any()) !=
            kNotSupported ||
        made != nullptr)
      wrong(std::string(name) + " is not refused");
  }

  Handles green_{};
  Handles pools_{};
  void* stale_ = nullptr;
  std::array<char, 4000> pages_{};
};

}  // namespace nvmlab::fuzz
