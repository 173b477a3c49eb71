// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the word of a list that a misspelt one is nearest to, and lists of words for messages.
// Tests: tests/unit/base/nearest_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nvmlab {

// Empty when nothing is near: more than a third of the letters would have to change.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

// Those that hold the word, and the nearest one where none does or it is another; at most `limit`, for a question such
// as "did you mean 'a100-sxm4-40gb', 'dgx-a100' or 'a10g'?". Empty where there is nothing like it.
std::vector<std::string> similar(std::string_view word, const std::vector<std::string>& words, std::size_t limit = 5);
std::string did_you_mean(const std::vector<std::string>& words);

// "did you mean 'x'?" when one is near, else "`what` are: a, b, c" (at most `limit` of them, then how many more).
std::string hint(std::string_view word, const std::vector<std::string>& words, std::string_view what,
                 std::size_t limit = 40);

// What a user typed, fit for a message: control characters replaced, cut after 60 bytes, in single quotes.
std::string in_quotes(std::string_view text);

}  // namespace nvmlab
