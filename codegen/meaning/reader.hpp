// SPDX-License-Identifier: Apache-2.0
// One verdict of a file of model/meaning/, from YAML; verdicts.hpp has what comes out.
#pragma once

#include <set>

#include "codegen/meaning/readings.hpp"

namespace nvmlab::codegen {

class VerdictReader {
 public:
  VerdictReader(const Registry& registry, const Vocabulary& vocabulary)
      : registry_(registry), vocabulary_(vocabulary), subjects_(vocabulary) {}

  // The `reasons` of a file, before its verdicts: a refusal that many functions share, told once.
  Result<void> reasons(const yaml::Node* content);
  // After the verdicts: a reason that nobody has.
  const std::string* unused_reason() const;

  Result<Verdict> verdict(const yaml::Node& key, const yaml::Node& value);

  SubjectReader& subjects() { return subjects_; }

 private:
  struct Reason {
    std::string why;
    std::string answer;
    bool used = false;
  };

  Result<void> kind(const yaml::Node& name, const yaml::Node& content, Verdict& verdict, int& kinds);
  Result<bool> plain_attribute(const yaml::Node& name, const yaml::Node& content, Verdict& verdict);
  Result<bool> reading_attribute(const yaml::Node& name, const yaml::Node& content, Verdict& verdict);
  Result<void> item_attribute(const yaml::Node& name, const yaml::Node& content, Verdict& verdict);
  Result<void> fields(const yaml::Node& content, const Verdict& verdict, std::vector<std::string>& paths) const;
  Result<void> pair_of(const yaml::Node& content, const char* form, std::string& first, std::string& second) const;
  Result<void> parameter(const yaml::Node& node, const Verdict& verdict) const;
  Result<void> reading(const yaml::Node& key, Verdict& verdict);
  Result<void> written(const yaml::Node& content, Verdict& verdict) const;
  Result<void> changed(const yaml::Node& key, Verdict& verdict) const;
  Result<void> member(const yaml::Node& name, const yaml::Node& content, Verdict& verdict) const;
  Result<void> given(const yaml::Node& content, const Verdict& verdict) const;

  const Registry& registry_;
  const Vocabulary& vocabulary_;
  const Function* function_ = nullptr;
  ReadingNodes nodes_;
  std::map<std::string, Reason> reasons_;
  SubjectReader subjects_;
};

}  // namespace nvmlab::codegen
