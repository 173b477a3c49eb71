// SPDX-License-Identifier: Apache-2.0
// PTX that a program links itself, as numba does: what is made of it runs, and logs say what went wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

using Create = int(unsigned, int*, void**, void**);
using AddData = int(void*, int, void*, std::size_t, const char*, unsigned, int*, void**);
using AddFile = int(void*, int, const char*, unsigned, int*, void**);
using Complete = int(void*, void**, std::size_t*);
using Handle = int(void*);

constexpr int kPtxInput = 1;
constexpr int kUnknownError = 999;

std::string path(const char* name) { return std::string(NVMLAB_KERNELS_FOLDER) + "/" + name; }

std::string text_of(const char* name) {
  std::ifstream file(path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

// What programs give: room for both logs, and whether they want to know more.
struct Logs {
  char info[256] = "?";
  char error[256] = "?";
  int options[5] = {3, 4, 5, 6, 12};
  void* values[5] = {info, reinterpret_cast<void*>(sizeof info), error, reinterpret_cast<void*>(sizeof error),
                     reinterpret_cast<void*>(1)};
  std::size_t info_size() const { return reinterpret_cast<std::size_t>(values[1]); }
  std::size_t error_size() const { return reinterpret_cast<std::size_t>(values[3]); }
};

TEST(CudaLinks, WhatWasLinkedRuns) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                cuda.context();
                Logs logs;
                void* link = nullptr;
                CUDA_STEP(1, kSuccess, cuda.call<Create>("cuLinkCreate_v2", 5u, logs.options, logs.values, &link));
                std::string caller = text_of("link_caller.ptx");
                CUDA_STEP(2, kSuccess,
                          cuda.call<AddData>("cuLinkAddData_v2", link, kPtxInput, caller.data(), caller.size() + 1,
                                             "caller", 0u, nullptr, nullptr));
                CUDA_STEP(3, kSuccess,
                          cuda.call<AddFile>("cuLinkAddFile_v2", link, kPtxInput, path("link_callee.ptx").c_str(), 0u,
                                             nullptr, nullptr));
                void* image = nullptr;
                std::size_t size = 0;
                CUDA_STEP(4, kSuccess, cuda.call<Complete>("cuLinkComplete", link, &image, &size));
                if (std::string(logs.info).find("caller: 2 functions were read\n") != 0) return 5;
                CUDA_STEP(6, std::strlen(logs.info), logs.info_size());
                CUDA_STEP(7, std::size_t{0}, logs.error_size());
                std::vector<char> copy(static_cast<char*>(image), static_cast<char*>(image) + size);
                CUDA_STEP(8, kInvalidValue, cuda.call<Complete>("cuLinkComplete", link, &image, &size));
                CUDA_STEP(9, kSuccess, cuda.call<Handle>("cuLinkDestroy", link));
                CUDA_STEP(10, kInvalidHandle, cuda.call<Handle>("cuLinkDestroy", link));
                void* module = nullptr;
                void* function = nullptr;
                CUDA_STEP(11, kSuccess, cuda.call<int(void**, const void*)>("cuModuleLoadData", &module, copy.data()));
                CUDA_STEP(12, kSuccess,
                          cuda.call<int(void**, void*, const char*)>("cuModuleGetFunction", &function, module, "k"));
                Pointer out = cuda.allocate(32 * 4);
                void* parameters[] = {&out};
                using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                                   void**, void**);
                CUDA_STEP(
                    13, kSuccess,
                    cuda.call<Launch>("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
                unsigned values[32];
                CUDA_STEP(14, kSuccess,
                          cuda.call<int(void*, Pointer, std::size_t)>("cuMemcpyDtoH_v2", values, out, sizeof values));
                for (unsigned i = 0; i < 32; ++i)
                  CUDA_STEP(15, 3 * i + 1000, values[i]);
                return 0;
              }),
      "exit 0");
}

