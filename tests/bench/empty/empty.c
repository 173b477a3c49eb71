/* SPDX-License-Identifier: Apache-2.0 */
/* An exported function with the shape of a getter that does nothing: what a call into any shared library costs. */
__attribute__((visibility("default"))) int nvmlab_empty(void* device, unsigned int* value);

int nvmlab_empty(void* device, unsigned int* value) {
  (void)device;
  (void)value;
  return 0;
}
