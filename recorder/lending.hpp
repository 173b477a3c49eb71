// SPDX-License-Identifier: Apache-2.0
// The memory that is lent to a function for one call, and the words that are passed for its parameters. Tests:
// tests/unit/recorder/ask_test.cpp.
#pragma once

#include "recorder/library.hpp"
#include "recorder/room.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {

inline constexpr std::size_t kParameters = 6;

class Lending {
 public:
  Lending(const Function& function, Word receiver, Word peer) : function_(function), receiver_(receiver), peer_(peer) {}

  // Of structs with versions: 0 is the newest.
  std::size_t version() const { return version_; }
  void use_version(std::size_t version) { version_ = version; }
  const Version& version_of(const Parameter& parameter) const;

  // What is passed for a parameter, with room for so many elements of a list; inputs are 0.
  Word word(std::size_t place, std::uint32_t items);

  std::byte* memory(std::size_t place) const { return rooms_[place].get(); }
  std::size_t size(std::size_t place) const { return rooms_[place].size(); }

  bool has_list() const;
  // How many elements the library says that there are, beside the list or within the struct.
  std::uint32_t told_items() const;
  // How many of a list can be looked at: a driver may count beyond what it was lent.
  std::uint64_t listed(std::size_t place, std::uint32_t told) const;
  void hold_counts_to_room();  // the same for lists within structs

 private:
  Word lend_structure(const Version& version, std::size_t place, std::uint32_t items);
  std::uint32_t capacity() const;

  const Function& function_;
  Word receiver_;
  Word peer_;
  std::size_t version_ = 0;
  std::uint32_t items_ = 0;
  Room rooms_[kParameters];
  Room behind_[kParameters];
};

}  // namespace nvmlab::recorder
