// SPDX-License-Identifier: Apache-2.0
// The other part of clusters.cu.
__device__ int twice(int value) { return 2 * value; }
