// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/support/support.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "codegen/io/files.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/parser/header_parser.hpp"

namespace nvmlab::codegen::test {
namespace fs = std::filesystem;

void TemporaryFolder::write(const std::string& relative, std::string_view text) const {
  const auto written = write_file(path() / relative, text);
  ASSERT_TRUE(written) << written.error().text();
}

std::string TemporaryFolder::read(const std::string& relative) const {
  return read_file(path() / relative).value_or("(absent)");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

fs::path source_folder() { return environment("NVMLAB_SOURCE_DIR"); }

const Registry& committed_registry() {
  static const Registry registry = [] {
    auto loaded = load_registry(source_folder() / "model" / "facts" / "nvml.json");
    if (!loaded) ADD_FAILURE() << loaded.error().text();
    return loaded ? std::move(*loaded) : Registry{};
  }();
  return registry;
}

std::vector<CachedHeader> cached_headers() {
  std::vector<CachedHeader> headers;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(source_folder() / "build" / "headers", code)) {
    const fs::path header = entry.path() / "nvml.h";
    if (fs::exists(header, code)) headers.push_back({entry.path().filename().string(), header});
  }
  return headers;
}

Release extracted(std::string_view text, const std::string& version) {
  auto release = extract("sample.h", std::string(text), version);
  if (!release) ADD_FAILURE() << release.error().text();
  return release ? std::move(*release) : Release{};
}

const std::string_view sample_header = R"(
#ifndef SAMPLE_H
#define SAMPLE_H
#ifdef __cplusplus
extern "C" {
#endif
#define DECLDIR
#define DEPRECATED(ver) __attribute__((deprecated))
#ifndef NVML_NO_UNVERSIONED_FUNC_DEFS
  #define nvmlInit nvmlInit_v2
  #define nvmlDeviceGetRoom nvmlDeviceGetRoom_v2
#endif
#define NVML_STRUCT_VERSION(data, ver) (unsigned int)(sizeof(nvml ## data ## _v ## ver ## _t) | (ver << 24U))
#define NVML_NOTHING (-1)
#define NVML_TEXT "a text"
#define NVML_NAME_SIZE 0x10 // a comment that must not be kept
#define NVML_FLAG (1 << 3)
#define NVML_ALL (NVML_FLAG | \
                  NVML_NAME_SIZE \
                 )
#define NVML_HUGE 0xFFFFFFFFFFFFFFFF
#define NVML_RANGE 3:0
#define NVML_GET(value, kind) ((value) >> (kind))
#define NVML_OLD_GREEN NVML_COLOUR_GREEN
#define nvmlOldColour_t nvmlColour_t

typedef struct nvmlDevice_st* nvmlDevice_t;
typedef unsigned int nvmlRoomId_t;
typedef enum nvmlColour_enum { NVML_COLOUR_BLUE = 2, NVML_COLOUR_RED = 0, NVML_COLOUR_GREEN, NVML_COLOUR_COUNT = 2 } nvmlColour_t;
typedef enum { NVML_SIGN_MINUS = -1, NVML_SIGN_PLUS = 1 } nvmlSign_t;
typedef enum nvmlReturn_enum { NVML_SUCCESS = 0, NVML_ERROR_LARGE = 0x80000000 } nvmlReturn_t;
typedef union nvmlValue_st { double d; unsigned long ul; unsigned char raw[3]; } nvmlValue_t;
typedef struct nvmlRoom_st {
  unsigned int version; //!< in: must not be kept
  char name[NVML_NAME_SIZE];
  unsigned status;
  struct { int level; nvmlColour_t colour; } lamp[2];
  union { unsigned char in[4]; unsigned short out; };
  nvmlValue_t value;
  const char* note;
  double grid[2][3];
  struct nvmlDevice_st* owner;
}nvmlRoom_v1_t, nvmlRoom_old_t;
typedef nvmlRoom_v1_t nvmlRoom_t;
#define nvmlRoom_v1 NVML_STRUCT_VERSION(Room, 1)

nvmlReturn_t DECLDIR nvmlInit_v2(void);
const DECLDIR char* nvmlErrorString(nvmlReturn_t result);
nvmlReturn_t DECLDIR nvmlDeviceGetName(nvmlDevice_t device, char *name, const unsigned int length);
DEPRECATED(1.5) nvmlReturn_t DECLDIR nvmlDeviceGetColour(nvmlDevice_t device,
                                                        const nvmlColour_t *colours);
nvmlReturn_t DECLDIR nvmlDeviceGetRoom_v2(nvmlDevice_t device, struct nvmlRoom_st *room);
#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS
nvmlReturn_t DECLDIR nvmlInit(void);
#endif
#ifdef __cplusplus
}
#endif
#endif
)";

}  // namespace nvmlab::codegen::test
