// SPDX-License-Identifier: Apache-2.0
// The buffers that a function gets for one call, and the words that are passed for its parameters. Tests:
// tests/unit/recorder/ask_test.cpp.
#pragma once

#include "recorder/library.hpp"
#include "recorder/out_buffer.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {

inline constexpr std::size_t kParameters = 6;

class CallBuffers {
 public:
  CallBuffers(const Function& function, Word receiver, Word peer)
      : function_(function), receiver_(receiver), peer_(peer) {}

  // Of structs with versions: 0 is the newest.
  std::size_t version() const { return version_; }
  void use_version(std::size_t version) { version_ = version; }
  const Version& version_of(const Parameter& parameter) const;

  // What is passed for a parameter, with room for so many elements of a list; inputs are 0.
  Word word(std::size_t place, std::uint32_t items);

  std::byte* memory(std::size_t place) const { return outputs_[place].get(); }
  std::size_t size(std::size_t place) const { return outputs_[place].size(); }

  bool has_list() const;
  // How many elements the library says that there are, beside the list or within the struct.
  std::uint32_t counted_items() const;
  // How many of a list can be looked at: a driver may count beyond what there is room for.
  std::uint64_t listed(std::size_t place, std::uint32_t told) const;
  void limit_counts();  // the same for lists within structs

 private:
  Word pass_structure(const Version& version, std::size_t place, std::uint32_t items);
  std::uint32_t capacity() const;

  const Function& function_;
  Word receiver_;
  Word peer_;
  std::size_t version_ = 0;
  std::uint32_t items_ = 0;
  OutBuffer outputs_[kParameters];
  OutBuffer behind_[kParameters];
};

}  // namespace nvmlab::recorder
