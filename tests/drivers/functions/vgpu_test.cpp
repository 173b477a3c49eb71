// SPDX-License-Identifier: Apache-2.0
//
// vGPU on nodes that host none: every function of the family, found by its topic, refuses in the way that its arguments
// call for, and writes nothing.
#include <fmt/format.h>

#include <cstring>

#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

class Vgpu : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  // What a function of the family should say to good pointers, and to `id` in place of a handle that is a number.
  static int expected(const FunctionFacts& function, Word id) {
    const std::string& first = function.parameters.at(0).type.base;
    if (first == "nvmlVgpuInstance_t") return id == 0 ? kInvalidArgument : kNotFound;
    if (first == "nvmlVgpuTypeId_t" || first == "nvmlGpuInstance_t") return kInvalidArgument;
    if (first == "nvmlVgpuTypeMaxInstance_t") return kInvalidArgument;  // the number of a type lies in it
    return kNotSupported;
  }

  Environment newest{{"NVMLAB_DRIVER", Api::kNewestDriver}};
};

TEST_F(Vgpu, NothingOfItExists) {
  unsigned functions = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.verdict.topic != "vgpu" || !function.in_driver(Api::kNewestDriver)) continue;
    if (function.name.starts_with("nvmlDeviceGetGridLicensableFeatures")) continue;
    ++functions;
    EXPECT_EQ(in_child([&] {
                std::string said;
                Arguments arguments(function, driver().device(0));
                for (const Word id : {Word{0}, Word{1}, Word{3251634213}, Word{0xFFFFFFFF}}) {
                  arguments.reset();
                  if (!function.takes_device() && !function.parameters[0].is_pointer()) arguments.words[0] = id;
                  const int code = arguments.call();
                  if (code != expected(function, id)) said += fmt::format("{}: {}; ", id, code);
                  if (arguments.changed()) said += fmt::format("{}: wrote; ", id);
                }
                return said;
              }),
              "")
        << function.name;
  }
  EXPECT_GE(functions, 75U);
}

// Four layouts, the oldest of which ends first; a node without licences fills only what they share.
TEST_F(Vgpu, NoFeatureTakesALicence) {
  const Word device = driver().device(0);
  unsigned names = 0;
  for (const char* suffix : {"", "_v2", "_v3", "_v4"}) {
    const std::string name = std::string("nvmlDeviceGetGridLicensableFeatures") + suffix;
    if (!driver().has(name)) continue;
    ++names;
    unsigned features[4] = {77, 77, 77, 77};
    EXPECT_EQ(driver().call(name, device, features), kSuccess) << name;
    EXPECT_EQ(features[0], 0U) << "supported";
    EXPECT_EQ(features[1], 0U) << "count";
    EXPECT_EQ(features[2], 77U) << "no feature is written";
    EXPECT_EQ(driver().call(name, device, nullptr), kInvalidArgument) << name;
    EXPECT_EQ(driver().call(name, Word{1}, features), kInvalidArgument) << name;
  }
  EXPECT_EQ(names, 4U);
}

}  // namespace
}  // namespace nvmlab::driver_test
