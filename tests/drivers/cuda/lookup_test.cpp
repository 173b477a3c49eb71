// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress, against what a real driver answers, and by its rules.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/drivers/cuda/cuda.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::cuda_test {
namespace {

using LookUp = int(const char*, void**, int, unsigned long long, int*);

TEST(CudaLookup, AnswersAsDriver550) {
  std::ifstream rows(test::source_folder() / "tests/drivers/cuda/data/lookup_550.tsv");
  ASSERT_TRUE(rows);
  EXPECT_EQ(in_child([&rows] {
              ::setenv("NVMLAB_DRIVER", "550", 1);
              const Cuda cuda("550");
              int compared = 0;
              for (std::string line; std::getline(rows, line);) {
                if (line.starts_with("#")) continue;
                std::istringstream words(line);
                std::string name;
                std::string symbol;
                int release = 0;
                unsigned long long flags = 0;
                int status = 0;
                words >> name >> release >> flags >> status >> symbol;
                void* found = nullptr;
                int told = -1;
                const int code = cuda.call<LookUp>("cuGetProcAddress_v2", name.c_str(), &found, release, flags, &told);
                void* const expected = symbol == "-" ? nullptr : cuda.address(symbol.c_str());
                if (code != 0 || told != status || found != expected) {
                  std::fprintf(stderr, "%s\n", line.c_str());
                  return 1;
                }
                ++compared;
              }
              return compared == 634 ? 0 : 2;
            }),
            "exit 0");
}

TEST(CudaLookup, TellsAVersionThatIsTooNewFromANameThatIsNot) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                void* found = &found;
                int status = -1;
                CUDA_STEP(1, kSuccess, cuda.call<LookUp>("cuGetProcAddress_v2", "", &found, 12000, 0ULL, &status));
                CUDA_STEP(2, 1, status);
                CUDA_STEP(3, nullptr, found);
                CUDA_STEP(4, kSuccess,
                          cuda.call<LookUp>("cuGetProcAddress_v2", "cuMemAllocAsync", &found, 11000, 0ULL, &status));
                CUDA_STEP(5, 2, status);
                CUDA_STEP(6, kSuccess,
                          cuda.call<LookUp>("cuGetProcAddress_v2", "cuMemAlloc_v2", &found, 12000, 0ULL, &status));
                CUDA_STEP(7, 1, status);  // base names alone
                CUDA_STEP(8, kInvalidValue,
                          cuda.call<LookUp>("cuGetProcAddress_v2", "cuInit", &found, 12000, 8ULL, &status));
                CUDA_STEP(9, kInvalidValue,
                          cuda.call<LookUp>("cuGetProcAddress_v2", nullptr, &found, 12000, 0ULL, &status));
                return 0;
              }),
      "exit 0");
}

TEST(CudaLookup, ADriverHasWhatItsReleaseHad) {
  for (const char* driver : {"535", "550"}) {
    const Cuda cuda(driver);
    ASSERT_TRUE(cuda.open()) << ::dlerror();
    EXPECT_NE(cuda.address("cuCtxCreate_v3"), nullptr);
    EXPECT_EQ(cuda.address("cuCtxCreate_v4"), nullptr);     // CUDA 12.5
    EXPECT_EQ(cuda.address("cuCtxGetDevice_v2"), nullptr);  // 13.0, with other arguments: clients that find it use it
    EXPECT_EQ(cuda.address("cuGreenCtxCreate") != nullptr, std::string(driver) == "550");
  }
}

TEST(CudaLookup, NoInternalTableIsHandedOut) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      const unsigned char id[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                    0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
                      const void* table = &table;
                      CUDA_STEP(1, kInvalidValue,
                                cuda.call<int(const void**, const void*)>("cuGetExportTable", &table, id));
                      CUDA_STEP(2, nullptr, table);
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
