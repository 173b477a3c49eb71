// SPDX-License-Identifier: Apache-2.0
//
// One line of the trace, or of a record of calls: the function, its arguments with what lies behind the pointers by
// then, and the code. Types are texts that the generator wrote (codegen/emit/trace_types.cpp): `name:type` for a
// parameter, `name@offset:type` for a member of a struct, with
//
//   u4 i8 f8 c1   a number of so many bytes           D    a device, told by its index
//   s             a text behind a pointer             S64  an array with a text
//   R12*          a pointer to struct 12              p    an address, and what is not looked behind
//
// and a `*` for each pointer. A pointer is followed where the call has written there or must have read there: after
// success, and after INSUFFICIENT_SIZE, where counts alone are valid. Tests: tests/drivers/functions/trace_test.cpp.
#include <cstring>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/shapes/prologue.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kLongestShown = 96;

struct Word {
  const char* text;
  std::size_t length;
};

Line& operator<<(Line& line, const Word& word) { return line.append(word.text, word.length); }

void put_signed(Line& line, std::int64_t number) {
  if (number < 0) line << "-";
  line << (number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number));
}

void put_address(Line& line, std::uint64_t address) {
  if (address == 0) {
    line << "NULL";
    return;
  }
  char digits[17];
  int at = 16;
  digits[at] = '\0';
  for (; address > 0; address >>= 4)
    digits[--at] = "0123456789abcdef"[address & 15];
  line << "0x" << (digits + at);
}

// In thousandths, which is more than any reading has.
void put_double(Line& line, double number) {
  if (!(number > -1e15 && number < 1e15)) {
    line << "?";
    return;
  }
  if (number < 0) line << "-";
  const double scaled = (number < 0 ? -number : number) * 1000;
  auto thousandths = static_cast<std::uint64_t>(scaled);
  if (scaled - static_cast<double>(thousandths) >= 0.5) ++thousandths;
  line << thousandths / 1000;
  if (thousandths % 1000 == 0) return;
  char digits[5] = {'.', static_cast<char>('0' + thousandths / 100 % 10),
                    static_cast<char>('0' + thousandths / 10 % 10), static_cast<char>('0' + thousandths % 10), '\0'};
  line << digits;
}

void put_text(Line& line, const char* text, std::uint32_t room) {
  line << "\"";
  for (std::uint32_t i = 0; i < room && text[i] != '\0'; ++i) {
    if (i == kLongestShown) {
      line << "...";
      break;
    }
    const char letter = text[i] >= ' ' ? text[i] : '?';
    line.append(&letter, 1);
  }
  line << "\"";
}

void put_device(Line& line, std::uint64_t handle) {
  Store* const store = current_store();
  const GpuSlot* const slot = store == nullptr ? nullptr : find_gpu(*store, gpu_count(*store), handle);
  if (slot == nullptr && (store == nullptr || find_refusing_gpu(*store, gpu_count(*store), handle) == nullptr))
    return put_address(line, handle);
  line << "GPU " << std::uint64_t{handle_index(handle)};
}

std::uint32_t number_in(const char* digits) {
  std::uint32_t number = 0;
  for (; *digits >= '0' && *digits <= '9'; ++digits)
    number = number * 10 + static_cast<std::uint32_t>(*digits - '0');
  return number;
}

// A value that lies somewhere.
void put_value(Line& line, const char* type, const char* at) {
  const std::uint32_t size = number_in(type + 1);
  std::uint64_t bits = 0;
  if (*type == 'D' || *type == 'p') {
    std::memcpy(&bits, at, 8);
    return *type == 'D' ? put_device(line, bits) : put_address(line, bits);
  }
  if (*type == 'S') return put_text(line, at, size);
  std::memcpy(&bits, at, size < 8 ? size : 8);
  if (*type == 'f') {
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return put_double(line, number);
  }
  if (*type != 'i') {
    line << bits;
    return;
  }
  const std::uint32_t unused = 64 - 8 * size;
  put_signed(line, static_cast<std::int64_t>(bits << unused) >> unused);
}

// The members of a struct as far as its version says that it has them.
void put_record(Line& line, std::uint32_t record, const char* at) {
  const char* member = members_of(record);
  std::uint32_t size = ~0u;
  if (std::strncmp(member, "version@0:u4", 12) == 0) {
    std::memcpy(&size, at, sizeof size);
    size &= 0xFFFFFF;
    if (size == 0) size = ~0u;
  }
  line << "{";
  for (bool first = true; *member != '\0'; first = false) {
    const char* const name_end = std::strchr(member, '@');
    const char* const type = std::strchr(member, ':') + 1;
    const std::uint32_t offset = number_in(name_end + 1);
    if (offset >= size) break;
    line << (first ? "" : ", ") << Word{member, static_cast<std::size_t>(name_end - member)} << "=";
    put_value(line, type, at + offset);
    const char* const end = std::strchr(type, ' ');
    member = end == nullptr ? "" : end + 1;
  }
  line << "}";
}

