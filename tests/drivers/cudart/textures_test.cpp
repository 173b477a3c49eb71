// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces through libcudart: what libcuda's own functions tell of them is the oracle.
#include <gtest/gtest.h>

#include "tests/drivers/cudart/arrays.hpp"

namespace nvmlab::cudart_test {
namespace {

// As programs of CUDA 13 have it, with room for the driver's; those of CUDA 12 have less behind.
struct Resource {
  int type;
  union {
    void* array;
    struct {
      void* data;
      Channels channels;
      std::size_t bytes;
    } linear;
    struct {
      void* data;
      Channels channels;
      std::size_t width, height, pitch;
    } rows;
    int reserved[32];
  };
  unsigned flags;
};
struct Texture {
  int address_mode[3], filter, read, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float bias, least, most;
  int no_optimization, seamless;
};
struct DriverTexture {
  int address_mode[3], filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float bias, least, most, border[4];
  int reserved[12];
};
static_assert(sizeof(Resource) == 144 && sizeof(Texture) == 72 && sizeof(DriverTexture) == 104);

using MakeTexture = int(cuda_test::Pointer*, const Resource*, const Texture*, const void*);

class CudartTextures : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, CudartTextures, testing::Values(12, 13));

// What a kernel of the driver's reads by a texture; empty: it did not run.
std::vector<float> read_by(const cuda_test::Cuda& driver, cuda_test::Pointer texture, float dx) {
  void* const read = cuda_test::kernel(driver, cuda_test::ptx("textures.ptx"), "by_object");
  cuda_test::Pointer out = driver.allocate(kCount * 4);
  float dy = 0.5F;
  void* parameters[] = {&texture, &out, &dx, &dy};
  std::vector<float> found(kCount);
  if (read == nullptr || cuda_test::launch(driver, read, 1, kCount, parameters) != kSuccess ||
      driver.call<int()>("cuCtxSynchronize") != kSuccess ||
      driver.call<cuda_test::CopyFrom>("cuMemcpyDtoH_v2", found.data(), out, kCount * 4) != kSuccess)
    return {};
  return found;
}

TEST_P(CudartTextures, TexturesAreReadByKernels) {
  EXPECT_EQ(in_runtime(
                GetParam(),
                [](const Cudart& runtime) {
                  const cuda_test::Cuda driver;
                  Resource resource{};
                  resource.array = picture(runtime);
                  if (resource.array == nullptr) return 1;
                  Texture how{};
                  for (int& each : how.address_mode)
                    each = 1;
                  how.border[2] = 0.25F;
                  how.most = 3;
                  cuda_test::Pointer texture = 0;
                  CUDA_STEP(2, kSuccess,
                            runtime.call<MakeTexture>("cudaCreateTextureObject", &texture, &resource, &how, nullptr));
                  if (read_by(driver, texture, 0.5F) != numbers()) return 3;
                  DriverTexture told{};
                  using Tell = int(DriverTexture*, cuda_test::Pointer);
                  CUDA_STEP(4, kSuccess, driver.call<Tell>("cuTexObjectGetTextureDesc", &told, texture));
                  CUDA_STEP(5, true, told.flags == 1 && told.border[2] == 0.25F && told.most == 3);
                  CUDA_STEP(6, kSuccess, runtime.call<int(cuda_test::Pointer)>("cudaDestroyTextureObject", texture));
                  // Rows of linear memory, and every setting there is.
                  void* data = nullptr;
                  std::size_t pitch = 0;
                  runtime.call<int(void**, std::size_t*, std::size_t, std::size_t)>("cudaMallocPitch", &data, &pitch,
                                                                                    kWidth * 4, kHeight);
                  const std::vector<float> from = numbers();
                  runtime.call<int(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int)>(
                      "cudaMemcpy2D", data, pitch, from.data(), kWidth * 4, kWidth * 4, kHeight, kToDevice);
                  resource = {};
                  resource.type = 3;
                  resource.rows = {data, kFloats, kWidth, kHeight, pitch};
                  CUDA_STEP(7, kSuccess,
                            runtime.call<MakeTexture>("cudaCreateTextureObject", &texture, &resource, &how, nullptr));
                  if (read_by(driver, texture, 0.5F) != numbers()) return 8;
                  how.filter = how.read = how.srgb = how.normalized = how.no_optimization = how.seamless = 1;
                  how.anisotropy = 4;
                  CUDA_STEP(9, kSuccess,
                            runtime.call<MakeTexture>("cudaCreateTextureObject", &texture, &resource, &how, nullptr));
                  CUDA_STEP(10, kSuccess, driver.call<Tell>("cuTexObjectGetTextureDesc", &told, texture));
                  CUDA_STEP(11, 0x72U, told.flags);
                  Texture back{};
                  CUDA_STEP(12, kSuccess,
                            runtime.call<int(Texture*, cuda_test::Pointer)>("cudaGetTextureObjectTextureDesc", &back,
                                                                            texture));
                  CUDA_STEP(13, 0, std::memcmp(&back, &how, sizeof how));
                  Resource of{};
                  of.flags = 77;
                  CUDA_STEP(14, kSuccess,
                            runtime.call<int(Resource*, cuda_test::Pointer)>("cudaGetTextureObjectResourceDesc", &of,
                                                                             texture));
                  CUDA_STEP(15, true,
                            of.type == 3 && of.rows.data == data && of.rows.channels.x == 32 && of.rows.pitch == pitch);
                  CUDA_STEP(16, GetParam() == 12 ? 77U : 0U, of.flags);  // a program of 12 has no room for them
                  return 0;
                }),
            "exit 0");
}

TEST_P(CudartTextures, SurfacesAreWrittenByKernels) {
  EXPECT_EQ(
      in_runtime(GetParam(),
                 [](const Cudart& runtime) {
                   const cuda_test::Cuda driver;
                   Resource resource{};
                   resource.array = picture(runtime);
                   if (resource.array == nullptr) return 1;
                   cuda_test::Pointer surface = 0;
                   using Make = int(cuda_test::Pointer*, const Resource*);
                   CUDA_STEP(2, kSuccess, runtime.call<Make>("cudaCreateSurfaceObject", &surface, &resource));
                   void* const write = cuda_test::kernel(driver, cuda_test::ptx("textures.ptx"), "write");
                   void* parameters[] = {&surface};
                   CUDA_STEP(3, kSuccess, cuda_test::launch(driver, write, 1, kCount, parameters));
                   CUDA_STEP(4, kSuccess, runtime.call<int()>("cudaDeviceSynchronize"));
                   std::vector<float> back(kCount);
                   CUDA_STEP(5, kSuccess,
                             runtime.call<From2D>("cudaMemcpy2DFromArray", back.data(), kWidth * 4, resource.array, 0UL,
                                                  0UL, kWidth * 4, kHeight, kToHost));
                   for (std::size_t i = 0; i < kCount; ++i)
                     CUDA_STEP(6, static_cast<float>(100 + i), back[i]);
                   Resource of{};
                   CUDA_STEP(7, kSuccess,
                             runtime.call<int(Resource*, cuda_test::Pointer)>("cudaGetSurfaceObjectResourceDesc", &of,
                                                                              surface));
                   CUDA_STEP(8, true, of.array == resource.array);
                   CUDA_STEP(9, kSuccess, runtime.call<int(cuda_test::Pointer)>("cudaDestroySurfaceObject", surface));
                   resource.type = 9;
                   CUDA_STEP(10, kInvalidValue, runtime.call<Make>("cudaCreateSurfaceObject", &surface, &resource));
                   return 0;
                 }),
      "exit 0");
}

}  // namespace
}  // namespace nvmlab::cudart_test
