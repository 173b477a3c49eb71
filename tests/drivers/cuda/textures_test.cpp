// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces through libcuda: structs as strangers have them, kernels that read and write.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/pictures.hpp"

namespace nvmlab::cuda_test {
namespace {

TEST(CudaTextures, OfAnArrayAreReadByKernels) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* array = picture(cuda);
                if (array == nullptr) return 1;
                Resource resource{};
                resource.array = array;
                Texture how{};
                for (int& each : how.address_mode)
                  each = 1;
                Pointer texture = 0;
                CUDA_STEP(2, kSuccess, cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, nullptr));
                void* read = kernel(cuda, ptx("textures.ptx"), "by_object");
                if (read == nullptr) return 3;
                Pointer out = cuda.allocate(kCount * 4);
                float dx = 0.5F;
                float dy = 0.5F;
                void* parameters[] = {&texture, &out, &dx, &dy};
                const std::vector<float> all = numbers();
                if (after(cuda, read, out, parameters) != all) return 4;
                // Half way to the next element, which is clamped at the edge.
                how.filter = 1;
                CUDA_STEP(5, kSuccess, cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, nullptr));
                dx = 1;
                const std::vector<float> between = after(cuda, read, out, parameters);
                if (between.empty()) return 6;
                for (unsigned i = 0; i < kCount; ++i)
                  CUDA_STEP(7, (all[i] + all[i % kWidth == kWidth - 1 ? i : i + 1]) / 2, between[i]);
                // A texture of an array that is gone is an illegal address.
                CUDA_STEP(8, kSuccess, cuda.call<int(void*)>("cuArrayDestroy", array));
                CUDA_STEP(9, kInvalidHandle, cuda.call<int(void*)>("cuArrayDestroy", array));
                CUDA_STEP(10, kSuccess, launch(cuda, read, 1, kCount, parameters));
                CUDA_STEP(11, 700, cuda.call<int()>("cuCtxSynchronize"));
                return 0;
              }),
      "exit 0");
}

TEST(CudaTextures, AreDestroyedBehindTheKernelsThatUseThem) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      Resource resource{};
                      resource.array = picture(cuda);
                      if (resource.array == nullptr) return 1;
                      const Texture how{};
                      void* read = kernel(cuda, ptx("textures.ptx"), "by_object");
                      Pointer out = cuda.allocate(kCount * 4);
                      float offset = 0.5F;
                      for (int i = 0; i < 200; ++i) {
                        Pointer texture = 0;
                        CUDA_STEP(2, kSuccess,
                                  cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, nullptr));
                        void* parameters[] = {&texture, &out, &offset, &offset};
                        CUDA_STEP(3, kSuccess, launch(cuda, read, 1, kCount, parameters));
                        CUDA_STEP(4, kSuccess, cuda.call<int(Pointer)>("cuTexObjectDestroy", texture));
                      }
                      return cuda.call<int()>("cuCtxSynchronize");
                    }),
            "exit 0");
}

TEST(CudaTextures, ReferencesOfModulesAreBound) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* array = picture(cuda);
                if (array == nullptr) return 1;
                void* module = nullptr;
                void* read = nullptr;
                void* reference = nullptr;
                void* again = nullptr;
                const std::string text = ptx("textures.ptx");
                CUDA_STEP(2, kSuccess, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                CUDA_STEP(3, kSuccess, cuda.call<GetFunction>("cuModuleGetFunction", &read, module, "by_reference"));
                CUDA_STEP(4, kSuccess, cuda.call<GetFunction>("cuModuleGetTexRef", &reference, module, "picture"));
                CUDA_STEP(5, kSuccess, cuda.call<GetFunction>("cuModuleGetTexRef", &again, module, "picture"));
                CUDA_STEP(6, reference, again);
                CUDA_STEP(7, 500, cuda.call<GetFunction>("cuModuleGetTexRef", &again, module, "paint"));
                CUDA_STEP(7, 500, cuda.call<GetFunction>("cuModuleGetSurfRef", &again, module, "picture"));
                CUDA_STEP(7, 500, cuda.call<GetFunction>("cuModuleGetTexRef", &again, module, "plain"));
                CUDA_STEP(8, kSuccess,
                          cuda.call<int(void*, void*, unsigned)>("cuTexRefSetArray", reference, array, 1u));
                CUDA_STEP(9, kSuccess, cuda.call<int(void*, int)>("cuTexRefSetFilterMode", reference, 0));
                CUDA_STEP(10, kInvalidValue, cuda.call<int(void*, int)>("cuTexRefSetFilterMode", reference, 2));
                void* bound = nullptr;
                CUDA_STEP(11, kSuccess, cuda.call<int(void**, void*)>("cuTexRefGetArray", &bound, reference));
                CUDA_STEP(12, array, bound);
                Pointer out = cuda.allocate(kCount * 4);
                void* parameters[] = {&out};
                if (after(cuda, read, out, parameters) != numbers()) return 13;
                CUDA_STEP(14, kSuccess, cuda.call<int(void*)>("cuModuleUnload", module));
                CUDA_STEP(15, kInvalidHandle, cuda.call<int(void*, int)>("cuTexRefSetFilterMode", reference, 0));
                return 0;
              }),
      "exit 0");
}

