// SPDX-License-Identifier: Apache-2.0
// What a row of the walk says (generated/walk*.cpp, made from the facts, model/binding/ and model/recording.yaml): a
// getter, and for each parameter what a caller passes and what comes back. The recorder and nvml-conformance walk by
// it. Nothing here knows the library that is walked. Tests: tests/unit/recorder/walk_table_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlab::recorder {

// How a value is shown.
enum class Kind : char {
  number = 'u',
  integer = 'i',
  real = 'f',
  text = 't',
  bytes = 'x',
  enumerator = 'e',  // by its name
  record = 'r',
  value = 'v',  // nvmlValue_t: by the value type beside it
  handle = 'h'  // what it stands for
};

// What an identifier becomes where identifiers are masked.
enum class Mask : std::uint8_t { none, number, process, host };

struct Name {
  const char* name = "";
  long long value = 0;
};

struct Names {
  const char* type = "";
  std::span<const Name> all = {};  // several may have one value: the first is its name
};

struct Record;

inline constexpr std::uint16_t kNoSlot = 0xFFFF;
inline constexpr std::int16_t kUncounted = -1;

// A member of a struct, or what is behind a parameter.
struct Field {
  const char* name = "";
  std::uint32_t offset = 0;
  std::uint32_t size = 0;    // of one element
  std::uint32_t extent = 0;  // of an array; 0: none. A text or bytes have their length in `size`
  Kind kind = Kind::number;
  Mask mask = Mask::none;
  bool behind = false;                   // a pointer to elements, of which the counting member says how many
  std::int16_t counted_by = kUncounted;  // index of the member that counts the elements
  std::uint16_t slot = kNoSlot;          // where the values are remembered for later inputs
  const Names* names = nullptr;          // of an enumerator
  const Record* record = nullptr;        // of a record, or of elements
};

struct Record {
  const char* name = "";
  std::uint32_t size = 0;
  bool is_union = false;
  std::span<const Field> fields = {};
};

// What a caller may pass: from a list, a range of numbers, or what earlier calls told.
struct Input {
  enum class From : std::uint8_t { names, numbers, values, up_to_seen, seen };
  From from{};
  bool while_supported = false;  // the range ends where the first number is not supported
  const Names* names = nullptr;  // names
  std::uint32_t end = 0;         // numbers: below this one
  std::span<const long long> values = {};
  std::uint16_t slot = kNoSlot;  // up_to_seen: up to the largest number there; seen: each
};

struct Key {  // a member of a struct that the caller gives
  Field field = {};
  const Input* input = nullptr;
};

struct Version {
  std::uint32_t number = 0;  // 0: no version word
  std::uint32_t word = 0;
  const Record* record = nullptr;
  std::span<const Key> keys = {};
};

enum class Role : std::uint8_t {
  receiver,   // the object that is asked
  peer,       // another GPU
  input,      // by value
  text_in,    // a text that another call told
  output,     // room for one value
  structure,  // room for a struct, in the newest version that the library takes
  items,      // room for a list
  count,      // of the list, behind a pointer
  capacity,   // of the list, by value: all of it comes back
  text,       // room for a text
  length,     // of the text, by value
  size        // of the text or block of bytes, behind a pointer
};

// Whether lists of processes have wider entries (535.43 to 535.86): a library with the first of these functions and
// without the second.
inline constexpr char kCameWithWideProcesses[] = "nvmlDeviceGetConfComputeMemSizeInfo";
inline constexpr char kCameAfterWideProcesses[] = "nvmlDeviceGetRunningProcessDetailList";

struct Parameter {
  Field what = {};  // the value, or one element
  Role role{};
  std::uint32_t room = 0;  // of a list of given capacity: elements, and what is passed for them is `passed`
  std::uint32_t passed = 0;
  const Input* input = nullptr;
  std::span<const Version> versions = {};  // of a struct, newest first
  const Record* wide = nullptr;            // elements of a list as some drivers had them under the same name
};

enum class About : std::uint8_t { machine, device, unit, gpu_instance, compute_instance, vgpu_type, vgpu };

// Whether what is read may change by itself, as far as the model of the node knows.
enum class Moves : std::uint8_t { unknown, never, upwards };

struct Function {
  const char* name = "";
  About about = About::device;
  bool late = false;  // needs what other calls about the same subject told
  char protocol = 0;  // how the length of a list is learnt (model/binding/README.md); 0: no list
  Moves moves = Moves::unknown;
  std::span<const Parameter> parameters = {};
};

// A field of nvmlDeviceGetFieldValues: its id in the newest header, and how many scopes it has.
struct FieldId {
  const char* name = "";
  std::uint16_t id = 0;
  std::uint16_t scopes = 1;
};

extern const std::span<const Function> functions;  // by name
extern const std::span<const FieldId> field_ids;
extern const Names return_codes;
extern const Names value_types;
extern const Names metrics;
extern const Names prm_counters;
extern const char* const newest_header;
extern const std::uint16_t slot_of_vgpu_type;  // where numbers of subjects are remembered
extern const std::uint16_t slot_of_vgpu;

}  // namespace nvmlab::recorder
