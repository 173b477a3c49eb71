// SPDX-License-Identifier: Apache-2.0
// Arrays through libcudart: what libcuda's own functions tell of them is the oracle.
#include <gtest/gtest.h>

#include "tests/drivers/cudart/arrays.hpp"

namespace nvmlab::cudart_test {
namespace {

class CudartArrays : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, CudartArrays, testing::Values(12, 13));

TEST_P(CudartArrays, AreThoseOfTheDriver) {
  EXPECT_EQ(
      in_runtime(GetParam(),
                 [](const Cudart& runtime) {
                   const cuda_test::Cuda driver;
                   struct Row {
                     Channels channels;
                     int format;
                     unsigned count;
                   };
                   for (const Row& row : {Row{{8, 0, 0, 0, 1}, 0x01, 1}, Row{{16, 16, 0, 0, 1}, 0x02, 2},
                                          Row{{32, 32, 32, 32, 1}, 0x03, 4}, Row{{8, 8, 8, 8, 0}, 0x08, 4},
                                          Row{{16, 0, 0, 0, 0}, 0x09, 1}, Row{{32, 32, 0, 0, 0}, 0x0a, 2},
                                          Row{{16, 16, 16, 16, 2}, 0x10, 4}, Row{kFloats, 0x20, 1}}) {
                     void* array = nullptr;
                     CUDA_STEP(1, kSuccess,
                               runtime.call<Make3D>("cudaMalloc3DArray", &array, &row.channels, Extent{4, 4, 2}, 0U));
                     Described told{};
                     CUDA_STEP(2, kSuccess, driver.call<Describe>("cuArray3DGetDescriptor_v2", &told, array));
                     CUDA_STEP(3, true, told.format == row.format && told.channels == row.count);
                     CUDA_STEP(4, true, told.of.width == 4 && told.of.height == 4 && told.of.depth == 2);
                     Channels channels{};
                     Extent extent{};
                     unsigned flags = 9;
                     using Info = int(Channels*, Extent*, unsigned*, void*);
                     CUDA_STEP(5, kSuccess, runtime.call<Info>("cudaArrayGetInfo", &channels, &extent, &flags, array));
                     CUDA_STEP(6, 0, std::memcmp(&channels, &row.channels, sizeof channels));
                     CUDA_STEP(7, true, extent.depth == 2 && flags == 0);
                     CUDA_STEP(8, kSuccess, runtime.call<int(void*)>("cudaFreeArray", array));
                     CUDA_STEP(9, kInvalidHandle, runtime.call<int(void*)>("cudaFreeArray", array));
                   }
                   CUDA_STEP(10, kSuccess, runtime.call<int(void*)>("cudaFreeArray", nullptr));
                   return 0;
                 }),
      "exit 0");
}

TEST_P(CudartArrays, OfWrongChannelsAreRefused) {
  EXPECT_EQ(
      in_runtime(
          GetParam(),
          [](const Cudart& runtime) {
            void* array = &array;
            for (const Channels& wrong : {Channels{}, Channels{8, 8, 8, 0, 1}, Channels{8, 16, 0, 0, 1},
                                          Channels{32, 0, 32, 0, 2}, Channels{8, 0, 0, 0, 2}, Channels{24, 0, 0, 0, 0},
                                          Channels{8, 0, 0, 0, 99}, Channels{-8, -8, -8, -8, -1}}) {
              CUDA_STEP(1, kInvalidChannels, runtime.call<MakeArray>("cudaMallocArray", &array, &wrong, 8UL, 8UL, 0U));
              CUDA_STEP(2, true, array == nullptr);
            }
            CUDA_STEP(3, kInvalidValue, runtime.call<MakeArray>("cudaMallocArray", &array, nullptr, 8UL, 8UL, 0U));
            CUDA_STEP(4, kInvalidValue, runtime.call<MakeArray>("cudaMallocArray", &array, &kFloats, 0UL, 8UL, 0U));
            CUDA_STEP(5, kInvalidValue, runtime.call<MakeArray>("cudaMallocArray", &array, &kFloats, ~0UL, 8UL, 0U));
            return 0;
          }),
      "exit 0");
}

TEST_P(CudartArrays, MipmapsHaveLevels) {
  EXPECT_EQ(
      in_runtime(GetParam(),
                 [](const Cudart& runtime) {
                   void* mipmap = nullptr;
                   void* level = nullptr;
                   using Make = int(void**, const Channels*, Extent, unsigned, unsigned);
                   using Level = int(void**, void*, unsigned);
                   CUDA_STEP(
                       1, kSuccess,
                       runtime.call<Make>("cudaMallocMipmappedArray", &mipmap, &kFloats, Extent{16, 16, 0}, 3U, 0U));
                   CUDA_STEP(2, kSuccess, runtime.call<Level>("cudaGetMipmappedArrayLevel", &level, mipmap, 2U));
                   Channels channels{};
                   CUDA_STEP(3, kSuccess, runtime.call<int(Channels*, void*)>("cudaGetChannelDesc", &channels, level));
                   CUDA_STEP(4, 32, channels.x);
                   CUDA_STEP(5, kInvalidValue, runtime.call<Level>("cudaGetMipmappedArrayLevel", &level, mipmap, 3U));
                   CUDA_STEP(6, kSuccess, runtime.call<int(void*)>("cudaFreeMipmappedArray", mipmap));
                   CUDA_STEP(7, kSuccess, runtime.call<int(void*)>("cudaFreeMipmappedArray", nullptr));
                   return 0;
                 }),
      "exit 0");
}

TEST_P(CudartArrays, RunsOfBytesGoOnInTheNextRow) {
  EXPECT_EQ(
      in_runtime(
          GetParam(),
          [](const Cudart& runtime) {
            if (GetParam() == 13) return 0;  // gone since
            using To = int(void*, std::size_t, std::size_t, const void*, std::size_t, int);
            using From = int(void*, void*, std::size_t, std::size_t, std::size_t, int);
            using Between = int(void*, std::size_t, std::size_t, void*, std::size_t, std::size_t, std::size_t, int);
            const Channels bytes{8, 0, 0, 0, 1};
            void* array = nullptr;
            void* other = nullptr;
            runtime.call<MakeArray>("cudaMallocArray", &array, &bytes, 10UL, 4UL, 0U);
            runtime.call<MakeArray>("cudaMallocArray", &other, &bytes, 7UL, 6UL, 0U);
            const std::string host = "the quick brown fox jumps over the lazy";
            std::string back(35, ' ');
            CUDA_STEP(1, kSuccess,
                      runtime.call<To>("cudaMemcpyToArray", array, 3UL, 0UL, host.data(), 35UL, kToDevice));
            CUDA_STEP(2, kSuccess,
                      runtime.call<From>("cudaMemcpyFromArray", back.data(), array, 3UL, 0UL, 35UL, kToHost));
            CUDA_STEP(3, true, back == host.substr(0, 35));
            // The third row.
            CUDA_STEP(
                4, kSuccess,
                runtime.call<From2D>("cudaMemcpy2DFromArray", back.data(), 10UL, array, 0UL, 2UL, 10UL, 1UL, kToHost));
            CUDA_STEP(5, true, back.substr(0, 10) == host.substr(17, 10));
            CUDA_STEP(
                6, kSuccess,
                runtime.call<Between>("cudaMemcpyArrayToArray", other, 2UL, 0UL, array, 3UL, 0UL, 35UL, kWithinDevice));
            back.assign(35, ' ');
            CUDA_STEP(7, kSuccess,
                      runtime.call<From>("cudaMemcpyFromArray", back.data(), other, 2UL, 0UL, 35UL, kByAddress));
            CUDA_STEP(8, true, back == host.substr(0, 35));
            CUDA_STEP(9, kInvalidValue,
                      runtime.call<To>("cudaMemcpyToArray", array, 0UL, 3UL, host.data(), 11UL, kToDevice));
            CUDA_STEP(10, kInvalidValue,
                      runtime.call<To>("cudaMemcpyToArray", array, 10UL, 0UL, host.data(), 1UL, kToDevice));
            CUDA_STEP(11, kInvalidDirection,
                      runtime.call<To>("cudaMemcpyToArray", array, 0UL, 0UL, host.data(), 1UL, kToHost));
            CUDA_STEP(12, kInvalidHandle,
                      runtime.call<To>("cudaMemcpyToArray", &back, 0UL, 0UL, host.data(), 1UL, kToDevice));
            return 0;
          }),
      "exit 0");
}

TEST_P(CudartArrays, BoxesCountElements) {
  EXPECT_EQ(
      in_runtime(
          GetParam(),
          [](const Cudart& runtime) {
            void* array = nullptr;
            const Channels pairs{16, 16, 0, 0, 1};
            CUDA_STEP(1, kSuccess, runtime.call<Make3D>("cudaMalloc3DArray", &array, &pairs, Extent{4, 3, 2}, 0U));
            std::vector<unsigned> host(24);
            std::vector<unsigned> back(24);
            for (unsigned i = 0; i < 24; ++i)
              host[i] = i * 0x10001;
            Copy3D in{};
            in.from = {host.data(), 16, 4, 3};
            in.to_array = array;
            in.extent = {4, 3, 2};
            in.kind = kToDevice;
            CUDA_STEP(2, kSuccess, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &in));
            Copy3D out{};
            out.from_array = array;
            out.from_at = {1, 1, 1};
            out.to = {back.data(), 12, 12, 2};
            out.extent = {3, 2, 1};
            out.kind = kToHost;
            CUDA_STEP(3, kSuccess, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &out));
            for (unsigned i = 0; i < 6; ++i)
              CUDA_STEP(4, (12 + (1 + i / 3) * 4 + 1 + i % 3) * 0x10001, back[i]);
            out.extent.width = 4;
            CUDA_STEP(5, kInvalidValue, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &out));
            out.extent.width = ~0UL;
            CUDA_STEP(6, kInvalidValue, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", &out));
            CUDA_STEP(7, kInvalidValue, runtime.call<int(const Copy3D*)>("cudaMemcpy3D", nullptr));
            return 0;
          }),
      "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
