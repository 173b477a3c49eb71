// SPDX-License-Identifier: Apache-2.0
// Tensor maps: what is refused, and that a map which is changed, by the driver or by a kernel, is the one that would
// have been made so.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

struct alignas(64) Map {
  unsigned char bytes[128] = {};
};
bool operator==(const Map& a, const Map& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

struct Asked {
  int type = 7;  // float
  unsigned rank = 3;
  Pointer address = 0x7F0000000000;
  std::uint64_t sizes[5] = {64, 32, 16, 8, 4};
  std::uint64_t strides[4] = {256, 8192, 131072, 1 << 20};
  unsigned box[5] = {32, 8, 4, 2, 1};
  unsigned steps[5] = {1, 1, 1, 1, 1};
  int interleave = 0;
  int swizzle = 3;  // 128 bytes
  int promotion = 2;
  int fill = 0;
  // Of im2col.
  int lower[3] = {-1, -2, -3};
  int upper[3] = {1, 2, 3};
  unsigned channels = 32;
  unsigned pixels = 1024;
};

int tiled(const Cuda& cuda, const Asked& of, Map* map) {
  using Encode = int(Map*, int, unsigned, Pointer, const std::uint64_t*, const std::uint64_t*, const unsigned*,
                     const unsigned*, int, int, int, int);
  return cuda.call<Encode>("cuTensorMapEncodeTiled", map, of.type, of.rank, of.address, of.sizes, of.strides, of.box,
                           of.steps, of.interleave, of.swizzle, of.promotion, of.fill);
}
int im2col(const Cuda& cuda, const Asked& of, Map* map) {
  using Encode = int(Map*, int, unsigned, Pointer, const std::uint64_t*, const std::uint64_t*, const int*, const int*,
                     unsigned, unsigned, const unsigned*, int, int, int, int);
  return cuda.call<Encode>("cuTensorMapEncodeIm2col", map, of.type, of.rank, of.address, of.sizes, of.strides, of.lower,
                           of.upper, of.channels, of.pixels, of.steps, of.interleave, of.swizzle, of.promotion,
                           of.fill);
}
Asked with(const std::function<void(Asked&)>& change) {
  Asked made;
  change(made);
  return made;
}

constexpr std::uint64_t kOne = 1;

TEST(CudaTensorMaps, AreMadeOfWhatCudaAllows) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}},
                    [](const Cuda& cuda) {
                      Map map;
                      CUDA_STEP(1, kInvalidContext, tiled(cuda, {}, &map));
                      cuda.context();
                      int step = 2;
                      for (const Asked& good :
                           {Asked{}, with([](Asked& of) { of.rank = 5; }), with([](Asked& of) { of.rank = 1; }),
                            with([](Asked& of) { of.sizes[2] = kOne << 32; }),
                            with([](Asked& of) { of.strides[1] = (kOne << 40) - 16; }),
                            with([](Asked& of) { of.swizzle = 6; }), with([](Asked& of) { of.fill = 1; }),
                            with([](Asked& of) { of.interleave = 2, of.swizzle = 1; }),
                            with([](Asked& of) { of.swizzle = 0, of.box[0] = 256; }),
                            with([](Asked& of) { of.type = 14, of.sizes[0] = 128, of.box[0] = of.channels = 128; })})
                        CUDA_STEP(step++, kSuccess, tiled(cuda, good, &map));
                      Asked both;
                      for (both.rank = 3; both.rank <= 5; ++both.rank)
                        CUDA_STEP(step++, kSuccess, im2col(cuda, both, &map));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaTensorMaps, OthersAreRefused) {
  EXPECT_EQ(
      in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}},
              [](const Cuda& cuda) {
                cuda.context();
                Map map;
                const Map untouched;
                int step = 1;
                const auto both = [&](const std::function<void(Asked&)>& change) {
                  const Asked bad = with(change);
                  return tiled(cuda, bad, &map) == kInvalidValue && im2col(cuda, bad, &map) == kInvalidValue &&
                         map == untouched;
                };
                const std::function<void(Asked&)> changes[] = {
                    [](Asked& of) { of.type = 16; },
                    [](Asked& of) { of.type = -1; },
                    [](Asked& of) { of.rank = 0; },
                    [](Asked& of) { of.rank = 6; },
                    [](Asked& of) { of.rank = ~0U; },
                    [](Asked& of) { of.address += 8; },
                    [](Asked& of) { of.sizes[1] = 0; },
                    [](Asked& of) { of.sizes[1] = (kOne << 32) + 1; },
                    [](Asked& of) { of.strides[0] += 8; },
                    [](Asked& of) { of.strides[1] = kOne << 40; },
                    [](Asked& of) { of.steps[1] = 0; },
                    [](Asked& of) { of.steps[1] = 9; },
                    [](Asked& of) { of.interleave = 3; },
                    [](Asked& of) { of.interleave = 2; },  // wants a swizzle of 32 bytes
                    [](Asked& of) { of.interleave = 2, of.swizzle = 1, of.address += 16; },
                    [](Asked& of) { of.interleave = 1, of.rank = 2; },
                    [](Asked& of) { of.swizzle = 7; },
                    [](Asked& of) { of.swizzle = 2; },  // rows of 128 bytes
                    [](Asked& of) { of.promotion = 4; },
                    [](Asked& of) { of.fill = 2; },
                    [](Asked& of) { of.fill = 1, of.type = 2; },  // no NaN among integers
                    [](Asked& of) { of.box[0] = of.channels = 31; },
                    [](Asked& of) { of.box[0] = of.channels = 257, of.swizzle = 0; },
                    [](Asked& of) { of.box[0] = of.channels = 0; },
                    [](Asked& of) { of.type = 14, of.box[0] = of.channels = 128; },  // 64 elements are no group of 128
                };
                for (const auto& change : changes)
                  CUDA_STEP(step++, true, both(change));
                CUDA_STEP(50, kInvalidValue, tiled(cuda, with([](Asked& of) { of.box[2] = 0; }), &map));
                CUDA_STEP(51, kInvalidValue, im2col(cuda, with([](Asked& of) { of.rank = 2; }), &map));
                CUDA_STEP(52, kInvalidValue, im2col(cuda, with([](Asked& of) { of.pixels = 1025; }), &map));
                CUDA_STEP(53, kInvalidValue, im2col(cuda, with([](Asked& of) { of.lower[0] = -32769; }), &map));
                CUDA_STEP(54, kInvalidValue,
                          im2col(cuda, with([](Asked& of) { of.rank = 5, of.upper[2] = 16; }), &map));
                auto* const odd = reinterpret_cast<Map*>(reinterpret_cast<char*>(&map) + 32);
                CUDA_STEP(55, kInvalidValue, tiled(cuda, {}, odd));
                CUDA_STEP(56, kInvalidValue, tiled(cuda, {}, nullptr));
                using Replace = int(Map*, Pointer);
                CUDA_STEP(57, kInvalidValue, cuda.call<Replace>("cuTensorMapReplaceAddress", &map, Pointer{256}));
                return map == untouched ? 0 : 58;
              }),
      "exit 0");
}

