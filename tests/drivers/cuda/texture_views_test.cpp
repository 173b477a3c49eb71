// SPDX-License-Identifier: Apache-2.0
// Textures that see an array as elements of another kind, as Dr.Jit makes all of its own.
#include <gtest/gtest.h>

#include "tests/drivers/cuda/pictures.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kUnsigned = 0x03;    // of 32 bits, in an array
constexpr int kFourBytes = 0x03;   // the same in a view: 4 x 8 bits, unsigned
constexpr int kOneFloat = 0x16;    // 1 x 32 bits
constexpr int kTwoFloats = 0x17;   // 2 x 32 bits
constexpr int kCompressed = 0x19;  // of blocks
constexpr int kNothing = 0x23;     // behind the last one
constexpr int kNotSupported = 801;

struct View {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};
static_assert(sizeof(View) == 112);

TEST(CudaTextureViews, SeeElementsOfAnotherKind) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                Resource resource{};
                resource.array = picture(cuda, kUnsigned);
                if (resource.array == nullptr) return 1;
                Texture how{};
                how.filter = 1;
                const View view{kOneFloat, kWidth, kHeight, 0, 0, 0, 0, 0, {}};
                Pointer texture = 0;
                CUDA_STEP(2, kSuccess, cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, &view));
                void* read = kernel(cuda, ptx("textures.ptx"), "by_object");
                if (read == nullptr) return 3;
                Pointer out = cuda.allocate(kCount * 4);
                float dx = 0.5F;
                float dy = 0.5F;
                void* parameters[] = {&texture, &out, &dx, &dy};
                if (after(cuda, read, out, parameters) != numbers()) return 4;
                View seen{};
                using Of = int(View*, Pointer);
                const char* const told = "cuTexObjectGetResourceViewDesc";
                CUDA_STEP(5, kSuccess, cuda.call<Of>(told, &seen, texture));
                CUDA_STEP(6, true, seen.format == kOneFloat && seen.width == kWidth && seen.height == kHeight);
                CUDA_STEP(7, kSuccess, cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, nullptr));
                CUDA_STEP(8, kInvalidValue, cuda.call<Of>(told, &seen, texture));  // it has none
                return 0;
              }),
      "exit 0");
}

TEST(CudaTextureViews, ThatDoNotFitAreRefused) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      Resource resource{};
                      resource.array = picture(cuda);
                      if (resource.array == nullptr) return 1;
                      const Texture how{};
                      const auto made = [&](const View& view) {
                        Pointer texture = 0;
                        return cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &resource, &how, &view);
                      };
                      const auto of = [](int format) { return View{format, kWidth, kHeight, 0, 0, 0, 0, 0, {}}; };
                      CUDA_STEP(2, kSuccess, made(of(0)));
                      CUDA_STEP(3, kSuccess, made(of(kFourBytes)));
                      CUDA_STEP(4, kInvalidValue, made(of(kTwoFloats)));
                      CUDA_STEP(5, kNotSupported, made(of(kCompressed)));
                      CUDA_STEP(6, kInvalidValue, made(of(kNothing)));
                      CUDA_STEP(7, kInvalidValue, made(of(-1)));
                      CUDA_STEP(8, kNotSupported, made({kOneFloat, kWidth / 2, kHeight, 0, 0, 0, 0, 0, {}}));
                      CUDA_STEP(9, kInvalidValue, made({kOneFloat, kWidth, kHeight, 0, 0, 1, 0, 0, {}}));
                      CUDA_STEP(10, kInvalidValue, made({kOneFloat, kWidth, kHeight, 0, 0, 0, 1, 0, {}}));
                      Resource memory{};
                      memory.type = 2;
                      memory.linear.address = cuda.allocate(256);
                      memory.linear.format = kFloat;
                      memory.linear.channels = 1;
                      memory.linear.bytes = 256;
                      Pointer texture = 0;
                      const View line{kOneFloat, 64, 0, 0, 0, 0, 0, 0, {}};
                      CUDA_STEP(11, kInvalidValue,
                                cuda.call<MakeTexture>("cuTexObjectCreate", &texture, &memory, &how, &line));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
