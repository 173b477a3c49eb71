// SPDX-License-Identifier: Apache-2.0
//
// Every exported function as the tests see it: parameters with their roles from the facts, the verdict from the
// meaning vocabulary. Nothing here comes from generated code, so a generator that emits the wrong thing is found out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/meaning/verdicts.hpp"
#include "codegen/model/inputs.hpp"
#include "codegen/model/presence.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::driver_test {

enum class Role : std::uint8_t {
  device,   // nvmlDevice_t by value
  handle,   // any other handle by value
  number,   // integers and enumerators
  text,     // char*
  pointer,  // anything else behind one or more pointers
};

struct ParameterFacts {
  std::string name;
  codegen::Type type;
  Role role{};
  std::size_t size = 0;                     // of what a pointer points at, else of the value
  const codegen::Record* record = nullptr;  // of a pointer to a struct
  std::uint32_t version = 0;                // the version word that goes with this type; 0: not a versioned struct
  std::vector<std::uint32_t> family;        // version words of the type's other versions
  bool optional = false;                    // may be null
  bool hands_out = false;                   // a pointer to a handle other than a GPU's

  bool is_pointer() const { return role == Role::text || role == Role::pointer; }
  bool counts() const;  // a length or a number of items, as its name says
};

struct FunctionFacts {
  std::string name;
  std::vector<ParameterFacts> parameters;
  codegen::Verdict verdict;    // after `same_as`
  std::uint64_t presence = 0;  // one bit for each row of model/drivers.yaml

  bool takes_device() const { return !parameters.empty() && parameters[0].role == Role::device; }
  bool before_init() const { return verdict.before_init; }
  // Of a parameter by the name that the verdict uses; the same position as in the function that the verdict is of.
  int position(const std::string& parameter) const;
  bool in_driver(const std::string& version) const;

  std::vector<std::string> verdict_parameters;
};

// A member by its path ("cpuCaps", "sensor.value"): where it lies in a record.
struct MemberPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
};

class Api {
 public:
  static const Api& get();

  const std::vector<FunctionFacts>& functions() const { return functions_; }
  const FunctionFacts* find(const std::string& name) const;
  const codegen::Vocabulary& vocabulary() const { return vocabulary_; }
  const codegen::Registry& registry() const { return inputs_.registry; }
  long long enumerator(const std::string& name) const;  // also of macros; fails the test when there is none
  std::size_t size_of(const std::string& type) const;
  MemberPlace member(const codegen::Record& record, const std::string& path) const;
  const codegen::Record* record_of(const std::string& type) const;  // null for what is no struct
  bool is_handle(const std::string& type) const;
  // The struct that goes with a version word of a parameter's type, or of its family.
  const codegen::Record* record_of_version(const ParameterFacts& parameter, std::uint32_t word) const;

  std::size_t driver_row(const std::string& version) const;

  // A driver that has every function that is still there.
  static constexpr const char* kNewestDriver = "999.0";

 private:
  Api();
  ParameterFacts parameter(const codegen::Parameter& from) const;
  void add(const std::string& name, const codegen::Verdicts& verdicts);

  codegen::Inputs inputs_;
  codegen::Vocabulary vocabulary_;
  std::vector<FunctionFacts> functions_;
};

}  // namespace nvmlab::driver_test
