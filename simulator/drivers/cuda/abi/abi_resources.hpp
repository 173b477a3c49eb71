// SPDX-License-Identifier: Apache-2.0
// The types of green contexts and of what they are made of, as the C interface of libcuda has them.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

extern "C" {

using CUdevResourceDesc = struct CUdevResourceDesc_st*;
using CUdevResourceType = int;

struct CUdevSmResource {
  unsigned int smCount;
  unsigned int minSmPartitionSize;
  unsigned int smCoscheduledAlignment;
  unsigned int flags;
  unsigned int localityDomainId;
};

// The bytes behind the type are the driver's own.
struct CUdevResource {
  CUdevResourceType type;
  unsigned char own[92];
  CUdevSmResource sm;
  unsigned char rest[20];
  CUdevResource* nextResource;
};

struct CU_DEV_SM_RESOURCE_GROUP_PARAMS {
  unsigned int smCount;
  unsigned int coscheduledSmCount;
  unsigned int preferredCoscheduledSmCount;
  unsigned int flags;
  unsigned int localityDomainId;
  unsigned int reserved[11];
};

}  // extern "C"
