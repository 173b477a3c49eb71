// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "import/recording/gunzip.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::recording {
namespace {

using nlohmann::json;

constexpr std::string_view kFirstKey = "\"nvmlab_recording\"";
constexpr unsigned kFormat = 1;
constexpr unsigned kDepth = 32;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;
constexpr std::size_t kFirstBytes = 256;

struct SubjectKey {
  const char* name;
  std::optional<unsigned> CallSubject::*place;
};
constexpr SubjectKey kSubjectKeys[] = {
    {"gpu", &CallSubject::gpu},
    {"mig", &CallSubject::mig},
    {"gpu_instance", &CallSubject::gpu_instance},
    {"compute_instance", &CallSubject::compute_instance},
    {"peer", &CallSubject::peer},
    {"unit", &CallSubject::unit},
    {"vgpu_type", &CallSubject::vgpu_type},
    {"vgpu", &CallSubject::vgpu},
};

template <class T>
using Read = std::expected<T, std::string>;

std::unexpected<std::string> wrong(std::string sentence) { return std::unexpected(std::move(sentence)); }

// Nesting before anything is built from it; brackets within texts do not count.
bool too_deep(std::string_view line) {
  unsigned depth = 0;
  bool text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (text && c == '\\') {
      ++i;
    } else if (c == '"') {
      text = !text;
    } else if (!text && (c == '{' || c == '[')) {
      if (++depth > kDepth) return true;
    } else if (!text && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Read<json> parse_line(std::string_view line) {
  if (line.size() > kLongestLine) return wrong(fmt::format("a line is longer than {} MiB", kLongestLine >> 20));
  if (too_deep(line)) return wrong(fmt::format("nested more than {} levels deep", kDepth));
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return wrong("no JSON object; each line of a recording is one");
  return object;
}

std::string text_at(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

Read<std::optional<unsigned>> count_at(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  if (!at->is_number_unsigned() || at->get<std::uint64_t>() > 0xFFFFFFFFu)
    return wrong(fmt::format("\"{}\" is no number from 0 to 4294967295", key));
  return at->get<unsigned>();
}

Read<Header> header_of(json line) {
  const auto format = count_at(line, "nvmlab_recording");
  if (!format) return wrong(format.error());
  const std::optional<unsigned>& number = *format;
  if (!number)
    return wrong("no recording: the first line of one begins with {\"nvmlab_recording\": 1; `nvmlab record` writes it");
  if (*number != kFormat)
    return wrong(fmt::format("a recording of format {}, and this nvmlab reads format {}", *number, kFormat));
  Header header;
  header.tool = text_at(line, "tool");
  header.header = text_at(line, "header");
  header.taken = text_at(line, "taken");
  header.host = text_at(line, "host");
  header.library = text_at(line, "library");
  header.driver = text_at(line, "driver");
  header.nvml = text_at(line, "nvml");
  if (const auto cuda = line.find("cuda"); cuda != line.end() && cuda->is_number_integer())
    header.cuda = cuda->get<int>();
  for (const auto& [key, place] : {std::pair{"gpus", &header.gpus}, std::pair{"units", &header.units}}) {
    const auto count = count_at(line, key);
    if (!count) return wrong(count.error());
    *place = count->value_or(0);
  }
  if (const auto masked = line.find("masked"); masked != line.end() && masked->is_boolean())
    header.masked = masked->get<bool>();
  header.all = std::move(line);
  return header;
}

Read<Call> call_of(json& line) {
  Call call;
  call.function = text_at(line, "call");
  call.code = text_at(line, "code");
  if (call.function.empty()) return wrong("a line without \"call\", the function that was called");
  if (call.code.empty()) return wrong(fmt::format("{} without \"code\", what it returned", call.function));
  for (const SubjectKey& key : kSubjectKeys) {
    const auto number = count_at(line, key.name);
    if (!number) return wrong(number.error());
    call.subject.*key.place = *number;
  }
  const auto number = count_at(line, "number");
  if (!number) return wrong(number.error());
  call.number = *number;
  for (const auto& [key, place] : {std::pair{"in", &call.in}, std::pair{"out", &call.out}}) {
    const auto at = line.find(key);
    if (at == line.end()) continue;
    if (!at->is_object()) return wrong(fmt::format("\"{}\" of {} is no object", key, call.function));
    *place = std::move(*at);
  }
  return call;
}

// Takes line after line; what it makes of each is added to the recording.
class LineReader {
 public:
  explicit LineReader(Recording& recording) : recording_(recording) {}

  Read<void> take(std::string_view text, std::size_t number) {
    if (std::ranges::all_of(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; })) return {};
    auto line = parse_line(text);
    if (!line) return std::unexpected(line.error());
    if (!begun_) {
      auto header = header_of(std::move(*line));
      if (!header) return std::unexpected(header.error());
      recording_.header = std::move(*header);
      begun_ = true;
      return {};
    }
    if (recording_.complete) return wrong("a line after the one that says that the recording is complete");
    if (line->contains("complete")) return end(*line);
    if (line->contains("calling")) return {};  // the call that did not return
    auto call = call_of(*line);
    if (!call) return std::unexpected(call.error());
    call->line = number;
    recording_.calls.push_back(std::move(*call));
    return {};
  }

  bool begun() const { return begun_; }

 private:
  Read<void> end(const json& line) {
    const auto calls = count_at(line, "calls");
    if (!calls) return wrong(calls.error());
    const std::optional<unsigned>& written = *calls;
    if (written && *written != recording_.calls.size())
      return wrong(fmt::format("{} calls were written and {} are here: lines are missing or were added", *written,
                               recording_.calls.size()));
    recording_.complete = true;
    return {};
  }

  Recording& recording_;
  bool begun_ = false;
};

std::expected<Recording, Error> read_text(Recording recording, std::string_view text, bool cut_off,
                                          const Options& options) {
  LineReader reader(recording);
  std::size_t number = 0;
  const auto refuse = [&](std::string message) {
    return std::unexpected(Error{recording.name, number, 0, std::move(message)});
  };
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    if (!whole && cut_off) break;
    if (auto taken = reader.take(text.substr(0, end), number); !taken) {
      if (!whole && options.partial && reader.begun()) break;
      return refuse(std::move(taken.error()));
    }
    text.remove_prefix(whole ? end + 1 : text.size());
  }
  if (cut_off && !options.partial)
    return refuse("the compressed data ends here, without its end mark: the file was cut off; copy it again");
  if (!reader.begun()) return refuse("nothing in it; a recording has a first line that says what it is");
  if (!recording.complete && !options.partial)
    return refuse(
        "the recording ends here, without the line that says that it is complete: copy it again, or record again");
  return recording;
}

}  // namespace

bool CallSubject::of_gpu(unsigned index) const {
  CallSubject only;
  only.gpu = index;
  return *this == only;
}

std::string CallSubject::text() const {
  std::string text;
  for (const SubjectKey& key : kSubjectKeys) {
    if (const auto& number = this->*key.place)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.name, *number);
  }
  return text.empty() ? "machine" : text;
}

