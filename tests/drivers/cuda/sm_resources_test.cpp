// SPDX-License-Identifier: Apache-2.0
// Multiprocessors that are parted, by the rules of each compute capability.
#include <gtest/gtest.h>

#include <vector>

#include "tests/drivers/cuda/resources.hpp"

namespace nvmlab::cuda_test {
namespace {

struct Rules {
  const char* profile;
  unsigned least, alignment;
};

// For all counts: as many groups as fit, each the least that holds what was asked, and the rest.
int splits(const Cuda& cuda, const Rules& rules) {
  const Resource all = of_device(cuda);
  CUDA_STEP(1, cuda.attribute(16, 0), int(all.count));
  CUDA_STEP(2, rules.least, all.least);
  CUDA_STEP(3, rules.alignment, all.alignment);
  for (unsigned asked = 0; asked <= all.count; ++asked) {
    unsigned each = asked < rules.least ? rules.least : asked;
    while (each % rules.alignment != 0)
      ++each;
    const unsigned most = all.count / each;
    unsigned groups = 77;
    CUDA_STEP(4, kSuccess,
              cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &groups, &all, nullptr, 0u, asked));
    CUDA_STEP(5, most, groups);
    std::vector<Resource> parts(most + 3);
    Resource left;
    groups = most + 2;
    const int code =
        cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", parts.data(), &groups, &all, &left, 0u, asked);
    if (most == 0) {
      CUDA_STEP(6, kInvalidConfiguration, code);
      continue;
    }
    CUDA_STEP(7, kSuccess, code);
    CUDA_STEP(8, most, groups);
    for (unsigned i = 0; i < most; ++i)
      CUDA_STEP(9, each, parts[i].count);
    CUDA_STEP(10, 0, parts[most].type);
    CUDA_STEP(11, all.count - most * each, left.count);
    CUDA_STEP(12, left.count == 0 ? 0 : 1, left.type);
    // One group, and what is left over is parted again.
    groups = 1;
    CUDA_STEP(13, kSuccess,
              cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", parts.data(), &groups, &all, &left, 0u, asked));
    if (most > 1) {
      CUDA_STEP(14, kSuccess,
                cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &groups, &left, nullptr, 0u, asked));
      CUDA_STEP(15, most - 1, groups);
    }
    CUDA_STEP(16, kInvalidConfiguration,
              cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &groups, &parts[0], nullptr, 0u, 0u));
  }
  unsigned groups = 1;
  CUDA_STEP(17, kInvalidValue,
            cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &groups, &all, nullptr, 0u, all.count + 1));
  return 0;
}

TEST(CudaResources, ArePartedByTheRulesOfTheirCapability) {
  for (const Rules& rules : {Rules{"gtx-1080-rig", 1, 1}, Rules{"g4dn-xlarge", 2, 2}, Rules{"dgx-a100", 4, 2},
                             Rules{"dgx-h100", 8, 8}, Rules{"dgx-b200", 8, 8}})
    EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", rules.profile}}, [&rules](const Cuda& cuda) { return splits(cuda, rules); }),
              "exit 0")
        << rules.profile;
}

struct Group {  // CU_DEV_SM_RESOURCE_GROUP_PARAMS
  unsigned count = 0, together = 0, preferred = 0, flags = 0, domain = 0;
  unsigned reserved[11] = {};
};
static_assert(sizeof(Group) == 64);
using SplitByGroups = int(Resource*, unsigned, const Resource*, Resource*, unsigned, Group*);

