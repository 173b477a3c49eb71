// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nvmlab::driver_test {

namespace {

bool is_count(const ParameterFacts& parameter) {
  return parameter.counts() && parameter.name.find("ounter") == std::string::npos;
}

// Versioned structs come alone, and averages stand behind a count of what they are over.
bool is_array(const ParameterFacts& parameter) {
  return parameter.role == Role::pointer && !parameter.counts() && parameter.version == 0 &&
         !parameter.name.starts_with("average");
}

constexpr std::size_t kAll = 64;  // instances and places of any MIG profile

// Lists of MIG take no length: the caller has room for all there can be, and the number comes back.
bool holds_all(const FunctionFacts& function, std::size_t at) {
  return is_array(function.parameters[at]) && at + 1 < function.parameters.size() &&
         function.parameters[at + 1].is_pointer() && function.parameters[at + 1].name == "count";
}

// The arrays whose length the count at `at` is: what stands right behind it, or else right before it.
std::vector<std::size_t> arrays_of(const FunctionFacts& function, std::size_t at) {
  std::vector<std::size_t> arrays;
  for (std::size_t i = at + 1; i < function.parameters.size() && is_array(function.parameters[i]); ++i)
    arrays.push_back(i);
  if (arrays.empty() && at > 0 && is_array(function.parameters[at - 1]) && !holds_all(function, at - 1))
    arrays.push_back(at - 1);
  return arrays;
}

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

Conversation::Conversation(Choices& choices, Notes& notes) : choices_(choices), notes_(notes) {
  for (const FunctionFacts& function : Api::get().functions())
    topics_.push_back(topic(function));
  codes_ = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 999};
}

Conversation::Topic Conversation::topic(const FunctionFacts& function) {
  Topic topic{&function, std::make_unique<Arguments>(function, 0), {}};
  for (const ParameterFacts& parameter : function.parameters) {
    auto& shapes = topic.shapes.emplace_back();
    if (parameter.record == nullptr) continue;
    shapes.push_back(shape_of(*parameter.record, parameter.version, allocated_size(function, parameter)));
    for (const std::uint32_t word : parameter.family) {
      if (const auto* record = Api::get().record_of_version(parameter, word))
        shapes.push_back(shape_of(*record, word, record->size));
    }
  }
  return topic;
}

// What takes or returns other things than the rest of NVML.
std::string Conversation::special(const std::string& name) {
  if (name == "nvmlErrorString") {
    using Function = const char* (*)(int);
    const auto function = reinterpret_cast<Function>(Driver::get().address(name));
    const char* said = function(static_cast<int>(number()));
    if (said == nullptr || *said == '\0') return name + " had no word for it";
  } else if (name == "nvmlInternalGetExportTable") {
    std::byte* id = elsewhere_.place(16);
    if (pick(2) == 0) put(id, choices_.any());
    void* table = nullptr;
    Driver::get().call(name, pick(8) == 0 ? nullptr : &table, pick(8) == 0 ? nullptr : id);
  } else {
    Driver::get().call(name);
  }
  return "";
}

