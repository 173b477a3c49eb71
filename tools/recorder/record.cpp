// SPDX-License-Identifier: Apache-2.0
#include "recorder/record.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "nvmlab/loader/function_names.hpp"
#include "nvmlab/loader/open.hpp"
#include "recorder/guard.hpp"
#include "recorder/packed_file.hpp"
#include "recorder/walk.hpp"

namespace nvmlab::recorder {
namespace {

constexpr unsigned kFormat = 1;

class Opened final : public Library {
 public:
  explicit Opened(nvml::detail::Shared state) : state_(std::move(state)) {}

  void* address(const char* name) const override {
    const std::size_t at = nvml::detail::index_of(name);
    return at < nvml::detail::kFunctionCount ? nvml::detail::entry(state_->functions, at) : nullptr;
  }
  std::string path() const { return state_->path.value_or(""); }

 private:
  nvml::detail::Shared state_;
};

// The recording's file, with a guard around every call and a line about the progress for who watches.
class Recording final : public Lines {
 public:
  Recording(PackedFile& file, Guard& guard) : file_(file), guard_(guard), watched_(::isatty(STDERR_FILENO) != 0) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() override {
    if (watched_ && said_) std::fputs("\r\033[K", stderr);
  }

  void line(std::string_view text) override {
    file_.line(text);
    ++lines_;
    if (watched_ && lines_ % 500 == 0) say();
  }
  void calling(std::string_view beginning) override { guard_.begin(beginning); }
  void returned() override { guard_.end(); }
  void progress(unsigned done, unsigned of) override {
    file_.flush();
    done_ = done;
    of_ = of;
    if (watched_) say();
  }
  bool stopped() const override { return file_.failed() || guard_.interrupted(); }

 private:
  void say() {
    said_ = true;
    std::fprintf(stderr, "\rGPU %u of %u, %u lines\033[K", of_ == 0 ? 0 : done_ + 1, of_, lines_);
    std::fflush(stderr);
  }

  PackedFile& file_;
  Guard& guard_;
  bool watched_;
  bool said_ = false;
  unsigned lines_ = 0;
  unsigned done_ = 0;
  unsigned of_ = 0;
};

// Into memory.
class TextLines final : public Lines {
 public:
  explicit TextLines(std::string& text) : text_(text) {}
  void line(std::string_view text) override {
    text_ += text;
    text_ += '\n';
  }

 private:
  std::string& text_;
};

// In one line, as all messages are.
std::string why_not(const nvml::Error& error, bool named) {
  const auto tried = std::ranges::count(error.detail(), '\n') + 1;
  if (!named && error.origin() == nvml::Origin::loader && tried > 1) {
    return "nothing to record: there is no NVIDIA driver here; libnvidia-ml.so.1 was looked for in " +
           std::to_string(tried) +
           " places (--library names another; `nvmlab run --profile dgx-h100 -- nvmlab record ...` records simulated "
           "GPUs)";
  }
  std::string sentence = "nothing to record: " + error.summary();
  if (!error.detail().empty()) sentence += "\n" + std::string(error.detail());
  for (std::size_t at = sentence.find('\n'); at != std::string::npos; at = sentence.find('\n', at))
    sentence.replace(at, 1, "; ");
  return sentence;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string first_line(const RecordOptions& options, const Opened& library, const Objects& objects, Masker& masker) {
  std::string line;
  Json json(line);
  json.begin_object();
  json.key("nvmlab_recording").number(kFormat);
  json.key("tool").text(options.version);
  json.key("header").text(newest_header);
  json.key("taken").text(now());
  json.key("masked").boolean(masker.on());
  json.key("host").text(masker.text(host(), Mask::host));
  json.key("library").text(library.path());
  for (const auto& [key, function] :
       {std::pair{"driver", "nvmlSystemGetDriverVersion"}, std::pair{"nvml", "nvmlSystemGetNVMLVersion"}}) {
    char version[96] = {};
    if (library.call(function, version, sizeof version) == kSuccess) json.key(key).text(version);
  }
  int cuda = 0;
  if (library.call("nvmlSystemGetCudaDriverVersion_v2", &cuda) == kSuccess) json.key("cuda").integer(cuda);
  json.key("gpus").number(objects.gpu_count);
  json.key("units").number(objects.units.size());
  json.end_object();
  return line;
}

std::string last_line(unsigned calls) {
  std::string line;
  Json json(line);
  json.begin_object();
  json.key("complete").boolean(true);
  json.key("calls").number(calls);
  json.end_object();
  return line;
}

std::string summary(const RecordOptions& options, unsigned calls, const Objects& objects) {
  const unsigned gpus = objects.gpu_count;
  return options.output + ": " + std::to_string(calls) + " lines, " + std::to_string(gpus) +
         (gpus == 1 ? " GPU" : " GPUs") + (options.identifiers ? "; identifiers are kept" : "; identifiers are masked");
}

}  // namespace

RecordOutcome record(const RecordOptions& options) {
  PackedFile file;
  if (std::string wrong = file.open(options.output, options.force); !wrong.empty()) return {false, std::move(wrong)};
  auto state = nvml::detail::open({.path = options.library});
  if (!state) return {false, why_not(state.error(), !options.library.empty())};
  const Opened library(std::move(*state));

  Guard guard(file, options.program, options.patience);
  guard.begin(R"({"call":"nvmlDeviceGetHandleByIndex_v2")");
  const Objects objects = find_objects(library);
  guard.end();
  Masker masker(!options.identifiers);
  file.line(first_line(options, library, objects, masker));
  unsigned calls = 0;
  {
    Recording recording(file, guard);
    calls = walk(library, objects, masker, recording, {.skip = options.skip});
  }
  if (guard.interrupted() && !file.failed()) {
    guard.keep("interrupted");
    return {};
  }
  file.line(last_line(calls));
  if (std::string wrong = file.finish(); !wrong.empty()) return {false, std::move(wrong)};
  return {true, summary(options, calls, objects)};
}

RecordOutcome record_text(const RecordOptions& options, std::string& text) {
  auto state = nvml::detail::open({.path = options.library});
  if (!state) return {false, why_not(state.error(), !options.library.empty())};
  const Opened library(std::move(*state));
  const Objects objects = find_objects(library);
  Masker masker(!options.identifiers);
  TextLines lines(text);
  lines.line(first_line(options, library, objects, masker));
  const unsigned calls = walk(library, objects, masker, lines, {.skip = options.skip});
  lines.line(last_line(calls));
  return {true, summary(options, calls, objects)};
}

}  // namespace nvmlab::recorder
