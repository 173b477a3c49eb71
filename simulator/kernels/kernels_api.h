/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels as a library of its own, libnvmlab-kernels.so: libcuda.so.1, which has no C++ runtime, opens it when the
 * first module is loaded, and it stays until the process ends. What is asked of it is done on its own threads, with all
 * signals blocked, while the caller waits, so that a caller's stack may be small. Nothing is thrown across this edge.
 * Tests: tests/unit/kernels/, tests/drivers/cuda/modules_test.cpp.
 */
#ifndef NVMLAB_KERNELS_API_H
#define NVMLAB_KERNELS_API_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/tensor_maps_api.h"
#include "kernels/textures_api.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nvmlab_module;
struct nvmlab_kernel;
struct nvmlab_linker;

/* Results are those of CUDA: 0, or CUDA_ERROR_... */
struct nvmlab_load {
  size_t size;       /* of this struct, of the caller */
  const void* image; /* PTX text that ends with a zero, or a fatbin, or the wrapper of one */
  uint32_t target;   /* compute capability of the device, 90 */
  uint32_t cuda;     /* the driver's version, 12040, which says what PTX it reads; 0: any */
  void* user;
  /* Memory for variables; its address, or 0. */
  uint64_t (*allocate)(void* user, uint64_t bytes);
  struct nvmlab_module* module; /* out */
  char message[1024];           /* out: what is wrong, or empty */
  uint64_t heap_bytes;          /* of malloc in kernels; 0: as many as CUDA has by default */
  uint32_t most_registers;      /* that a thread may have; 0: as many as it likes */
};

struct nvmlab_kernel_facts {
  const char* name;
  uint32_t max_threads;
  uint32_t shared_bytes; /* static */
  uint32_t constant_bytes;
  uint32_t local_bytes;
  uint32_t registers;
  uint32_t ptx_version;
  uint32_t binary_version;
  uint32_t parameter_count;
  uint32_t parameter_bytes;
  uint32_t cluster[3]; /* that it is declared with; 0: any */
};

struct nvmlab_parameter {
  uint32_t offset;
  uint32_t bytes;
};

struct nvmlab_variable {
  const char* name;
  uint64_t address;
  uint64_t bytes;
  uint32_t reference; /* to a texture: 1, to a surface: 2; 0: it is none */
  uint32_t managed;   /* 1: declared with .attribute(.managed) */
};

struct nvmlab_launch {
  size_t size;
  const struct nvmlab_kernel* kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3]; /* blocks; 0: as the kernel is declared */
  uint32_t dynamic_shared_bytes;
  uint32_t cooperative;
  const void* parameters; /* packed, as the kernel's facts say */
  uint64_t stack_bytes;   /* of a thread, where kernels call */
  uint32_t multiprocessors;
  void* user;
  /* The memory that holds an address: 1 and its bounds, or 0. Called by several threads. */
  int (*find)(void* user, uint64_t address, uint64_t* begin, uint64_t* end);
  /* The texture or surface of this handle: 1, or 0 where there is none or its memory is gone. NULL: there are none. */
  int (*texture)(void* user, uint64_t handle, struct nvmlab_texture* out);
};

struct nvmlab_fault {
  int code;          /* CUDA_ERROR_..., 0 where all went well */
  char message[512]; /* which kernel, line and thread, and what it did */
  uint64_t instructions;
};

struct nvmlab_link_input {
  size_t size;
  uint32_t kind; /* a CUjitInputType */
  const void* data;
  uint64_t bytes;
  const char* name;   /* for messages */
  char message[1024]; /* out: what is wrong, or what was read */
};

struct nvmlab_linked {
  size_t size;
  const void* image; /* out: to be loaded; the linker's, and there as long as it */
  uint64_t bytes;
  char message[1024];
};

struct nvmlab_kernels {
  size_t size; /* of this struct */
  int (*load)(struct nvmlab_load* request);
  void (*unload)(struct nvmlab_module* module);
  /* Several texts of PTX to one image, for a device and a driver as in a load. NULL: no memory. */
  struct nvmlab_linker* (*start_link)(uint32_t target, uint32_t cuda, uint32_t most_registers);
  int (*add_to_link)(struct nvmlab_linker* linker, struct nvmlab_link_input* input);
  int (*finish_link)(struct nvmlab_linker* linker, struct nvmlab_linked* out);
  void (*end_link)(struct nvmlab_linker* linker);
  int64_t (*find_kernel)(const struct nvmlab_module* module, const char* name); /* its index, or -1 */
  uint32_t (*kernel_count)(const struct nvmlab_module* module);
  const struct nvmlab_kernel* (*nth_kernel)(const struct nvmlab_module* module, uint32_t index);
  void (*describe)(const struct nvmlab_kernel* kernel, struct nvmlab_kernel_facts* facts);
  int (*parameter)(const struct nvmlab_kernel* kernel, uint32_t index, struct nvmlab_parameter* out);
  int (*find_variable)(const struct nvmlab_module* module, const char* name, struct nvmlab_variable* out);
  int (*launch)(const struct nvmlab_launch* request, struct nvmlab_fault* fault);
  /* What launch() would refuse at once, without running anything; 0 and no fault: nothing. */
  int (*check_launch)(const struct nvmlab_launch* request, struct nvmlab_fault* fault);
};

/* The table; NULL where its threads cannot be started. */
const struct nvmlab_kernels* nvmlab_kernels_table(void);

#ifdef __cplusplus
}
#endif

#endif
