// SPDX-License-Identifier: Apache-2.0
// What references to textures are told to hold, and what is said of arrays of kinds that there are none of.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kFloat = 0x20;
constexpr int kHalf = 0x10;

struct Array3dDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

template <class T>
int tell(const Cuda& cuda, const char* name, void* reference, T* out) {
  return cuda.call<int(T*, void*)>(name, out, reference);
}
template <class T>
int set(const Cuda& cuda, const char* name, void* reference, T value) {
  return cuda.call<int(void*, T)>(name, reference, value);
}

TEST(CudaTextureReferences, TellWhatWasSet) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      void* reference = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<int(void**)>("cuTexRefCreate", &reference));
                      CUDA_STEP(2, kSuccess, set(cuda, "cuTexRefSetMipmapFilterMode", reference, 1));
                      CUDA_STEP(3, kSuccess, set(cuda, "cuTexRefSetMipmapLevelBias", reference, 1.5F));
                      CUDA_STEP(
                          4, kSuccess,
                          cuda.call<int(void*, float, float)>("cuTexRefSetMipmapLevelClamp", reference, 0.5F, 2.5F));
                      CUDA_STEP(5, kSuccess, set(cuda, "cuTexRefSetMaxAnisotropy", reference, 8U));
                      float colour[4] = {1, 2, 3, 4};
                      CUDA_STEP(6, kSuccess, set(cuda, "cuTexRefSetBorderColor", reference, &colour[0]));
                      int number = 0;
                      float bias = 0;
                      float clamp[2] = {};
                      float seen[4] = {};
                      CUDA_STEP(7, kSuccess, tell(cuda, "cuTexRefGetMipmapFilterMode", reference, &number));
                      CUDA_STEP(8, 1, number);
                      CUDA_STEP(9, kSuccess, tell(cuda, "cuTexRefGetMipmapLevelBias", reference, &bias));
                      CUDA_STEP(10, true, bias == 1.5F);
                      using Clamp = int(float*, float*, void*);
                      const char* const clamped = "cuTexRefGetMipmapLevelClamp";
                      CUDA_STEP(11, kSuccess, cuda.call<Clamp>(clamped, &clamp[0], &clamp[1], reference));
                      CUDA_STEP(12, true, clamp[0] == 0.5F && clamp[1] == 2.5F);
                      CUDA_STEP(13, kInvalidValue, cuda.call<Clamp>(clamped, &clamp[0], nullptr, reference));
                      CUDA_STEP(14, kInvalidValue, cuda.call<Clamp>(clamped, nullptr, &clamp[1], reference));
                      CUDA_STEP(15, kSuccess, tell(cuda, "cuTexRefGetMaxAnisotropy", reference, &number));
                      CUDA_STEP(16, 8, number);
                      CUDA_STEP(17, kSuccess, tell(cuda, "cuTexRefGetBorderColor", reference, &seen[0]));
                      CUDA_STEP(18, true, seen[0] == 1 && seen[3] == 4);
                      // Nobody's handle, and nowhere to tell it.
                      for (const char* name : {"cuTexRefGetMipmapFilterMode", "cuTexRefGetMaxAnisotropy",
                                               "cuTexRefGetFlags", "cuTexRefGetFilterMode"}) {
                        CUDA_STEP(19, kInvalidValue, tell<int>(cuda, name, reference, nullptr));
                        CUDA_STEP(20, kInvalidHandle, tell(cuda, name, nullptr, &number));
                      }
                      CUDA_STEP(21, kSuccess, cuda.call<int(void*)>("cuTexRefDestroy", reference));
                      CUDA_STEP(22, kInvalidHandle, cuda.call<int(void*)>("cuTexRefDestroy", reference));
                      CUDA_STEP(23, kInvalidHandle, tell(cuda, "cuTexRefGetMaxAnisotropy", reference, &number));
                      CUDA_STEP(24, kInvalidValue, cuda.call<int(void**)>("cuTexRefCreate", nullptr));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaTextureReferences, TellWhatIsBound) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                void* module = nullptr;
                void* reference = nullptr;
                void* kernel = nullptr;
                const std::string text = ptx("textures.ptx");
                CUDA_STEP(1, kSuccess, cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()));
                CUDA_STEP(2, kSuccess, cuda.call<GetFunction>("cuModuleGetTexRef", &reference, module, "picture"));
                CUDA_STEP(3, kSuccess, cuda.call<GetFunction>("cuModuleGetFunction", &kernel, module, "by_reference"));
                using Format = int(int*, int*, void*);
                int format = 0;
                int channels = 0;
                Pointer address = 0;
                void* mipmap = nullptr;
                CUDA_STEP(4, kInvalidValue, cuda.call<Format>("cuTexRefGetFormat", &format, &channels, reference));
                CUDA_STEP(5, kInvalidValue, tell(cuda, "cuTexRefGetAddress_v2", reference, &address));
                CUDA_STEP(6, kInvalidValue, tell(cuda, "cuTexRefGetMipmappedArray", reference, &mipmap));
                CUDA_STEP(7, kSuccess, cuda.call<int(void*, int, int)>("cuTexRefSetFormat", reference, kHalf, 2));
                CUDA_STEP(8, kSuccess, cuda.call<Format>("cuTexRefGetFormat", &format, &channels, reference));
                CUDA_STEP(9, true, format == kHalf && channels == 2);
                const Pointer memory = cuda.allocate(1024);
                std::size_t offset = 1;
                CUDA_STEP(10, kSuccess,
                          cuda.call<int(std::size_t*, void*, Pointer, std::size_t)>("cuTexRefSetAddress_v2", &offset,
                                                                                    reference, memory, 1024UL));
                CUDA_STEP(11, kSuccess, tell(cuda, "cuTexRefGetAddress_v2", reference, &address));
                CUDA_STEP(12, memory, address);
                const Array3dDescriptor levels{16, 16, 0, kFloat, 1, 0};
                CUDA_STEP(13, kSuccess,
                          cuda.call<int(void**, const Array3dDescriptor*, unsigned)>("cuMipmappedArrayCreate", &mipmap,
                                                                                     &levels, 2U));
                CUDA_STEP(14, kSuccess,
                          cuda.call<int(void*, void*, unsigned)>("cuTexRefSetMipmappedArray", reference, mipmap, 1U));
                void* bound = nullptr;
                CUDA_STEP(15, kSuccess, tell(cuda, "cuTexRefGetMipmappedArray", reference, &bound));
                CUDA_STEP(16, mipmap, bound);
                CUDA_STEP(17, kInvalidValue, tell(cuda, "cuTexRefGetAddress_v2", reference, &address));
                CUDA_STEP(18, kSuccess, cuda.call<Format>("cuTexRefGetFormat", &format, &channels, reference));
                CUDA_STEP(19, true, format == kFloat && channels == 1);
                using Parameter = int(void*, int, void*);
                CUDA_STEP(20, kSuccess, cuda.call<Parameter>("cuParamSetTexRef", kernel, -1, reference));
                CUDA_STEP(21, kInvalidValue, cuda.call<Parameter>("cuParamSetTexRef", kernel, 0, reference));
                CUDA_STEP(22, kInvalidHandle, cuda.call<Parameter>("cuParamSetTexRef", nullptr, -1, reference));
                CUDA_STEP(23, kInvalidHandle, cuda.call<int(void*)>("cuTexRefDestroy", reference));  // the module's
                return 0;
              }),
      "exit 0");
}

