/* SPDX-License-Identifier: Apache-2.0
 *
 * The YAML compiler as a library of its own, libnvmlab-compiler.so: a driver that has no C++ runtime loads it with
 * dlopen() when a process names a YAML file by environment alone. Nothing is thrown across this edge, nothing else is
 * exported, and what was handed out stays valid until it is released. Tests: tests/unit/compiler/compiler_api_test.cpp.
 */
#ifndef NVMLAB_COMPILER_API_H
#define NVMLAB_COMPILER_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum nvmlab_compile_kind {
  NVMLAB_COMPILE_PROFILE = 0,     /* the name of a shipped profile, or the path of a profile or machine file */
  NVMLAB_COMPILE_MOCK_CONFIG = 1, /* the path of a configuration for NVIDIA's Go mock (MOCK_NVML_CONFIG) */
  NVMLAB_RELOAD_MOCK_CONFIG = 2   /* the same, for what its file of overrides changes of a machine that is up */
};

struct nvmlab_compile_request {
  size_t size;        /* sizeof(struct nvmlab_compile_request) of the caller */
  int kind;           /* nvmlab_compile_kind */
  const char* what;   /* name or path */
  int gpus;           /* that many GPUs; -1: as the file says */
  const char* driver; /* that driver version, "535" or "535.161.08"; NULL: as the file says */
  /* To reload: the path of the file of overrides for messages, and its texts, which need no NUL at their end. */
  const char* overrides;
  const char* before;
  size_t before_size;
  const char* after;
  size_t after_size;
};

struct nvmlab_compile_result {
  void* image;        /* a machine file (engine/store/image.hpp), aligned to 64; NULL after a failure */
  size_t size;        /* its size */
  char message[1024]; /* after a failure: what is wrong, one line each; else notes, or empty. Cut at the end of a line.
                       */
  int warnings;       /* how many of the first lines of these notes everybody should see */
  void* changes;      /* to be made when the machine comes up, or now (engine/change/change.hpp), or NULL */
  size_t change_count;
  size_t change_size; /* of one */
};

/* 0 when `result` holds an image, or of a reload the changes. `result` needs no initialisation. */
int nvmlab_compile(const struct nvmlab_compile_request* request, struct nvmlab_compile_result* result);

/* Frees the image and the changes; a second call does nothing. */
void nvmlab_release(struct nvmlab_compile_result* result);

#ifdef __cplusplus
}
#endif

#endif
