// SPDX-License-Identifier: Apache-2.0
#include "compiler/compiler_api.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/store/image.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace {

// Loaded as the driver loads it: at run time, by path, and let go again.
class CompilerApi : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = std::string(std::getenv("NVMLAB_BINARY_DIR")) + "/lib/libnvmlab-compiler.so";
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    compile_ = reinterpret_cast<decltype(&nvmlab_compile)>(dlsym(library_, "nvmlab_compile"));
    release_ = reinterpret_cast<decltype(&nvmlab_release)>(dlsym(library_, "nvmlab_release"));
    ASSERT_NE(compile_, nullptr);
    ASSERT_NE(release_, nullptr);
  }
  void TearDown() override {
    if (library_ != nullptr) {
      EXPECT_EQ(dlclose(library_), 0);
    }
  }
  static nvmlab_compile_request request(const char* what) {
    nvmlab_compile_request asked{};
    asked.size = sizeof asked;
    asked.kind = NVMLAB_COMPILE_PROFILE;
    asked.what = what;
    asked.gpus = -1;
    return asked;
  }

  void* library_ = nullptr;
  decltype(&nvmlab_compile) compile_ = nullptr;
  decltype(&nvmlab_release) release_ = nullptr;
};

TEST_F(CompilerApi, CompilesAShippedMachine) {
  nvmlab_compile_request wanted = request("dgx-h100");
  wanted.gpus = 11;
  wanted.driver = "535";
  nvmlab_compile_result result{};
  ASSERT_EQ(compile_(&wanted, &result), 0) << result.message;
  EXPECT_STREQ(result.message, "");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(result.image) % 64, 0u);
  nvmlab::Image image;
  ASSERT_EQ(nvmlab::open_image(result.image, result.size, &image), nvmlab::ImageError::none);
  EXPECT_EQ(image.header->gpu_count, 11u);
  nvmlab::Node node{};
  nvmlab::read_node(image, &node);
  EXPECT_STREQ(node.system.driver_version.data, "535.261.03");
  release_(&result);
  EXPECT_EQ(result.image, nullptr);
  release_(&result);
  release_(nullptr);
}

TEST_F(CompilerApi, SaysWhatIsWrong) {
  nvmlab::test::Scratch scratch;
  const std::string path =
      scratch.file("x.yaml", "profile: x\nsources: {s: {kind: assumed, why: y}}\nsource: s\npower: {limt_mw: 1}\n");
  nvmlab_compile_request wanted = request(path.c_str());
  nvmlab_compile_result result{};
  ASSERT_NE(compile_(&wanted, &result), 0);
  EXPECT_EQ(result.image, nullptr);
  EXPECT_EQ(nvmlab::test::without(scratch.folder(), result.message),
            "x.yaml:4:9: power has no field 'limt_mw'; did you mean 'limit_mw'?");
}

TEST_F(CompilerApi, LongMessagesEndWithALine) {
  nvmlab::test::Scratch scratch;
  std::string text = "profile: x\n";
  for (int i = 0; i < 200; ++i)
    text += "unknown_" + std::to_string(i) + ": 1\n";
  const std::string path = scratch.file("x.yaml", text);
  nvmlab_compile_request wanted = request(path.c_str());
  nvmlab_compile_result result{};
  ASSERT_NE(compile_(&wanted, &result), 0);
  const std::string message = result.message;
  EXPECT_LT(message.size(), sizeof result.message);
  EXPECT_GT(message.size(), 500u);
  EXPECT_TRUE(message.ends_with("source")) << message;  // the last word of each of these lines
}

TEST_F(CompilerApi, MockConfigurations) {
  nvmlab::test::Scratch scratch;
  const std::string path =
      scratch.file("mock.yaml",
                   "version: \"1.0\"\nsystem: {driver_version: 550.163.01}\n"
                   "device_defaults: {name: Test GPU, wings: 2}\ndevices: [{index: 0}, {index: 1}]\n");
  nvmlab_compile_request wanted = request(path.c_str());
  wanted.kind = NVMLAB_COMPILE_MOCK_CONFIG;
  nvmlab_compile_result result{};
  ASSERT_EQ(compile_(&wanted, &result), 0) << result.message;
  EXPECT_TRUE(std::string(result.message).ends_with("'wings' is unknown to nvmlab and left out")) << result.message;
  nvmlab::Image image;
  ASSERT_EQ(nvmlab::open_image(result.image, result.size, &image), nvmlab::ImageError::none);
  EXPECT_EQ(image.header->gpu_count, 2u);
  release_(&result);
}

TEST_F(CompilerApi, RequestsThatMakeNoSense) {
  nvmlab_compile_result result{};
  std::memset(&result, 0xFF, sizeof result);
  EXPECT_NE(compile_(nullptr, &result), 0);
  EXPECT_STREQ(result.message, "nvmlab-compiler: a request that this version does not understand");
  EXPECT_EQ(result.image, nullptr);
  nvmlab_compile_request wanted = request("dgx-h100");
  EXPECT_NE(compile_(&wanted, nullptr), 0);
  wanted.size = 8;
  EXPECT_NE(compile_(&wanted, &result), 0);
  wanted = request(nullptr);
  EXPECT_NE(compile_(&wanted, &result), 0);
  wanted = request("dgx-h100");
  wanted.kind = 7;
  EXPECT_NE(compile_(&wanted, &result), 0);
  EXPECT_STREQ(result.message, "nvmlab-compiler: a request of an unknown kind");
  wanted = request("dgx-h100");
  wanted.gpus = 5000;
  EXPECT_NE(compile_(&wanted, &result), 0);
  EXPECT_STREQ(result.message, "5000 GPUs are too many; at most 4096 fit");
}

TEST_F(CompilerApi, CanBeLoadedAndLetGoManyTimes) {
  const std::string path = std::string(std::getenv("NVMLAB_BINARY_DIR")) + "/lib/libnvmlab-compiler.so";
  for (int i = 0; i < 20; ++i) {
    void* again = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(again, nullptr);
    nvmlab_compile_request wanted = request("t4");
    nvmlab_compile_result result{};
    ASSERT_EQ(compile_(&wanted, &result), 0);
    release_(&result);
    dlclose(again);
  }
}

}  // namespace
