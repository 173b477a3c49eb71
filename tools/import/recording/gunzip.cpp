// SPDX-License-Identifier: Apache-2.0
#include "import/recording/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace nvmlab::recording {
namespace {

constexpr int kGzipOnly = MAX_WBITS + 16;
constexpr std::size_t kPiece = std::size_t{64} << 10;

// zlib's state, which is to be given back on every way out.
class Inflater {
 public:
  Inflater() : ready_(::inflateInit2(&stream_, kGzipOnly) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) ::inflateEnd(&stream_);
  }

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }
  const char* reason() const { return stream_.msg != nullptr ? stream_.msg : "no reason given"; }

 private:
  z_stream stream_{};
  bool ready_;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::expected<Unpacked, std::string> gunzip(std::string_view bytes, std::size_t max_bytes) {
  Inflater inflater;
  if (!inflater.ready()) return std::unexpected(std::string("no memory to unpack it"));
  z_stream& stream = inflater.stream();
  Unpacked unpacked;
  std::string piece(kPiece, '\0');
  std::size_t at = 0;  // what zlib was given
  for (;;) {
    if (stream.avail_in == 0 && at < bytes.size()) {
      const std::size_t size = std::min<std::size_t>(bytes.size() - at, std::numeric_limits<uInt>::max());
      // zlib does not write to its input, but its declaration says no const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
      stream.avail_in = static_cast<uInt>(size);
      at += size;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = piece.size() - stream.avail_out;
    if (got > max_bytes - unpacked.text.size())
      return std::unexpected(fmt::format("unpacks to more than {} MiB, which no recording is", max_bytes >> 20));
    unpacked.text.append(piece, 0, got);
    const bool all_given = stream.avail_in == 0 && at == bytes.size();
    if (code == Z_STREAM_END) {
      if (all_given) return unpacked;
      if (::inflateReset(&stream) != Z_OK) return std::unexpected(std::string("cannot be unpacked further"));
      continue;
    }
    if (code == Z_BUF_ERROR || (code == Z_OK && all_given && got == 0)) {
      if (!all_given) return std::unexpected(std::string("cannot be unpacked further"));
      unpacked.cut_off = true;
      return unpacked;
    }
    if (code != Z_OK) return std::unexpected(fmt::format("the compressed data is damaged ({})", inflater.reason()));
  }
}

}  // namespace nvmlab::recording
