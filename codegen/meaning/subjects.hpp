// SPDX-License-Identifier: Apache-2.0
//
// What a function is of where a GPU or a unit alone does not say it: a type of vGPU, a vGPU, an instance that MIG made.
// A number or a handle of its own names it. `subjects` of a file of model/meaning/ lists them, each with what can be
// read of it; drivers/nvml/shapes/subjects.hpp finds them. Tests: tests/unit/codegen/subjects_test.cpp.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/tree.hpp"
#include "codegen/error.hpp"
#include "codegen/model/registry.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

struct VerdictSubject {
  std::string name;             // "vgpu_type"; empty: a GPU or a unit
  std::string type;             // of C++
  std::string list;             // of the state, whose items these are; empty: made of more than one field
  std::vector<std::string> by;  // types of the parameters that name one
  std::vector<std::pair<std::string, std::string>> members;  // of one that is made, with their types

  bool given() const { return !name.empty(); }
  bool made() const { return given() && list.empty(); }
  // The type of a member of one that is made; an error with the names that there are.
  Result<std::string> member(const std::string& member) const;
};

// Of a field of the state or, where there is a subject, of what can be read of that one: nothing, or an error that says
// what is wrong with the path.
Result<void> check_path(const Vocabulary& vocabulary, const VerdictSubject& subject, const std::string& path);

// The `subjects` of one file; null where it has none.
class SubjectReader {
 public:
  explicit SubjectReader(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Result<void> subjects(const yaml::Node* content);
  // After the verdicts: a subject that no function is of.
  const std::string* unused() const;

  // `of` of a verdict: "vgpu", or {vgpu: pid.vgpu}; and the arguments that name it. `function` may be null.
  Result<VerdictSubject> of(const yaml::Node& content, const Function* function, std::vector<std::string>& named_by);

 private:
  struct Row {
    VerdictSubject subject;
    bool used = false;
  };

  Result<VerdictSubject> row(const yaml::Node& name, const yaml::Node& content) const;

  const Vocabulary& vocabulary_;
  std::map<std::string, Row> rows_;
};

}  // namespace nvmlab::codegen
