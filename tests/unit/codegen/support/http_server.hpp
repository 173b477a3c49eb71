// SPDX-License-Identifier: Apache-2.0
// A web server on loopback that plays recorded indexes: one thread, one answer per connection, a port of the system's
// choice.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace nvmlab::codegen::test {

class HttpServer {
 public:
  struct Answer {
    std::string body;
    std::string status = "200 OK";
    std::string headers;             // each with its line end
    std::size_t promised_extra = 0;  // bytes that Content-Length promises and that never come
  };

  HttpServer();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void serve(const std::string& path, Answer answer);
  void serve(const std::string& path, std::string body) { serve(path, Answer{std::move(body), "200 OK", {}, 0}); }
  std::string url(const std::string& path = "/") const;
  std::vector<std::string> asked() const;  // paths, in order

 private:
  void run();
  void answer(int connection);

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::vector<std::string> asked_;
  std::thread thread_;
};

}  // namespace nvmlab::codegen::test
