// SPDX-License-Identifier: Apache-2.0
// Two processes that use CUDA at once, joined by a socket that carries structs and descriptors.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/drivers/cuda/stream_bench.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::cuda_test {

class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}

  template <class T>
  void tell(const T& what) const {
    if (::send(socket_, &what, sizeof what, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof what)) ::_exit(240);
  }
  template <class T>
  T hear() const {
    T what{};
    if (::recv(socket_, &what, sizeof what, MSG_WAITALL) != static_cast<ssize_t>(sizeof what)) ::_exit(241);
    return what;
  }
  void give(int fd) const {
    Parcel parcel;
    parcel.fill(fd);
    if (::sendmsg(socket_, &parcel.message, MSG_NOSIGNAL) != 1) ::_exit(242);
  }
  int take() const {
    Parcel parcel;
    if (::recvmsg(socket_, &parcel.message, 0) != 1) ::_exit(243);
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&parcel.message)), sizeof fd);
    return fd;
  }

 private:
  struct Parcel {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    Parcel() {
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
    }
    void fill(int fd) {
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof fd);
      std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
  };
  int socket_;
};

using Part = int (*)(const StreamBench& bench, const Line& line);

// How both ended; the second may be killed by the first and stays a zombie until the first has ended, too.
inline std::string two_processes(Part first, Part second) {
  int sockets[2] = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return "no socket";
  std::string ended[2];
  const pid_t other = ::fork();
  if (other == 0) {
    ::close(sockets[0]);
    ::alarm(test::kDeadline.count());
    ::_exit([&] {
      const Cuda cuda;
      if (!cuda.open() || cuda.init() != kSuccess) return 250;
      const StreamBench bench(cuda);
      return second(bench, Line(sockets[1]));
    }());
  }
  ::close(sockets[1]);
  ended[0] = in_cuda({}, [&](const Cuda& cuda) {
    const StreamBench bench(cuda);
    return first(bench, Line(sockets[0]));
  });
  ::close(sockets[0]);
  int status = 0;
  ::waitpid(other, &status, 0);
  ended[1] =
      WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status)) : "signal " + std::to_string(WTERMSIG(status));
  return ended[0] + ", " + ended[1];
}

}  // namespace nvmlab::cuda_test
