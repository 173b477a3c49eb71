// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/support/http_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace nvmlab::codegen::test {

HttpServer::HttpServer() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr plain{};
  std::memcpy(&plain, &address, sizeof plain);
  socklen_t length = sizeof plain;
  const bool up = ::bind(listener_, &plain, sizeof plain) == 0 && ::listen(listener_, 16) == 0 &&
                  ::getsockname(listener_, &plain, &length) == 0;
  EXPECT_TRUE(up) << "no port on loopback";
  std::memcpy(&address, &plain, sizeof address);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  stop_ = true;
  ::shutdown(listener_, SHUT_RDWR);  // ends accept
  thread_.join();
  ::close(listener_);
}

void HttpServer::serve(const std::string& path, Answer answer) {
  const std::lock_guard lock(mutex_);
  answers_[path] = std::move(answer);
}

std::string HttpServer::url(const std::string& path) const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }

std::vector<std::string> HttpServer::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void HttpServer::run() {
  while (!stop_) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void HttpServer::answer(int connection) {
  std::string request;
  std::array<char, 4096> buffer{};
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    request.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const std::size_t begin = request.find(' ') + 1;
  const std::string path = request.substr(begin, request.find(' ', begin) - begin);
  Answer reply{"no such page", "404 Not Found", {}, 0};
  {
    const std::lock_guard lock(mutex_);
    asked_.push_back(path);
    if (const auto at = answers_.find(path); at != answers_.end()) reply = at->second;
  }
  const std::string text =
      fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", reply.status,
                  reply.body.size() + reply.promised_extra, reply.headers, reply.body);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t done = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (done <= 0) return;
    sent += static_cast<std::size_t>(done);
  }
}

}  // namespace nvmlab::codegen::test
