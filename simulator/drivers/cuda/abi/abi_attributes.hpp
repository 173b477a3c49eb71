// SPDX-License-Identifier: Apache-2.0
// Attributes of launches, of kernel nodes and of streams, as the C interface of libcuda has them.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using CUlaunchAttributeID = int;
using CUkernelNodeAttrID = CUlaunchAttributeID;
using CUstreamAttrID = CUlaunchAttributeID;

// One of them, by its number; the rest of the bytes is nothing.
union CUlaunchAttributeValue {
  char bytes[64];
  struct {
    void* base_ptr;
    std::size_t num_bytes;
    float hitRatio;
    int hitProp;
    int missProp;
  } window;
  int number;  // of those that are one
  unsigned int dimensions[3];
  unsigned char domains[2];  // by default, and of kernels in the remote one
};
using CUkernelNodeAttrValue = CUlaunchAttributeValue;
using CUstreamAttrValue = CUlaunchAttributeValue;

struct CUlaunchAttribute_st {
  CUlaunchAttributeID id;
  int unused;
  CUlaunchAttributeValue value;
};

}  // extern "C"
