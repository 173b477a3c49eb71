// SPDX-License-Identifier: Apache-2.0
// As much of an HTTP server as a scrape of Prometheus needs: one request after the other, each answered with a text.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>

inline void answer(int client, const std::function<std::string()>& text) {
  const timeval patience{5, 0};  // somebody who sends nothing shall not keep the others waiting
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string request;
  char part[1024];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < 16'384) {
    const ssize_t got = ::recv(client, part, sizeof part, 0);
    if (got <= 0) return;
    request.append(part, static_cast<std::size_t>(got));
  }
  const bool known = request.starts_with("GET /metrics ");
  const std::string body = known ? text() : "see /metrics\n";
  const std::string reply = std::string(known ? "HTTP/1.1 200 OK" : "HTTP/1.1 404 Not Found") +
                            "\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body;
  for (std::string_view left = reply; !left.empty();) {
    const ssize_t sent = ::send(client, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Answers on this port of the host itself until the process is ended. Port 0 is one that is free; it is printed.
inline int serve(int port, const std::function<std::string()>& text) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 16) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::cerr << "port " << port << ": " << std::strerror(errno) << '\n';
    return 1;
  }
  std::cout << "http://127.0.0.1:" << ntohs(address.sin_port) << "/metrics" << std::endl;
  for (;;) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) continue;
    answer(client, text);
    ::close(client);
  }
}