// Whether an argument says that the array beside it has no room, so that nothing may lie behind its pointer.
bool counts_nothing(const char* name, std::size_t length, const char* type, std::uint64_t word) {
  const bool count = (length >= 5 && std::strncmp(name + length - 5, "Count", 5) == 0) ||
                     (length == 5 && std::strncmp(name, "count", 5) == 0);
  if (!count || word == 0) return count && type[2] != '*';
  std::uint32_t number = 1;
  if (type[2] == '*') std::memcpy(&number, reinterpret_cast<const void*>(word), sizeof number);
  return number == 0;
}

class Arguments {
 public:
  Arguments(const char* parameters, nvmlReturn_t code, const std::uint64_t* words)
      : parameters_(parameters),
        words_(words),
        all_(code == NVML_SUCCESS),
        counts_(all_ || code == NVML_ERROR_INSUFFICIENT_SIZE) {
    if (!all_) return;
    each([this](const char* name, std::size_t length, const char* type, std::uint64_t word) {
      if (counts_nothing(name, length, type, word)) empty_ = true;
    });
  }

  void put(Line& line) const {
    bool first = true;
    each([&](const char* name, std::size_t length, const char* type, std::uint64_t word) {
      line << (first ? "" : ", ") << Word{name, length} << "=";
      first = false;
      put_argument(line, type, word);
    });
  }

 private:
  template <class Visit>
  void each(Visit&& visit) const {
    const std::uint64_t* word = words_;
    for (const char* name = parameters_; *name != '\0'; ++word) {
      const char* const type = std::strchr(name, ':') + 1;
      visit(name, static_cast<std::size_t>(type - 1 - name), type, *word);
      const char* const end = std::strchr(type, ' ');
      name = end == nullptr ? "" : end + 1;
    }
  }

  void put_argument(Line& line, const char* type, std::uint64_t word) const {
    const char* const end = std::strchr(type, ' ');
    const std::size_t length = end == nullptr ? std::strlen(type) : static_cast<std::size_t>(end - type);
    const bool pointer = type[length - 1] == '*';
    const auto* const behind = reinterpret_cast<const char*>(word);
    if (!pointer && *type != 's') {
      char bytes[sizeof word];
      std::memcpy(bytes, &word, sizeof word);
      return put_value(line, type, bytes);
    }
    const bool twice = length > 1 && type[length - 2] == '*';
    const bool number = *type == 'u' && pointer && !twice;
    if (word == 0 || twice || !(all_ || (counts_ && number)) || (empty_ && !number)) {
      if (word != 0)
        line << "...";
      else
        put_address(line, word);
      return;
    }
    if (*type == 's') return put_text(line, behind, ~0u);
    if (*type == 'R') return put_record(line, number_in(type + 1), behind);
    put_value(line, type, behind);
  }

  const char* parameters_;
  const std::uint64_t* words_;
  bool all_;            // pointers lead to what the call wrote
  bool counts_;         // pointers to numbers do
  bool empty_ = false;  // a count is zero
};

}  // namespace

namespace {

void put_call(Line& line, const char* name, const char* parameters, nvmlReturn_t code, const std::uint64_t* arguments) {
  line << name << "(";
  Arguments(parameters, code, arguments).put(line);
  line << ")";
}

}  // namespace

[[gnu::cold]] nvmlReturn_t told_of(Function function, nvmlReturn_t code, const std::uint64_t* arguments) {
  told_of(name_of(function), parameters_of(function), code, arguments);
  return code;
}

[[gnu::cold]] void told_of(const char* name, const char* parameters, nvmlReturn_t code,
                           const std::uint64_t* arguments) {
  if (records_calls()) {
    Line line;
    line << static_cast<std::uint64_t>(code) << " ";  // first, as what is too long is cut
    put_call(line, name, parameters, code, arguments);
    record_call(line);
  }
  if (log_level() < kTraceCalls) return;
  Line line;
  put_call(line, name, parameters, code, arguments);
  line << " -> " << static_cast<std::uint64_t>(code);
  if (code != NVML_SUCCESS) line << " (" << hooks::nvmlErrorString(code) << ")";
  log_trace(line);
}

}  // namespace nvmlab::driver