TEST(CudaTensorMaps, AreForHopperAndNewer) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "a2-highgpu-1g"}},
                    [](const Cuda& cuda) {
                      cuda.context();
                      Map map;
                      return tiled(cuda, {}, &map) == kNotSupported ? 0 : 1;
                    }),
            "exit 0");
}

// As a kernel of grouped matrix products changes the map that it was given.
TEST(CudaTensorMaps, ThatAreChangedAreThoseThatWouldHaveBeenMade) {
  const char* const text =
      ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry change(.param .u64 map) {\n.reg .b64 %m;\n"
      "ld.param.u64 %m, [map];\ncvta.to.global.u64 %m, %m;\n"
      "tensormap.replace.tile.global_address.global.b1024.b64 [%m], 0x7F0000100000;\n"
      "tensormap.replace.tile.rank.global.b1024.b32 [%m], 1;\n"
      "tensormap.replace.tile.global_dim.global.b1024.b32 [%m], 0, 100;\n"
      "tensormap.replace.tile.global_dim.global.b1024.b32 [%m], 2, 1;\n"
      "tensormap.replace.tile.global_stride.global.b1024.b64 [%m], 0, 512;\n"
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%m], 1, 64;\n"
      "tensormap.replace.tile.element_stride.global.b1024.b32 [%m], 1, 2;\n"
      "tensormap.replace.tile.elemtype.global.b1024.b32 [%m], 0xA;\n"  // bf16
      "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%m], 2;\n"
      "tensormap.replace.tile.fill_mode.global.b1024.b32 [%m], 1;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [%m], 128;\nret;\n}\n";
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}},
                    [text](const Cuda& cuda) {
                      cuda.context();
                      Map map;
                      Map expected;
                      const Pointer moved = 0x7F0000200000;
                      CUDA_STEP(1, kSuccess, tiled(cuda, {}, &map));
                      CUDA_STEP(2, kSuccess, tiled(cuda, with([&](Asked& of) { of.address = moved; }), &expected));
                      CUDA_STEP(3, false, map == expected);
                      CUDA_STEP(4, kSuccess, cuda.call<int(Map*, Pointer)>("cuTensorMapReplaceAddress", &map, moved));
                      CUDA_STEP(5, true, map == expected);
                      CUDA_STEP(6, kInvalidValue,
                                cuda.call<int(Map*, Pointer)>("cuTensorMapReplaceAddress", &map, moved + 8));
                      void* function = kernel(cuda, text, "change");
                      Pointer at = cuda.allocate(sizeof map);
                      cuda.call<CopyTo>("cuMemcpyHtoD_v2", at, &map, sizeof map);
                      void* parameters[] = {&at};
                      CUDA_STEP(7, kSuccess, launch(cuda, function, 1, 1, parameters));
                      CUDA_STEP(8, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &map, at, sizeof map));
                      const Asked other = with([](Asked& of) {
                        of.address = 0x7F0000100000;
                        of.sizes[0] = 100;
                        of.sizes[2] = 1;
                        of.strides[0] = 512;
                        of.box[1] = 64;
                        of.steps[1] = 2;
                        of.type = 9;
                        of.swizzle = 2;
                        of.fill = 1;
                      });
                      CUDA_STEP(9, kSuccess, tiled(cuda, other, &expected));
                      CUDA_STEP(10, 2, expected.bytes[0]);
                      expected.bytes[0] = 1;  // two dimensions: what is behind them is told by nobody
                      return map == expected ? 0 : 11;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