TEST(CudaArrayKinds, ThatThereAreNoneOfAreToldSo) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Array3dDescriptor of{16, 8, 0, kFloat, 1, 0};
                      void* array = nullptr;
                      void* mipmap = nullptr;
                      CUDA_STEP(1, kSuccess,
                                cuda.call<int(void**, const Array3dDescriptor*)>("cuArray3DCreate_v2", &array, &of));
                      CUDA_STEP(2, kSuccess,
                                cuda.call<int(void**, const Array3dDescriptor*, unsigned)>("cuMipmappedArrayCreate",
                                                                                           &mipmap, &of, 2U));
                      char out[64] = {};
                      using Needs = int(void*, void*, int);
                      const auto needs = [&](const char* name, void* to, void* handle, int device) {
                        return cuda.call<Needs>(name, to, handle, device);
                      };
                      const char* const of_array = "cuArrayGetMemoryRequirements";
                      CUDA_STEP(3, kInvalidValue, needs(of_array, out, array, 0));
                      CUDA_STEP(4, kInvalidValue, needs(of_array, nullptr, array, 0));
                      CUDA_STEP(5, kInvalidHandle, needs(of_array, out, mipmap, 0));
                      CUDA_STEP(6, kInvalidDevice, needs(of_array, out, array, 99));
                      CUDA_STEP(7, kInvalidValue, needs("cuMipmappedArrayGetMemoryRequirements", out, mipmap, 0));
                      CUDA_STEP(8, kInvalidHandle, needs("cuMipmappedArrayGetMemoryRequirements", out, array, 0));
                      using Of = int(void*, void*);
                      CUDA_STEP(9, kInvalidValue, cuda.call<Of>("cuArrayGetSparseProperties", out, array));
                      CUDA_STEP(10, kInvalidValue, cuda.call<Of>("cuMipmappedArrayGetSparseProperties", out, mipmap));
                      CUDA_STEP(11, kInvalidHandle, cuda.call<Of>("cuMipmappedArrayGetSparseProperties", out, nullptr));
                      CUDA_STEP(12, kInvalidValue, needs("cuArrayGetPlane", out, array, 0));
                      CUDA_STEP(13, kInvalidHandle, needs("cuArrayGetPlane", out, nullptr, 0));
                      CUDA_STEP(14, kInvalidHandle,
                                cuda.call<int(void*, Pointer)>("cuTexObjectGetResourceViewDesc", out, Pointer{7}));
                      int affinity[4] = {};
                      CUDA_STEP(15, 224, cuda.call<int(void*, int)>("cuCtxGetExecAffinity", affinity, 0));
                      CUDA_STEP(16, kInvalidValue, cuda.call<int(void*, int)>("cuCtxGetExecAffinity", affinity, 1));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
