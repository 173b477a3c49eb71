// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <memory>

namespace nvmlab::codegen {
namespace {

struct Sink {
  std::string bytes;
  std::size_t limit = 0;
  bool too_large = false;
};

std::size_t receive(char* data, std::size_t one, std::size_t size, void* user) {
  auto& sink = *static_cast<Sink*>(user);
  if (size > sink.limit - sink.bytes.size()) {
    sink.too_large = true;
    return 0;  // curl stops
  }
  sink.bytes.append(data, one * size);
  return one * size;
}

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

void configure(CURL* handle, const std::string& url, Sink& sink, char* error) {
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("https:") ? "https" : "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 100L);  // bytes a second ...
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, 30L);    // ... for so long: given up
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "nvmlgen");
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &sink);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
}

}  // namespace

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string join_url(std::string_view base, std::string_view relative) {
  if (is_url(relative)) return std::string(relative);
  while (relative.starts_with('/'))
    relative.remove_prefix(1);
  return fmt::format("{}{}{}", base, base.ends_with('/') ? "" : "/", relative);
}

Result<std::string> download(const std::string& url, std::size_t limit) {
  if (!is_url(url)) return fail(fmt::format("'{}' is not an address; it would begin with https:// or http://", url));
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, EasyDeleter> handle(started == CURLE_OK ? curl_easy_init() : nullptr);
  if (!handle) return fail("libcurl does not start");
  Sink sink{{}, limit, false};
  std::array<char, CURL_ERROR_SIZE> message{};
  configure(handle.get(), url, sink, message.data());
  const CURLcode code = curl_easy_perform(handle.get());
  if (sink.too_large)
    return fail(fmt::format("{}: larger than {} MiB, which is more than it should be", url, limit >> 20U));
  if (code != CURLE_OK) {
    return fail(fmt::format("{}: {}", url, message[0] != '\0' ? message.data() : curl_easy_strerror(code)));
  }
  return std::move(sink.bytes);
}

}  // namespace nvmlab::codegen
