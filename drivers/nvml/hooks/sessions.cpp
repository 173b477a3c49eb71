// SPDX-License-Identifier: Apache-2.0
//
// Sessions that encode or capture frames. Protocol C: a count of zero asks for the number of sessions. A board without
// the engine says so by having no average. Tests: tests/drivers/functions/protocols_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

template <class Sessions, class Info, class Fill>
nvmlReturn_t give_sessions(const Sessions& sessions, unsigned int* count, Info* infos, const Fill& fill) {
  const std::uint32_t offered = *count;
  if (offered > 0 && infos == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = sessions.size();
  if (offered == 0) return NVML_SUCCESS;
  if (offered < sessions.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::uint32_t i = 0; i < sessions.size(); ++i)
    infos[i] = fill(sessions[i]);
  return NVML_SUCCESS;
}

constexpr nvmlVgpuInstance_t kNoVgpu = 0;

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetEncoderSessions(const Device& gpu, unsigned int* sessionCount,
                                          nvmlEncoderSessionInfo_t* sessionInfos) {
  const Utilization use = fetch(gpu, &Gpu::utilization);
  if (!use.encoder_average_fps.has_value()) return code_of(use.encoder_average_fps.code());
  return give_sessions(use.encoder_sessions, sessionCount, sessionInfos, [](const Utilization::EncoderSession& from) {
    return nvmlEncoderSessionInfo_t{from.id.value_or(0),
                                    from.pid.value_or(0),
                                    kNoVgpu,
                                    static_cast<nvmlEncoderType_t>(from.codec.value_or(NVML_ENCODER_QUERY_UNKNOWN)),
                                    from.width.value_or(0),
                                    from.height.value_or(0),
                                    from.average_fps.value_or(0),
                                    from.average_latency_us.value_or(0)};
  });
}

nvmlReturn_t nvmlDeviceGetFBCSessions(const Device& gpu, unsigned int* sessionCount,
                                      nvmlFBCSessionInfo_t* sessionInfo) {
  const Utilization use = fetch(gpu, &Gpu::utilization);
  if (!use.fbc_average_fps.has_value()) return code_of(use.fbc_average_fps.code());
  return give_sessions(use.fbc_sessions, sessionCount, sessionInfo, [](const Utilization::CaptureSession& from) {
    return nvmlFBCSessionInfo_t{from.id.value_or(0),
                                from.pid.value_or(0),
                                kNoVgpu,
                                from.display.value_or(0),
                                static_cast<nvmlFBCSessionType_t>(from.kind.value_or(NVML_FBC_SESSION_TYPE_UNKNOWN)),
                                from.flags.value_or(0),
                                from.max_width.value_or(0),
                                from.max_height.value_or(0),
                                from.width.value_or(0),
                                from.height.value_or(0),
                                from.average_fps.value_or(0),
                                from.average_latency_us.value_or(0)};
  });
}

nvmlReturn_t nvmlDeviceGetEncoderStats(const Device& gpu, unsigned int* sessionCount, unsigned int* averageFps,
                                       unsigned int* averageLatency) {
  const Utilization use = fetch(gpu, &Gpu::utilization);
  if (!use.encoder_average_fps.has_value()) return code_of(use.encoder_average_fps.code());
  if (!use.encoder_average_latency_us.has_value()) return code_of(use.encoder_average_latency_us.code());
  *sessionCount = use.encoder_sessions.size();
  *averageFps = use.encoder_average_fps.value;
  *averageLatency = use.encoder_average_latency_us.value;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetFBCStats(const Device& gpu, nvmlFBCStats_t* fbcStats) {
  const Utilization use = fetch(gpu, &Gpu::utilization);
  if (!use.fbc_average_fps.has_value()) return code_of(use.fbc_average_fps.code());
  if (!use.fbc_average_latency_us.has_value()) return code_of(use.fbc_average_latency_us.code());
  *fbcStats = {use.fbc_sessions.size(), use.fbc_average_fps.value, use.fbc_average_latency_us.value};
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
