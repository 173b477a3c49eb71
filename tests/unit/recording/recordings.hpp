// SPDX-License-Identifier: Apache-2.0
// Small recordings in our own words, and gzip for them.
#pragma once

#include <zlib.h>

#include <string>

namespace nvmlab::recording::test {

inline std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline const std::string kHeader =
    R"({"nvmlab_recording":1,"tool":"0.1.0","header":"13.5.37","taken":"2026-01-02T03:04:05Z","masked":true,)"
    R"("host":"host-1","library":"/lib/x.so","driver":"570.124.06","nvml":"12.570.124.06","cuda":12080,"gpus":2,"units":0})"
    "\n";
inline const std::string kMissing = R"({"call":"nvmlDeviceGetNvLinkInfo_v3","code":"FUNCTION_NOT_FOUND"})"
                                    "\n";
inline const std::string kMemory =
    R"({"call":"nvmlDeviceGetMemoryInfo_v2","gpu":1,"in":{"version":2},"code":"SUCCESS","out":{"memory":{"total":85520809984}}})"
    "\n";
inline const std::string kPair = R"({"call":"nvmlDeviceOnSameBoard","gpu":0,"peer":1,"code":"NOT_SUPPORTED"})"
                                 "\n";
inline const std::string kField =
    R"({"call":"nvmlDeviceGetFieldValues","gpu":0,"in":{"fieldId":"NVML_FI_DEV_POWER_INSTANT","scopeId":0},"number":186,"code":"SUCCESS","out":{"valueType":"NVML_VALUE_TYPE_UNSIGNED_INT","value":70000}})"
    "\n";

inline std::string recording() {
  return kHeader + kMissing + kMemory + kPair + kField + "{\"complete\":true,\"calls\":4}\n";
}

}  // namespace nvmlab::recording::test
