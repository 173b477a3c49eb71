// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "kernels/run/settings.hpp"

namespace nvmlab::kernels {
namespace {

std::string member(const char* name, std::uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}

std::string shape(const char* name, const std::uint32_t* sizes) {
  return std::string(", \"") + name + "\": [" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
         std::to_string(sizes[2]) + "]";
}

}  // namespace

// Names of PTX have neither quotes nor backslashes. No descriptor is kept: programs close those that they do not know.
void record_launch(const FunctionCode& kernel, const nvmlab_launch& request, const nvmlab_fault& fault,
                   std::uint64_t took_ns) {
  const std::string& path = settings().record;
  if (path.empty()) return;
  const std::string line = "{\"pid\": " + std::to_string(::getpid()) + ", \"kernel\": \"" + kernel.name + "\"" +
                           shape("grid", request.grid) + shape("block", request.block) +
                           member("shared", kernel.shared_bytes + std::uint64_t{request.dynamic_shared_bytes}) +
                           member("ns", took_ns) + member("instructions", fault.instructions) +
                           member("code", static_cast<std::uint64_t>(fault.code)) + "}\n";
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  // In one piece, so that lines of several processes stay whole; one that does not fit is lost.
  [[maybe_unused]] const auto written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

}  // namespace nvmlab::kernels
