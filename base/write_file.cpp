// SPDX-License-Identifier: Apache-2.0
#include "base/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace nvmlab {

std::expected<void, std::string> write_file(const std::string& path, const std::vector<std::byte>& bytes,
                                            unsigned mode) {
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  const auto failed = [&](int number) {
    ::unlink(draft.c_str());
    return std::unexpected(fmt::format("{}: {}", path, std::strerror(number)));
  };
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0) return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int number = errno;
      ::close(fd);
      return failed(number);
    }
    done += static_cast<std::size_t>(count);
  }
  if (::close(fd) != 0) return failed(errno);
  if (::rename(draft.c_str(), path.c_str()) != 0) return failed(errno);
  return {};
}

}  // namespace nvmlab
