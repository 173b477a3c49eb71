// SPDX-License-Identifier: Apache-2.0
// Where the lines of a walk go.
#pragma once

#include <string_view>

namespace nvmlab::recorder {

class Lines {
 public:
  virtual ~Lines() = default;

  // One JSON object, without its end of line.
  virtual void line(std::string_view text) = 0;

  // Around every call of the library, with the beginning of its line: {"call":"nvmlX","gpu":0
  virtual void calling(std::string_view beginning) { static_cast<void>(beginning); }
  virtual void returned() {}

  // Before each part of the walk: 0 of 8 GPUs done.
  virtual void progress(unsigned done, unsigned of) {
    static_cast<void>(done);
    static_cast<void>(of);
  }

  // Whether to go on.
  virtual bool stopped() const { return false; }
};

}  // namespace nvmlab::recorder
