// SPDX-License-Identifier: Apache-2.0
// Copies from, to and between arrays: lines and boxes, and what lies outside of one.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kFloat = 0x20;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kHeight = 3;
constexpr std::size_t kDepth = 2;
constexpr std::size_t kCount = kWidth * kHeight * kDepth;
constexpr std::size_t kRow = kWidth * 4;

struct Array3dDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

struct Copy3d {
  std::size_t from_x, from_y, from_z, from_level;
  int from_type;
  const void* from_host;
  Pointer from_device;
  void* from_array;
  void* reserved0;
  std::size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
  int to_type;
  void* to_host;
  Pointer to_device;
  void* to_array;
  void* reserved1;
  std::size_t to_pitch, to_height, width, height, depth;
};
static_assert(sizeof(Copy3d) == 200);

using Make = int(void**, const Array3dDescriptor*);
using Copy = int(const Copy3d*);

void* make(const Cuda& cuda) {
  const Array3dDescriptor of{kWidth, kHeight, kDepth, kFloat, 1, 0};
  void* array = nullptr;
  cuda.call<Make>("cuArray3DCreate_v2", &array, &of);
  return array;
}

std::vector<float> numbers() {
  std::vector<float> all(kCount);
  std::iota(all.begin(), all.end(), 1.0F);
  return all;
}

TEST(CudaArrays, AreCopiedInBoxes) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* array = make(cuda);
                      if (array == nullptr) return 1;
                      const std::vector<float> all = numbers();
                      Copy3d in{};
                      in.from_type = 1;
                      in.from_host = all.data();
                      in.from_pitch = kRow;
                      in.from_height = kHeight;
                      in.to_type = 3;
                      in.to_array = array;
                      in.width = kRow;
                      in.height = kHeight;
                      in.depth = kDepth;
                      CUDA_STEP(2, kSuccess, cuda.call<Copy>("cuMemcpy3D_v2", &in));
                      // The 2 x 2 x 2 at (1, 1, 0), in the order of a stream.
                      float inner[8] = {};
                      Copy3d out{};
                      out.from_type = 3;
                      out.from_array = array;
                      out.from_x = 4;
                      out.from_y = 1;
                      out.to_type = 1;
                      out.to_host = inner;
                      out.width = 8;
                      out.height = 2;
                      out.depth = 2;
                      CUDA_STEP(3, kSuccess, cuda.call<int(const Copy3d*, void*)>("cuMemcpy3DAsync_v2", &out, nullptr));
                      CUDA_STEP(4, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      for (std::size_t i = 0; i < 8; ++i)
                        CUDA_STEP(5, all[i / 4 * kWidth * kHeight + (1 + i / 2 % 2) * kWidth + 1 + i % 2], inner[i]);
                      out.from_z = 1;
                      CUDA_STEP(6, kInvalidValue, cuda.call<Copy>("cuMemcpy3D_v2", &out));
                      out.from_z = ~std::size_t{0};
                      CUDA_STEP(7, kInvalidValue, cuda.call<Copy>("cuMemcpy3D_v2", &out));
                      out.from_z = 0;
                      out.width = ~std::size_t{0};
                      CUDA_STEP(8, kInvalidValue, cuda.call<Copy>("cuMemcpy3D_v2", &out));
                      CUDA_STEP(9, kInvalidValue, cuda.call<Copy>("cuMemcpy3D_v2", nullptr));
                      CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuArrayDestroy", array));
                      CUDA_STEP(11, 400, cuda.call<Copy>("cuMemcpy3D_v2", &in));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaArrays, AreCopiedInLines) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* one = make(cuda);
                      void* other = make(cuda);
                      const Pointer memory = cuda.allocate(kRow);
                      const std::vector<float> all = numbers();
                      using ToArray = int(void*, std::size_t, const void*, std::size_t);
                      CUDA_STEP(1, kSuccess,
                                cuda.call<ToArray>("cuMemcpyHtoA_v2", one, std::size_t{0}, all.data(), kRow));
                      CUDA_STEP(2, kSuccess,
                                (cuda.call<int(void*, std::size_t, void*, std::size_t, std::size_t)>(
                                    "cuMemcpyAtoA_v2", other, std::size_t{0}, one, std::size_t{4}, std::size_t{12})));
                      CUDA_STEP(3, kSuccess,
                                (cuda.call<int(Pointer, void*, std::size_t, std::size_t)>(
                                    "cuMemcpyAtoD_v2", memory, other, std::size_t{0}, std::size_t{8})));
                      CUDA_STEP(4, kSuccess,
                                (cuda.call<int(void*, std::size_t, Pointer, std::size_t)>(
                                    "cuMemcpyDtoA_v2", one, std::size_t{8}, memory, std::size_t{8})));
                      float found[kWidth] = {};
                      CUDA_STEP(5, kSuccess,
                                (cuda.call<int(void*, void*, std::size_t, std::size_t)>("cuMemcpyAtoH_v2", found, one,
                                                                                        std::size_t{0}, kRow)));
                      const float expected[] = {all[0], all[1], all[1], all[2]};
                      for (std::size_t i = 0; i < kWidth; ++i)
                        CUDA_STEP(6, expected[i], found[i]);
                      CUDA_STEP(7, kInvalidValue,
                                cuda.call<ToArray>("cuMemcpyHtoA_v2", one, std::size_t{4}, all.data(), kRow));
                      return 0;
                    }),
            "exit 0");
}

