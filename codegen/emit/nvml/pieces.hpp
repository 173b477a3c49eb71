// SPDX-License-Identifier: Apache-2.0
// From a method of the plan to C++: one writer per shape, in a table by shape. A new shape is a writer in a file of its
// own and a row of the table in pieces.cpp. Covered by tests/unit/codegen/binding_methods_test.cpp.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/binding/members.hpp"
#include "codegen/binding/plan.hpp"
#include "codegen/binding/types.hpp"
#include "codegen/emit/nvml/hand_written.hpp"

namespace nvmlab::codegen::methods {

struct Writing {
  const Inputs& inputs;
  const Plan& plan;
  const BindingTypes& types;
  const HandWritten& hand;
};

// One C++ method. A C function can have several, which are overloads.
struct Piece {
  std::string result;                   // within Result<>
  std::vector<std::string> parameters;  // "ClockType type"
  std::string body;                     // what it returns, in one expression
  bool lent = false;                    // answers in memory of the caller's, which is its last parameter
  bool in_class = false;                // compiled by everybody: numbers alone are worth that
  std::set<std::string> headers;        // of the types in its signature
  std::string structure;                // a struct made for its result: its definition ...
  std::string structure_name;           // ... and name
  std::vector<std::string> members;     // ... and the names of its members
  std::string remark;                   // what the comment says about this overload alone
};
using Pieces = std::vector<Piece>;

using Writer = Result<Pieces> (*)(const Writing&, const Method&);

// Null: nobody writes this shape yet.
Writer writer_of(const Writing& writing, const Method& method);

Result<Pieces> write_nothing(const Writing& writing, const Method& method);  // of shape hand: a person's work
Result<Pieces> write_by_hand(const Writing& writing, const Method& method);  // the body is; see hand_written.hpp
bool is_by_hand(const Writing& writing, const Method& method);
Result<Pieces> write_command(const Writing& writing, const Method& method);
Result<Pieces> write_scalar(const Writing& writing, const Method& method);
Result<Pieces> write_several(const Writing& writing, const Method& method);
Result<Pieces> write_error_text(const Writing& writing, const Method& method);
Result<Pieces> write_object(const Writing& writing, const Method& method);
Result<Pieces> write_text(const Writing& writing, const Method& method);
Result<Pieces> write_record(const Writing& writing, const Method& method);
// The layouts in which that asks for the struct, newest first: "abi::nvmlGpuInstanceProfileInfo_v3_t".
std::vector<std::string> record_layouts(const Writing& writing, const Method& method);
Result<Pieces> write_keyed_record(const Writing& writing, const Method& method);
Result<Pieces> write_list(const Writing& writing, const Method& method);
Result<Pieces> write_embedded_list(const Writing& writing, const Method& method);
Result<Pieces> write_sized_array(const Writing& writing, const Method& method);
Result<Pieces> write_blob(const Writing& writing, const Method& method);

// Parts of which writers are made.

// The parameters that the caller gives, as the method declares them, and as the C function takes them.
struct Given {
  std::vector<std::string> declared;  // "ClockType type"
  std::vector<std::string> passed;    // "handle()", "detail::as<abi::nvmlClockType_t>(type)"
  std::set<std::string> headers;
};
Result<Given> given(const Writing& writing, const Method& method);

// One parameter that goes in.
Result<std::string> declared(const Writing& writing, const MethodParameter& parameter, std::set<std::string>& headers);
Result<std::string> passed(const Writing& writing, const MethodParameter& parameter);

// What a parameter's element is in C++.
Result<Typed> typed_of(const Writing& writing, const MethodParameter& parameter);

// A struct of one member is that member to those who call: a method answers and takes it alone. Nothing where there are
// more members, or where a person wrote the struct.
Result<std::optional<TypedMember>> sole_member(const Writing& writing, const Type& c);

// "abi::nvmlMemory_t": one element of what a pointer points to.
std::string c_element(const Type& type);

// "state(), &Functions::nvmlX, handle(), type"; `owner` is state() or library().
std::string call_of(const Method& method, std::string_view owner, const std::vector<std::string>& passed);

// Of a method of Device whose call does not know the device: its errors name it nevertheless.
std::string about_device(const Method& method, const std::string& body);

// Of a struct's newest version, whose error an older one's answer may replace: its device is named behind that.
std::string tried(std::string body);
// The family's walk over `versions`, the newest of them perhaps tried.
std::string newest_of(const Method& newest, const std::string& versions);

std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");

// "type, index" of {"ClockType type", "unsigned index"}.
std::string argument_names(const std::vector<std::string>& parameters);

// "ecc_mode" -> "EccMode"
std::string camel_case(std::string_view snake);

}  // namespace nvmlab::codegen::methods
