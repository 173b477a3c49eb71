// SPDX-License-Identifier: Apache-2.0
// Emitter of generated/method_functions.hpp: the C functions behind each method, for fakes by method, and of
// tests/binding/generated/fake_methods.hpp, which names all of them; tests/binding/generated/list_forms.hpp names those
// of lists, signatures.hpp the types of all. Covered by tests/binding/fake_methods_test.cpp, list_forms_test.cpp and
// type_rule_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/tests_page.hpp"
#include "codegen/io/output.hpp"

namespace nvmlab::codegen::methods {

class MethodFunctions {
 public:
  // The methods that a family's pieces are: each version's, of which the function is its own, and the family's, of all.
  void add(const Family& family, const std::vector<Pieces>& all);
  // How its function takes the arguments.
  Result<void> add_ways(const Writing& writing, const Method& method);
  void emit(const BindingTypes& types, Output& output) const;
  Result<void> emit_signatures(const BindingTypes& types, Output& output) const;
  const MethodCounts& counts() const { return counts_; }

 private:
  void add_one(const Method& method, const std::string& name, const Piece& piece,
               const std::vector<std::string>& behind);
  void add_forms(const Method& method, const std::string& name, const Pieces& pieces, std::size_t functions);

  std::string ways_;
  std::string traits_;
  std::string visits_;
  std::string forms_;
  std::string signatures_;
  MethodCounts counts_;
};

}  // namespace nvmlab::codegen::methods
