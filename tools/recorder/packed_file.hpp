// SPDX-License-Identifier: Apache-2.0
// Lines into a gzip file that has its name only when it is complete; what there is of one that is not stays beside it.
// Tests: tests/unit/recorder/packed_file_test.cpp, tests/command/record_test.cpp.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace nvmlab::recorder {

class PackedFile {
 public:
  PackedFile() = default;
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;
  ~PackedFile();  // what is not finished is removed, unless abandon() kept it

  // "" or a sentence about what is wrong. `-` is standard output. A file that is there is refused unless `replace`.
  std::string open(const std::string& path, bool replace);

  void line(std::string_view text);
  void flush();  // so that what was written so far can be read, whatever happens next
  std::string finish();

  // Ends the data and keeps it under partial_path(). Allocates nothing: for signal handlers.
  void abandon();

  bool failed() const { return failed_; }
  const std::string& partial_path() const { return partial_; }

 private:
  void pack(const char* bytes, std::size_t size, int how);
  void write(const unsigned char* bytes, std::size_t size);

  z_stream stream_{};
  bool packing_ = false;
  bool failed_ = false;
  bool replace_ = false;
  int reason_ = 0;  // errno of the first write that failed
  int descriptor_ = -1;
  std::string path_;
  std::string partial_;
  unsigned char room_[16384];
};

}  // namespace nvmlab::recorder
