// SPDX-License-Identifier: Apache-2.0
// A call of a foreign driver that crashes, or does not come back in time, ends the program, and what was recorded until
// then is kept with the name of the call. The handler may use the file because a call of the library is under way then,
// and nothing of ours.
#pragma once

#include <string_view>

#include "recorder/packed_file.hpp"

namespace nvmlab::recorder {

class Guard {
 public:
  // `program` begins the sentence that is said.
  Guard(PackedFile& file, std::string_view program, unsigned seconds);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();  // gives the handlers back

  void begin(std::string_view call);
  void end();
  bool interrupted() const;  // somebody wants an end, between two calls

  // Keeps what there is and says so: "stopped by ...". The call that was begun is named in the file.
  void keep(const char* why);
};

}  // namespace nvmlab::recorder
