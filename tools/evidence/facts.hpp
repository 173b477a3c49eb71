// SPDX-License-Identifier: Apache-2.0
//
// What the page about the shipped profiles says of one of them: where its values come from, and how far it agrees with
// the capture that most of them come from. Tests: tests/unit/evidence/evidence_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/shipped.hpp"

namespace nvmlab::evidence {

// Of the fields that a capture tells and that neither move by themselves nor name a unit.
struct Agreement {
  std::string capture;  // below the folder of captures
  std::size_t equal = 0;
  std::size_t compared = 0;
  std::vector<std::string> differing;  // names of fields
};

struct Profile {
  std::string name;
  std::string doc;
  bool machine = false;
  std::size_t gpus = 0;
  std::vector<std::string> inherits;
  std::map<std::string, std::size_t> by_kind;  // values of the first GPU and of the node
  std::size_t inherited = 0;                   // of these, stated by a family and not by the profile itself
  std::vector<std::string> evidence;           // captures, data sheets and documents, most used first
  std::map<std::string, std::vector<std::string>> assumed;  // why -> fields
  std::string main_capture;                                 // what most of its own values come from; empty: none
  std::string state;                                        // of that capture, where it shows several: "load"
};

// Families are no profiles of their own: their values are told with the boards that inherit them.
std::expected<std::vector<Profile>, std::string> shipped_profiles();

// Imports the capture and compares.
std::expected<Agreement, std::string> agreement_of(const Profile& profile, const std::filesystem::path& captures);

}  // namespace nvmlab::evidence
