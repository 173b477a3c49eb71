// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <memory>

#include "nvmlab/abi/generated/types.hpp"
#include "recorder/by_hand.hpp"

namespace nvmlab::recorder {
namespace {

namespace abi = nvml::abi;

constexpr char kMetricsGet[] = "nvmlGpmMetricsGet";
constexpr std::int64_t kApart = 200;  // milliseconds
constexpr unsigned kBatch = 32;       // fewer than any driver refuses

std::int64_t monotonic_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

void wait_until(std::int64_t moment) {
  for (std::int64_t left = moment - monotonic_ms(); left > 0; left = moment - monotonic_ms()) {
    timespec time{};
    time.tv_sec = left / 1000;
    time.tv_nsec = left % 1000 * 1'000'000;
    ::nanosleep(&time, nullptr);
  }
}

}  // namespace

MetricSamples::~MetricSamples() {
  for (const Pair& pair : pairs_) {
    walking_.library.call("nvmlGpmSampleFree", pair.first);
    walking_.library.call("nvmlGpmSampleFree", pair.second);
  }
}

void MetricSamples::take(const Object& device) {
  for (const char* needed : {"nvmlGpmSampleAlloc", "nvmlGpmSampleFree", "nvmlGpmSampleGet", kMetricsGet}) {
    if (!walking_.library.has(needed)) return;
  }
  add(device, device.handle);
  if (!walking_.library.has("nvmlGpmMigSampleGet")) return;
  for (const Object& instance : walking_.objects.gpu_instances) {
    if (instance.subject.gpu == device.subject.gpu && device.subject.mig < 0) add(instance, device.handle);
  }
}

int MetricSamples::sample(const Pair& pair, Word into) {
  if (pair.about.subject.gpu_instance < 0)
    return call_announced(walking_, "nvmlGpmSampleGet", pair.about.subject, pair.device, into);
  return call_announced(walking_, "nvmlGpmMigSampleGet", pair.about.subject, pair.device,
                        static_cast<Word>(pair.about.subject.gpu_instance), into);
}

void MetricSamples::add(const Object& about, Word device) {
  Pair pair{about, device, 0, 0};
  if (walking_.library.call("nvmlGpmSampleAlloc", &pair.first) != kSuccess) return;
  if (walking_.library.call("nvmlGpmSampleAlloc", &pair.second) != kSuccess) {
    walking_.library.call("nvmlGpmSampleFree", pair.first);
    return;
  }
  const int answer = sample(pair, pair.first);
  if (answer == kSuccess) {
    pairs_.push_back(pair);
    taken_ = monotonic_ms();
    return;
  }
  walking_.library.call("nvmlGpmSampleFree", pair.first);
  walking_.library.call("nvmlGpmSampleFree", pair.second);
  write_refusal(about.subject.gpu_instance < 0 ? "nvmlGpmSampleGet" : "nvmlGpmMigSampleGet", about.subject, answer);
}

void MetricSamples::write_refusal(const char* function, const ObjectPlace& subject, int answer) {
  std::string line;
  Json json(line);
  begin_line(json, function, subject);
  code(json.key("code"), answer);
  json.end_object();
  ++walking_.calls;
  walking_.lines.line(line);
}

void MetricSamples::compare() {
  if (pairs_.empty()) return;
  wait_until(taken_ + kApart);
  for (const Pair& pair : pairs_) {
    const int answer = sample(pair, pair.second);
    if (answer != kSuccess) {
      write_refusal("nvmlGpmSampleGet", pair.about.subject, answer);
    } else {
      write_metrics(pair);
    }
  }
}

void MetricSamples::write_metrics(const Pair& pair) {
  const auto request = std::make_unique<abi::nvmlGpmMetricsGet_t>();
  for (std::size_t from = 0; from < metrics.all.size(); from += kBatch) {
    *request = {};
    request->version = 1;
    request->sample1 = reinterpret_cast<abi::nvmlGpmSample_t>(pair.first);
    request->sample2 = reinterpret_cast<abi::nvmlGpmSample_t>(pair.second);
    while (request->numMetrics < kBatch && from + request->numMetrics < metrics.all.size()) {
      request->metrics[request->numMetrics].metricId =
          static_cast<unsigned>(metrics.all[from + request->numMetrics].value);
      ++request->numMetrics;
    }
    const unsigned asked = request->numMetrics;
    const int answer = call_announced(walking_, kMetricsGet, pair.about.subject, request.get());
    for (unsigned i = 0; i < asked; ++i) {
      const int own = answer != kSuccess ? answer : static_cast<int>(request->metrics[i].nvmlReturn);
      std::string line;
      Json json(line);
      begin_line(json, kMetricsGet, pair.about.subject);
      json.key("in").begin_object();
      json.key("metricId").text(metrics.all[from + i].name);
      json.end_object();
      code(json.key("code"), own);
      if (own == kSuccess) {
        json.key("out").begin_object();
        json.key("value").real(request->metrics[i].value);
        json.end_object();
      }
      json.end_object();
      ++walking_.calls;
      walking_.lines.line(line);
    }
    if (walking_.lines.stopped()) return;
  }
}

}  // namespace nvmlab::recorder
