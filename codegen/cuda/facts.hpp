// SPDX-License-Identifier: Apache-2.0
// What libcuda.so.1 exports and cuda.h names, merged over all releases of the header: functions with their parameters
// and the CUDA release that brought them, result codes, device attributes. Stored as model/facts/cuda.json, one
// definition a line; nobody edits it. Covered by tests/unit/codegen/cuda_facts_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen::cuda {

struct Parameter {
  std::string type;  // as C spells it: "const CUuuid *"
  std::string name;
  bool operator==(const Parameter&) const = default;
};

struct Function {
  std::uint32_t since = 0;  // 1000 x major + 10 x minor; 0: it is there in every driver that is known
  bool declared = false;    // in cuda.h; else only a driver's symbol table has it
  std::vector<Parameter> parameters;
  bool operator==(const Function&) const = default;
};

struct Constant {
  std::int64_t value = 0;
  std::uint32_t since = 0;  // 0: in the oldest header that is known
  bool operator==(const Constant&) const = default;
};

struct Facts {
  std::map<std::string, std::string> headers;  // release to SHA-256
  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, Constant, std::less<>> results;     // CUDA_ERROR_*
  std::map<std::string, Constant, std::less<>> attributes;  // CU_DEVICE_ATTRIBUTE_*
  bool operator==(const Facts&) const = default;
};

// "cuMemcpyHtoD_v2_ptds": the name that cuGetProcAddress knows, which of its versions, which default stream.
struct SymbolParts {
  std::string base;
  unsigned version = 1;
  std::string stream;  // "", "_ptds" or "_ptsz"
};
SymbolParts parts_of(std::string_view symbol);

// 1000 x major + 10 x minor of "12.4".
std::uint32_t release_number(std::string_view dotted);

// One release of the header.
struct Header {
  std::string version;
  std::string sha256;
  std::uint32_t cuda = 0;  // CUDA_VERSION
  std::map<std::string, std::vector<Parameter>> functions;
  std::map<std::string, std::vector<std::uint32_t>> versions;  // base name and stream to the releases that brought one
  std::map<std::string, std::int64_t> results;
  std::map<std::string, std::int64_t> attributes;
};

// `folder` holds cuda.h and cudaTypedefs.h, and is called as the release is.
Result<Header> read_header(const std::filesystem::path& folder);

// `exported` are symbols that real drivers have, each with the CUDA release of the oldest of them; 0: of the oldest
// driver of all.
Result<Facts> merge_headers(const std::vector<Header>& headers, const std::map<std::string, std::uint32_t>& exported);

std::string to_text(const Facts& facts);
Result<Facts> load_facts(const std::filesystem::path& path);

}  // namespace nvmlab::codegen::cuda