bool Call::lacking() const { return code == "FUNCTION_NOT_FOUND" && subject.of_machine() && in.empty(); }

bool is_recording(std::string_view bytes) {
  if (!is_gzip(bytes)) return bytes.substr(0, kFirstBytes).find(kFirstKey) != std::string_view::npos;
  // Enough of it to see the first key, however well it is compressed.
  const auto unpacked = gunzip(bytes.substr(0, 4 * kFirstBytes), std::size_t{4} << 20);
  return unpacked && is_recording(std::string_view(unpacked->text).substr(0, kFirstBytes));
}

std::expected<Recording, Error> read_bytes(const std::string& name, std::string_view bytes, const Options& options) {
  Recording recording;
  recording.name = name;
  if (!is_gzip(bytes)) {
    if (bytes.size() > options.max_bytes)
      return std::unexpected(
          Error{name, 0, 0, fmt::format("has more than {} MiB, which no recording has", options.max_bytes >> 20)});
    return read_text(std::move(recording), bytes, false, options);
  }
  auto unpacked = gunzip(bytes, options.max_bytes);
  if (!unpacked) return std::unexpected(Error{name, 0, 0, std::move(unpacked.error())});
  return read_text(std::move(recording), unpacked->text, unpacked->cut_off, options);
}

std::expected<Recording, Error> read_file(const std::filesystem::path& path, const Options& options) {
  const std::string name = path.string();
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code) return std::unexpected(Error{name, 0, 0, code.message()});
  if (size > options.max_bytes)
    return std::unexpected(
        Error{name, 0, 0, fmt::format("has more than {} MiB, which no recording has", options.max_bytes >> 20)});
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream) return std::unexpected(Error{name, 0, 0, "cannot be read"});
  return read_bytes(name, bytes.view(), options);
}

}  // namespace nvmlab::recording
