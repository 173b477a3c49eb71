// SPDX-License-Identifier: Apache-2.0
#include "recorder/packed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace nvmlab::recorder {
namespace {

constexpr int kLevel = 6;
constexpr int kMemory = 8;
constexpr int kGzip = MAX_WBITS + 16;
constexpr mode_t kMode = 0644;

std::string because(const std::string& path, int reason) { return path + ": " + std::strerror(reason); }

}  // namespace

PackedFile::~PackedFile() {
  if (packing_) ::deflateEnd(&stream_);
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
    ::unlink(partial_.c_str());
  }
}

std::string PackedFile::open(const std::string& path, bool replace) {
  replace_ = replace;
  path_ = path;
  if (path == "-") {
    if (::isatty(STDOUT_FILENO) != 0)
      return "standard output is a terminal; a recording is compressed: -o FILE, or | zcat";
    descriptor_ = STDOUT_FILENO;
  } else {
    if (!replace && ::access(path.c_str(), F_OK) == 0) return path + " is there already; --force replaces it";
    partial_ = path + ".partial";
    descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (descriptor_ < 0) return because(partial_, errno);
  }
  if (::deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) return "out of memory";
  packing_ = true;
  return {};
}

void PackedFile::write(const unsigned char* bytes, std::size_t size) {
  while (size > 0 && !failed_) {
    const ssize_t done = ::write(descriptor_, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      failed_ = true;
      reason_ = errno;
      return;
    }
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

void PackedFile::pack(const char* bytes, std::size_t size, int how) {
  // zlib does not write to its input, but its declaration says no const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
  stream_.avail_in = static_cast<uInt>(size);
  do {
    stream_.next_out = room_;
    stream_.avail_out = sizeof room_;
    ::deflate(&stream_, how);
    write(room_, sizeof room_ - stream_.avail_out);
  } while (stream_.avail_out == 0 && !failed_);
}

void PackedFile::line(std::string_view text) {
  pack(text.data(), text.size(), Z_NO_FLUSH);
  pack("\n", 1, Z_NO_FLUSH);
}

void PackedFile::flush() { pack("", 0, Z_SYNC_FLUSH); }

void PackedFile::abandon() {
  if (!packing_) return;
  pack("", 0, Z_FINISH);
  descriptor_ = -1;
}

std::string PackedFile::finish() {
  pack("", 0, Z_FINISH);
  if (failed_) return because(partial_.empty() ? "standard output" : partial_, reason_);
  if (partial_.empty()) return {};
  if (::close(descriptor_) != 0) {
    descriptor_ = -1;
    return because(partial_, errno);
  }
  descriptor_ = -1;
  // link() refuses what has come to be there in the meantime; not every file system has it.
  if (!replace_ && ::link(partial_.c_str(), path_.c_str()) == 0) {
    ::unlink(partial_.c_str());
    return {};
  }
  if (!replace_ && ::access(path_.c_str(), F_OK) == 0)
    return path_ + " has come to be there; the recording is in " + partial_;
  if (::rename(partial_.c_str(), path_.c_str()) != 0) return because(path_, errno);
  return {};
}

}  // namespace nvmlab::recorder