std::string Conversation::say() {
  Topic& topic = topics_[pick(topics_.size())];
  const FunctionFacts& function = *topic.function;
  if (function.name == "nvmlShutdown" && pick(8) != 0) return "";  // else nothing is ever initialised
  if (function.name == "nvmlErrorString" || function.name == "nvmlInternalGetExportTable" ||
      function.name == "nvmlRetry_NvRmControl")
    return special(function.name);
  Arguments& arguments = *topic.arguments;
  arguments.reset();
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    choose(topic, i);
  note(function, arguments);
  const int code = arguments.call();
  notes_.notes[(notes_.count - 1) % Notes::kRemembered].code = code;
  keep(function, code, arguments);
  if (!codes_.empty() && !codes_.contains(code)) return fmt::format("{} answered {}", function.name, code);
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

Word Conversation::handle() {
  if (!handles_.empty() && pick(4) != 0) return handles_[pick(handles_.size())];
  switch (pick(3)) {
    case 0:
      return pick(2);
    case 1:
      return device();
    default:
      return choices_.any();
  }
}

Word Conversation::number() {
  switch (pick(8)) {
    case 0:
      return one_of<Word>({64, 345, 1410, 1590, 1980, 2619, 300'000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, ~Word{0}});
    case 1:
      return pick(0x10000);
    case 2:
      return Word{1} << pick(64);
    case 3:
      return pick(256);
    case 4:
    case 5:
      return pick(32);
    default:
      return pick(4);
  }
}

void Conversation::choose(Topic& topic, std::size_t at) {
  const ParameterFacts& parameter = topic.function->parameters[at];
  Word& word = topic.arguments->words.at(at);
  switch (parameter.role) {
    case Role::device:
      word = device();
      return;
    case Role::handle:
      word = handle();
      return;
    case Role::number:
      if (is_count(parameter)) {
        if (pick(2) == 0) choose_count(topic, at);
      } else {
        word = parameter.name.find("timeout") != std::string::npos ? pick(3) : number();
      }
      return;
    case Role::text:
    case Role::pointer:
      if (pick(20) == 0) {
        word = 0;
      } else if (is_count(parameter)) {
        if (pick(2) == 0) choose_count(topic, at);
      } else {
        choose_memory(topic, at);
      }
  }
}

// Another number of items: the memory of the array, or of the text, shrinks and grows with it.
void Conversation::choose_count(Topic& topic, std::size_t at) {
  const FunctionFacts& function = *topic.function;
  Arguments& arguments = *topic.arguments;
  const bool of_text = at > 0 && function.parameters[at - 1].role == Role::text;
  std::size_t count = of_text ? one_of<std::size_t>({0, 1, 2, 8, 16, 20, 33, kTextSize})
                              : one_of<std::size_t>({0, 0, 2, 3, 4, 8, 33, 64});
  const auto resize = [&](std::size_t array, std::size_t bytes) {
    if (arguments.words.at(array) == 0) return;
    arguments.words.at(array) = reinterpret_cast<Word>(arguments.memory(array).place(bytes));
  };
  if (of_text) {
    resize(at - 1, count);
  } else {
    for (const std::size_t array : arrays_of(function, at)) {
      const std::size_t bytes = count * allocated_size(function, function.parameters[array]);
      resize(array, bytes);
      // What stands behind a block of memory and is called a size counts its bytes.
      if (array < at && function.parameters[at].name.ends_with("ize")) count = bytes;
    }
  }
  if (function.parameters[at].is_pointer()) {
    put(arguments.memory(at).data(), static_cast<std::uint32_t>(count));
    arguments.memory(at).remember();
  } else {
    arguments.words.at(at) = count;
  }
}

void Conversation::choose_memory(Topic& topic, std::size_t at) {
  const ParameterFacts& parameter = topic.function->parameters[at];
  GuardedPage& page = topic.arguments->memory(at);
  if (holds_all(*topic.function, at))
    topic.arguments->words.at(at) = reinterpret_cast<Word>(page.place(kAll * parameter.size));
  if (parameter.role == Role::text) {
    if (!parameter.type.constant) return;
    input_text(page);
    topic.arguments->words.at(at) = reinterpret_cast<Word>(page.data());
    return;
  }
  if (topic.shapes[at].empty()) {
    // Most write to it, some read a number or a set of bits.
    if (page.size() >= 4 && pick(4) == 0) put(page.data(), static_cast<std::uint32_t>(number()));
  } else {
    const Shape* shape = topic.shapes[at].data();
    if (page.size() < shape->size) return;  // an array of no items
    if (choose_version(topic, at, shape)) fill_in(*shape, page.data());
  }
  page.remember();
}

// False when what follows the version word must be left alone.
bool Conversation::choose_version(Topic& topic, std::size_t at, const Shape*& shape) {
  if (shape->version == 0) return true;
  GuardedPage& page = topic.arguments->memory(at);
  switch (pick(8)) {
    case 0: {
      const auto wrong = static_cast<std::uint32_t>(one_of<Word>({0, 1, shape->size, shape->version ^ 1U << pick(32)}));
      const auto& known = topic.shapes[at];
      const auto claims = [wrong](const Shape& each) { return each.version == wrong; };
      // A word that is right for another layout would be a promise of that much memory.
      if (std::ranges::none_of(known, claims)) put(page.data(), wrong);
      return false;
    }
    case 1:
    case 2: {
      shape = &topic.shapes[at][pick(topic.shapes[at].size())];
      std::byte* room = page.place(shape->size);
      std::memset(room, 0, shape->size);
      put(room, shape->version);
      topic.arguments->words.at(at) = reinterpret_cast<Word>(room);
      return true;
    }
    default:
      return true;
  }
}

// Some members of a struct.
void Conversation::fill_in(const Shape& shape, std::byte* at) {
  if (shape.members.empty()) return;
  for (std::size_t left = pick(4); left > 0; --left) {
    const Member& member = shape.members[pick(shape.members.size())];
    if (member.pointer) continue;
    if (member.text) {
      text(at + member.offset, member.size);
      continue;
    }
    const Word value = member.handle ? handle() : member.waits ? pick(3) : number();
    std::memcpy(at + member.offset, &value, std::min(member.size, sizeof value));
  }
  if (shape.points && pick(2) == 0) point(shape, at);
}

// The first pointer of a struct gets memory of just the size that the counts of the struct then tell.
void Conversation::point(const Shape& shape, std::byte* at) {
  const auto pointer = std::ranges::find_if(shape.members, &Member::pointer);
  if (pointer->text) {
    elsewhere_.place(0);
    input_text(elsewhere_);
    return put(at + pointer->offset, elsewhere_.data());
  }
  const std::size_t items = one_of<std::size_t>({0, 1, 2, 4, 17, 64});
  const std::size_t size = items * pointer->item_size;
  std::byte* room = elsewhere_.place(size);
  std::memset(room, 0, size);  // pointers in there are null
  if (pointer->item_size == 1 && size > 0) text(room, size);
  put(at + pointer->offset, room);
  for (const Member& member : shape.members) {
    if (member.counts) put(at + member.offset, static_cast<std::uint32_t>(items));
  }
}

// A text that fills its room at most.
void Conversation::text(std::byte* at, std::size_t size) {
  const std::string said = one_of<const char*>({"", "0000:06:00.0", "GPU-", "a text that is longer than most", "\xFF"});
  std::memset(at, 0, size);
  std::memcpy(at, said.data(), std::min(said.size(), size - 1));
}

void Conversation::input_text(GuardedPage& page) {
  const char* text =
      one_of<const char*>({"", "0000:06:00.0", "0000:53:00.0", "00000000:53:00.0", "53:00", ":::", "ffffffffff:ff:ff.9",
                           "GPU-", "GPU-00000000-0000-0000-0000-000000000000", "0", "1650000000001", "x"});
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

}  // namespace nvmlab::driver_test
