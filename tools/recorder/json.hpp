// SPDX-License-Identifier: Apache-2.0
// Appends JSON to a text. A small one of our own: the recorder is one file that needs the C library alone, without
// exceptions and without a JSON library's streams and locales. Tests: tests/unit/recorder/json_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlab::recorder {

class Json {
 public:
  explicit Json(std::string& text) : text_(text) {}

  // A name and, by what is written next, its value.
  Json& key(std::string_view name);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void number(std::uint64_t value);
  void integer(std::int64_t value);
  void real(double value);  // the shortest digits that read back as the same; "nan", "inf" and "-inf" as texts
  void boolean(bool value);
  void null();
  void text(std::string_view value);  // {"hex": ...} where it is no UTF-8
  void hex(const std::byte* bytes, std::size_t size);

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  std::string& text_;
  bool first_ = true;  // nothing stands before the next value in its object or array
};

bool is_utf8(std::string_view text);

}  // namespace nvmlab::recorder