TEST(CudaSurfaces, AreWrittenByKernelsAndCopiedFrom) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* write = kernel(cuda, ptx("textures.ptx"), "write");
                      void* array = picture(cuda);
                      if (array == nullptr) return 1;
                      Resource resource{};
                      resource.array = array;
                      Pointer surface = 0;
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(Pointer*, const Resource*)>("cuSurfObjectCreate", &surface, &resource));
                      void* parameters[] = {&surface};
                      CUDA_STEP(3, kSuccess, launch(cuda, write, 1, kCount, parameters));
                      CUDA_STEP(4, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      // The inner 6 x 2, to the host.
                      float inner[12] = {};
                      Copy2d copy{};
                      copy.from_type = 3;
                      copy.from_array = array;
                      copy.from_x = 4;
                      copy.from_y = 1;
                      copy.to_type = 1;
                      copy.to_host = inner;
                      copy.width = 24;
                      copy.height = 2;
                      CUDA_STEP(5, kSuccess, cuda.call<int(const Copy2d*)>("cuMemcpy2D_v2", &copy));
                      for (unsigned i = 0; i < 12; ++i)
                        CUDA_STEP(6, static_cast<float>(100 + (i / 6 + 1) * kWidth + i % 6 + 1), inner[i]);
                      copy.from_y = 3;
                      CUDA_STEP(7, kInvalidValue, cuda.call<int(const Copy2d*)>("cuMemcpy2D_v2", &copy));
                      CUDA_STEP(8, kSuccess, cuda.call<int(Pointer)>("cuSurfObjectDestroy", surface));
                      CUDA_STEP(9, kInvalidHandle, cuda.call<int(Pointer)>("cuSurfObjectDestroy", surface));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaArrays, CountAgainstTheMemoryOfTheGpu) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      constexpr std::size_t kBytes = std::size_t{4} << 20;
                      const std::size_t before = cuda.free_memory();
                      const ArrayDescriptor of{1024, 1024, kFloat, 1};
                      void* array = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<Make>("cuArrayCreate_v2", &array, &of));
                      CUDA_STEP(2, before - kBytes, cuda.free_memory());
                      CUDA_STEP(3, kSuccess, cuda.call<int(void*)>("cuArrayDestroy", array));
                      CUDA_STEP(4, before, cuda.free_memory());
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaArrays, KeepWhatTheyWereMadeWith) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      using Make3d = int(void**, const Array3dDescriptor*);
                      const Array3dDescriptor of{16, 8, 6, kFloat, 4, 1};
                      void* array = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<Make3d>("cuArray3DCreate_v2", &array, &of));
                      Array3dDescriptor told{};
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(Array3dDescriptor*, void*)>("cuArray3DGetDescriptor_v2", &told, array));
                      CUDA_STEP(3, 0, std::memcmp(&of, &told, sizeof of));
                      Array3dDescriptor wrong = of;
                      wrong.channels = 3;
                      CUDA_STEP(4, kInvalidValue, cuda.call<Make3d>("cuArray3DCreate_v2", &array, &wrong));
                      wrong = of;
                      wrong.width = ~std::size_t{0};
                      CUDA_STEP(5, kInvalidValue, cuda.call<Make3d>("cuArray3DCreate_v2", &array, &wrong));
                      wrong = of;
                      wrong.flags = 4;
                      CUDA_STEP(6, kInvalidValue, cuda.call<Make3d>("cuArray3DCreate_v2", &array, &wrong));
                      // Three levels of 16, 8 and 4; there are no more than fit.
                      const Array3dDescriptor levels{16, 16, 0, kFloat, 1, 0};
                      void* mipmap = nullptr;
                      CUDA_STEP(7, kSuccess,
                                cuda.call<int(void**, const Array3dDescriptor*, unsigned)>("cuMipmappedArrayCreate",
                                                                                           &mipmap, &levels, 3u));
                      using Level = int(void**, void*, unsigned);
                      void* level = nullptr;
                      CUDA_STEP(8, kSuccess, cuda.call<Level>("cuMipmappedArrayGetLevel", &level, mipmap, 2u));
                      CUDA_STEP(9, kInvalidValue, cuda.call<Level>("cuMipmappedArrayGetLevel", &level, mipmap, 3u));
                      CUDA_STEP(10, kSuccess,
                                cuda.call<int(Array3dDescriptor*, void*)>("cuArray3DGetDescriptor_v2", &told, level));
                      CUDA_STEP(11, 4u, told.width);
                      CUDA_STEP(12, kInvalidHandle, cuda.call<int(void*)>("cuArrayDestroy", level));
                      CUDA_STEP(13, kSuccess, cuda.call<int(void*)>("cuMipmappedArrayDestroy", mipmap));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