// A limit of registers, of a link and of a load.
TEST(CudaLinks, RegistersAreLimited) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      std::string text =
                          ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                          ".reg .b64 %x<40>;\n";
                      for (int i = 0; i < 40; ++i)
                        text += "ld.param.u64 %x" + std::to_string(i) + ", [p];\n";
                      for (int i = 0; i < 40; ++i)
                        text += "st.global.u64 [%x0], %x" + std::to_string(i) + ";\n";
                      text += "ret;\n}\n";
                      int option = 0;
                      void* value = reinterpret_cast<void*>(38);
                      void* link = nullptr;
                      void* image = nullptr;
                      CUDA_STEP(1, kSuccess, cuda.call<Create>("cuLinkCreate_v2", 1u, &option, &value, &link));
                      CUDA_STEP(2, kSuccess,
                                cuda.call<AddData>("cuLinkAddData_v2", link, kPtxInput, text.data(), text.size(), "a",
                                                   0u, nullptr, nullptr));
                      CUDA_STEP(3, kSuccess, cuda.call<Complete>("cuLinkComplete", link, &image, nullptr));
                      using Load = int(void**, const void*, unsigned, int*, void**);
                      const auto registers_of = [&](const void* from, unsigned options) {
                        void* module = nullptr;
                        void* function = nullptr;
                        int count = -1;
                        value = reinterpret_cast<void*>(30);
                        cuda.call<Load>("cuModuleLoadDataEx", &module, from, options, &option, &value);
                        cuda.call<int(void**, void*, const char*)>("cuModuleGetFunction", &function, module, "k");
                        cuda.call<int(int*, int, void*)>("cuFuncGetAttribute", &count, 4, function);
                        return count;
                      };
                      CUDA_STEP(4, 38, registers_of(image, 0));
                      CUDA_STEP(5, 30, registers_of(image, 1));
                      CUDA_STEP(6, 30, registers_of(text.c_str(), 1));
                      if (registers_of(text.c_str(), 0) < 80) return 7;
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaLinks, LogsSayWhatWentWrong) {
  EXPECT_EQ(
      in_cuda({},
              [](const Cuda& cuda) {
                Logs logs;
                void* link = nullptr;
                CUDA_STEP(1, kInvalidContext, cuda.call<Create>("cuLinkCreate_v2", 0u, nullptr, nullptr, &link));
                void* context = cuda.context();
                CUDA_STEP(2, kInvalidValue, cuda.call<Create>("cuLinkCreate_v2", 5u, nullptr, nullptr, &link));
                CUDA_STEP(3, kInvalidValue,
                          cuda.call<Create>("cuLinkCreate_v2", 0u, nullptr, nullptr, static_cast<void**>(nullptr)));
                CUDA_STEP(4, kSuccess, cuda.call<Create>("cuLinkCreate_v2", 5u, logs.options, logs.values, &link));
                std::string caller = text_of("link_caller.ptx");
                const auto add = [&](int type, std::string text, const char* name) {
                  return cuda.call<AddData>("cuLinkAddData_v2", link, type, text.data(), text.size(), name, 0u, nullptr,
                                            nullptr);
                };
                CUDA_STEP(5, kInvalidValue, add(9, caller, "caller"));
                CUDA_STEP(6, kInvalidValue, add(kPtxInput, "", "caller"));
                CUDA_STEP(7, 209,
                          add(0,
                              "\x7F"
                              "ELF",
                              "a.cubin"));
                CUDA_STEP(8, 218, add(kPtxInput, ".version 8.0\n.target sm_80\n.nonsense\n", "typo"));
                CUDA_STEP(9, kSuccess, add(kPtxInput, caller, nullptr));
                CUDA_STEP(10, 301,
                          cuda.call<AddFile>("cuLinkAddFile_v2", link, kPtxInput, "/nowhere", 0u, nullptr, nullptr));
                void* image = nullptr;
                CUDA_STEP(11, kUnknownError, cuda.call<Complete>("cuLinkComplete", link, &image, nullptr));
                const std::string log = logs.error;
                if (log.find("a.cubin: a cubin is code of a real GPU") != 0) return 12;
                if (log.find("\ntyp") == std::string::npos) return 13;
                CUDA_STEP(14, log.size(), logs.error_size());
                CUDA_STEP(15, kInvalidHandle, cuda.call<Complete>("cuLinkComplete", context, &image, nullptr));
                // A link ends with its context.
                CUDA_STEP(16, kSuccess, cuda.call<Handle>("cuCtxDestroy_v2", context));
                cuda.context();
                CUDA_STEP(17, kInvalidHandle, cuda.call<Handle>("cuLinkDestroy", link));
                return 0;
              }),
      "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
