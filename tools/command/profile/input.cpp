// SPDX-License-Identifier: Apache-2.0
#include "command/profile/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "import/capture/capture.hpp"

namespace nvmlab::tool {
namespace {

class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : descriptor_(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool good() const { return descriptor_ >= 0; }
  bool is_folder() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode);
  }
  // Up to that many bytes; fewer where the file ends, -1 where it cannot be read.
  ssize_t read(char* at, std::size_t most) const {
    while (true) {
      const ssize_t count = ::read(descriptor_, at, most);
      if (count >= 0 || errno != EINTR) return count;
    }
  }

 private:
  int descriptor_;
};

}  // namespace

std::expected<std::string, std::string> read_input(const std::string& path) {
  const InputFile file(path);
  const auto failed = [&] {
    return std::unexpected(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  };
  if (!file.good()) return failed();
  if (file.is_folder()) return std::unexpected(fmt::format("{}: cannot be read: it is a folder", path));
  std::string bytes;
  constexpr std::size_t most = capture::max_bytes + 1;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  while (bytes.size() < most) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(before + chunk, most));
    const ssize_t count = file.read(bytes.data() + before, bytes.size() - before);
    if (count < 0) return failed();
    bytes.resize(before + static_cast<std::size_t>(count));
    if (count == 0) break;
  }
  return bytes;
}

}  // namespace nvmlab::tool
