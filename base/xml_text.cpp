// SPDX-License-Identifier: Apache-2.0
#include "base/xml_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nvmlab {

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char letter = text.front();
    if (length == 1 && letter == '&') {
      out += "&amp;";
    } else if (length == 1 && letter == '<') {
      out += "&lt;";
    } else if (length == 1 && letter == '>') {
      out += "&gt;";
    } else if (length == 1 && letter == '"') {
      out += "&quot;";
    } else if (length == 1 && letter == '\n') {
      out += "&#10;";
    } else if (length == 0 || (length == 1 && static_cast<unsigned char>(letter) < ' ' && letter != '\t') ||
               text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF")) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace nvmlab