int groups(const Cuda& cuda) {
  const Resource all = of_device(cuda);  // of an H100: 132
  Resource parts[2];
  Resource left;
  const auto split = [&](Resource* into, std::vector<Group> asked, std::vector<unsigned> counts, unsigned rest) {
    const int code = cuda.call<SplitByGroups>("cuDevSmResourceSplit", into, static_cast<unsigned>(asked.size()), &all,
                                              &left, 0u, asked.data());
    if (code != kSuccess) return code;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (asked[i].count != counts[i] || (into != nullptr && into[i].count != counts[i])) return 1000 + int(i);
    }
    return left.count == rest ? kSuccess : 2000 + static_cast<int>(left.count);
  };
  CUDA_STEP(1, kSuccess, split(parts, {{0, 0}}, {128}, 4));
  CUDA_STEP(2, kSuccess, split(parts, {{10, 2}}, {10}, 122));
  CUDA_STEP(3, kSuccess, split(parts, {{8, 4}, {0, 2, 0, 1}}, {8, 124}, 0));
  CUDA_STEP(4, 0, left.type);
  CUDA_STEP(5, kSuccess, split(nullptr, {{128, 0}, {0, 8}}, {128, 0}, 4));
  CUDA_STEP(6, kInvalidConfiguration, split(parts, {{128, 0}, {0, 8}}, {}, 0));
  CUDA_STEP(7, kInvalidConfiguration, split(parts, {{134, 2}}, {}, 0));
  for (const Group& wrong : {Group{9, 2}, Group{10, 8}, Group{34, 34}, Group{8, 3}, Group{8, 2, 0, 2}})
    CUDA_STEP(8, kInvalidValue, split(parts, {wrong}, {}, 0));
  return 0;
}

TEST(CudaResources, ArePartedGroupByGroup) { EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, groups), "exit 0"); }

int refusals(const Cuda& cuda) {
  Resource all = of_device(cuda);
  Resource parts[2];
  Resource left;
  unsigned count = 2;
  void* descriptor = nullptr;
  for (const int type : {0, 2, 1000, 10000, -1})
    CUDA_STEP(1, kInvalidResourceType, cuda.call<OfDevice>("cuDeviceGetDevResource", 0, &all, type));
  CUDA_STEP(2, kInvalidDevice, cuda.call<OfDevice>("cuDeviceGetDevResource", 99, &all, 1));
  CUDA_STEP(3, kInvalidValue, cuda.call<OfDevice>("cuDeviceGetDevResource", 0, nullptr, 1));
  CUDA_STEP(4, kInvalidResourceType,
            cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &count, &left, nullptr, 0u, 0u));
  // Whatever a program changes in it, it is none any more.
  for (const std::size_t byte : {4, 8, 12, 20, 28, 30, 96, 97}) {
    Resource wrong = all;
    reinterpret_cast<unsigned char*>(&wrong)[byte] ^= 4;
    CUDA_STEP(5, kInvalidConfiguration,
              cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, &count, &wrong, nullptr, 0u, 0u));
  }
  CUDA_STEP(6, kInvalidValue,
            cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", nullptr, nullptr, &all, nullptr, 0u, 0u));
  CUDA_STEP(7, kInvalidValue,
            cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", parts, &count, &all, nullptr, 4u, 0u));
  count = 2;
  CUDA_STEP(8, kSuccess, cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", parts, &count, &all, &left, 0u, 8u));
  // Parts of one split go together, no part twice.
  Resource both[] = {parts[0], parts[1]};
  CUDA_STEP(9, kSuccess, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 2u));
  both[1] = left;
  CUDA_STEP(10, kSuccess, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 2u));
  both[1] = parts[0];
  CUDA_STEP(11, kInvalidConfiguration, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 2u));
  both[1] = all;
  CUDA_STEP(12, kInvalidConfiguration, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 2u));
  CUDA_STEP(13, kSuccess,
            cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", &parts[1], &count, &left, nullptr, 0u, 8u));
  both[1] = parts[1];
  CUDA_STEP(14, kInvalidConfiguration, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 2u));
  CUDA_STEP(15, kInvalidValue, cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, both, 0u));
  return 0;
}

TEST(CudaResources, WhatIsNoneIsTold) { EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}}, refusals), "exit 0"); }

}  // namespace
}  // namespace nvmlab::cuda_test
