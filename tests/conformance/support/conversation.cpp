// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/support/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nvmlab::conformance {

Conversation::Conversation(Choices& choices, Notes& notes) : choices_(choices), notes_(notes) {
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.name == "nvmlErrorString" || function.name == "nvmlInternalGetExportTable" ||
        function.name == "nvmlRetry_NvRmControl")
      continue;  // return or take other things than NVML's
    functions_.push_back(&function);
    arguments_.emplace_back(std::make_unique<Arguments>(function, 0));
  }
  codes_ = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 999};
}

std::string Conversation::say() {
  const std::size_t at = pick(functions_.size());
  const FunctionFacts& function = *functions_[at];
  if (function.name == "nvmlShutdown" && pick(8) != 0) return "";  // else nothing is ever initialised
  Arguments& arguments = *arguments_[at];
  arguments.reset();
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    choose(function, i, arguments);
  note(function, arguments);
  const int code = arguments.call();
  notes_.notes[(notes_.count - 1) % Notes::kRemembered].code = code;
  keep(function, code, arguments);
  if (!codes_.contains(code)) return fmt::format("{} answered {}", function.name, code);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    GuardedPage& page = arguments.memory(i);
    if (function.parameters[i].is_pointer() && page.changed_outside(0, page.size()))
      return function.name + " wrote before " + function.parameters[i].name;
    if (function.parameters[i].type.constant && page.changed()) return function.name + " changed its input";
  }
  if (code == kUninitialized && arguments.changed()) return function.name + " wrote though nothing was initialised";
  return "";
}

Word Conversation::device() {
  const Word good = Driver::get().device(static_cast<unsigned>(pick(4)));
  switch (pick(12)) {
    case 0:
      return 0;
    case 1:
      return good ^ Word { 1 } << pick(64);
    case 2:
      return choices_.any();
    default:
      return good;
  }
}

void Conversation::choose(const FunctionFacts& function, std::size_t at, Arguments& arguments) {
  const ParameterFacts& parameter = function.parameters[at];
  Word& word = arguments.words.at(at);
  switch (parameter.role) {
    case Role::device:
      word = device();
      return;
    case Role::handle:
      word = handles_.empty() || pick(4) == 0 ? one_of<Word>({0, 1, choices_.any()}) : handles_[pick(handles_.size())];
      return;
    case Role::number:
      if (parameter.counts()) {
        if (pick(4) == 0) shrink(function, at, arguments);
      } else if (parameter.name.find("timeout") != std::string::npos) {
        word = pick(3);
      } else {
        word = one_of<Word>({0, 0, 1, 2, 3, 4, 5, 7, 10, 17, 18, 64, 300'000, 0x7FFFFFFF, 0xFFFFFFFF, pick(4096)});
      }
      return;
    case Role::text:
    case Role::pointer:
      break;
  }
  if (pick(20) == 0) {
    word = 0;
  } else if (parameter.version != 0 && pick(6) == 0) {
    const auto wrong =
        static_cast<std::uint32_t>(one_of<Word>({0, 1, parameter.size, parameter.version ^ 1U << pick(32)}));
    if (pick(2) == 0 && (wrong & 0xFFFFFF) > parameter.size) return;
    std::memcpy(arguments.memory(at).data(), &wrong, sizeof wrong);
    arguments.memory(at).remember();
  } else if (parameter.type.constant && parameter.role == Role::text) {
    input_text(arguments.memory(at));
  } else if (parameter.is_pointer() && parameter.counts() && pick(3) == 0) {
    std::memset(arguments.memory(at).data(), 0, 4);  // asks for the length
    arguments.memory(at).remember();
  }
}

// A shorter text or no item at all: the memory shrinks with the number that goes with it.
void Conversation::shrink(const FunctionFacts& function, std::size_t at, Arguments& arguments) {
  if (at == 0 || function.parameters[at - 1].role != Role::text) {
    arguments.words.at(at) = 0;
    return;
  }
  const std::size_t size = one_of<std::size_t>({0, 1, 2, 8, 16, 20, 33, kTextSize});
  if (arguments.words.at(at - 1) != 0)
    arguments.words.at(at - 1) = reinterpret_cast<Word>(arguments.memory(at - 1).place(size));
  arguments.words.at(at) = size;
}

void Conversation::input_text(GuardedPage& page) {
  const char* text = one_of<const char*>(
      {"", "0000:06:00.0", "06:00", ":::", "ffffffffff:ff:ff.9", "GPU-", "0", "1650000000001", "x"});
  std::byte* room = page.place(std::strlen(text) + 1);
  std::memcpy(room, text, std::strlen(text) + 1);
  page.remember();
}

// Sets and other handles that were handed out are used later on, also when they are stale.
void Conversation::keep(const FunctionFacts& function, int code, Arguments& arguments) {
  if (code != kSuccess) return;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterFacts& parameter = function.parameters[i];
    if (!parameter.hands_out || arguments.words.at(i) == 0) continue;
    Word handle = 0;
    std::memcpy(&handle, arguments.memory(i).data(), sizeof handle);
    if (handles_.size() >= 64) handles_.erase(handles_.begin());
    handles_.push_back(handle);
  }
}

void Conversation::note(const FunctionFacts& function, const Arguments& arguments) {
  Notes::Note& next = notes_.notes[notes_.count++ % Notes::kRemembered];
  std::memset(next.function, 0, sizeof next.function);
  function.name.copy(next.function, sizeof next.function - 1);
  std::memcpy(next.words, arguments.words.data(), sizeof next.words);
  next.code = -1;
}

std::string Notes::history() const {
  std::string text;
  const unsigned known = std::min(count, kRemembered);
  for (unsigned i = count - known; i < count; ++i) {
    const Note& note = notes[i % kRemembered];
    text += fmt::format("  {}({:#x}, {:#x}, {:#x}, {:#x}) -> {}\n", note.function, note.words[0], note.words[1],
                        note.words[2], note.words[3], note.code);
  }
  return text;
}

}  // namespace nvmlab::conformance