// A node of a graph copies as a call does, also between arrays; one that is gone is told by the stream.
TEST(CudaArrays, AreCopiedByGraphs) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      void* context = cuda.context();
                      const std::vector<float> before = numbers();
                      void* first = make(cuda);
                      void* second = make(cuda);
                      std::vector<float> after(kCount);
                      Copy3d steps[3]{};
                      for (Copy3d& each : steps) {
                        each.from_type = each.to_type = 3;
                        each.width = kRow;
                        each.height = kHeight;
                        each.depth = kDepth;
                      }
                      steps[0].from_type = 1;
                      steps[0].from_host = before.data();
                      steps[0].to_array = first;
                      steps[1].from_array = first;
                      steps[1].to_array = second;
                      steps[2].from_array = second;
                      steps[2].to_type = 1;
                      steps[2].to_host = after.data();
                      void* graph = nullptr;
                      cuda.call<int(void**, unsigned)>("cuGraphCreate", &graph, 0u);
                      void* node = nullptr;
                      using Add = int(void**, void*, void**, std::size_t, const Copy3d*, void*);
                      for (const Copy3d& each : steps)
                        CUDA_STEP(1, kSuccess,
                                  cuda.call<Add>("cuGraphAddMemcpyNode", &node, graph, &node, &each == steps ? 0 : 1,
                                                 &each, context));
                      void* made = nullptr;
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made,
                                                                                  graph, 0ULL));
                      CUDA_STEP(3, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", made, nullptr));
                      CUDA_STEP(4, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(5, true, before == after);
                      steps[1].depth = kDepth + 1;
                      CUDA_STEP(6, kInvalidValue,
                                cuda.call<Add>("cuGraphAddMemcpyNode", &node, graph, nullptr, 0,
                                               const_cast<const Copy3d*>(&steps[1]), context));
                      CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuArrayDestroy", second));
                      CUDA_STEP(8, kSuccess, cuda.call<int(void*, void*)>("cuGraphLaunch", made, nullptr));
                      CUDA_STEP(9, 700, cuda.call<int()>("cuCtxSynchronize"));
                      return 0;
                    }),
            "exit 0");
}

// Rows of more than a MiB, and more than a million rows, were refused.
TEST(CudaArrays, BoxesMayBeLongAndHigh) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      constexpr std::size_t kPitch = 3 << 20;
                      constexpr std::size_t kRows = (1 << 20) + 5;
                      const Pointer memory = cuda.allocate(4 * kPitch);
                      const Pointer to = cuda.allocate(2 * kRows);
                      cuda.call<int(Pointer, unsigned char, std::size_t)>("cuMemsetD8_v2", memory, 7, 4 * kPitch);
                      Copy3d asked{};
                      asked.from_type = asked.to_type = 2;
                      asked.from_device = memory;
                      asked.to_device = to;
                      asked.from_pitch = kPitch;
                      asked.to_pitch = 8;
                      asked.width = 4;
                      asked.height = 4;
                      asked.depth = 1;
                      CUDA_STEP(1, kSuccess, cuda.call<Copy>("cuMemcpy3D_v2", const_cast<const Copy3d*>(&asked)));
                      asked.from_pitch = asked.to_pitch = 2;
                      asked.width = 1;
                      asked.height = kRows;
                      CUDA_STEP(2, kSuccess, cuda.call<Copy>("cuMemcpy3D_v2", const_cast<const Copy3d*>(&asked)));
                      unsigned char last = 0;
                      CUDA_STEP(
                          3, kSuccess,
                          cuda.call<CopyFrom>("cuMemcpyDtoH_v2", static_cast<void*>(&last), to + 2 * kRows - 2, 1));
                      return last == 7 ? 0 : 4;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
