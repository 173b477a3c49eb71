// SPDX-License-Identifier: Apache-2.0
#include "recorder/ask.hpp"

#include <cstring>

#include "recorder/call_buffers.hpp"
#include "recorder/inputs.hpp"

namespace nvmlab::recorder {
namespace {

constexpr std::uint32_t kFirstItems = 64;
constexpr std::uint32_t kMostItems = 1 << 18;

// What all calls below one choice answered, to know whether a range goes on.
struct Outcome {
  bool all_invalid = true;
  bool all_refused = true;  // not supported, or not permitted

  void add(const Outcome& other) {
    all_invalid = all_invalid && other.all_invalid;
    all_refused = all_refused && other.all_refused;
  }
};

// Something that goes in: a parameter, or a member of the struct behind one.
struct Entry {
  std::size_t parameter;
  std::size_t key;  // of the struct's versions
  bool is_key;
  const Input* input;
  const Field* field;
};

bool asks_for_length_first(char protocol) { return protocol == 'D' || protocol == 'E' || protocol == 'G'; }

class Asker {
 public:
  Asker(Walking& walking, const Function& function, const Object& about, Word peer)
      : walking_(walking),
        function_(function),
        about_(about),
        peer_(peer),
        buffers_(function, about.handle, peer),
        decoder_(walking.masker, walking.seen, walking.objects) {
    decoder_.begin(about.subject.gpu);
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const Parameter& each = function.parameters[i];
      if (each.input != nullptr) entries_.push_back({i, 0, false, each.input, &each.what});
      if (each.versions.empty()) continue;
      versions_ = each.versions.size() > versions_ ? each.versions.size() : versions_;
      for (std::size_t k = 0; k < each.versions.front().keys.size(); ++k) {
        const Key& key = each.versions.front().keys[k];
        entries_.push_back({i, k, true, key.input, &key.field});
      }
    }
    chosen_.resize(entries_.size());
  }

  void ask_all() { choose(0); }

 private:
  Outcome choose(std::size_t depth) {
    if (depth == entries_.size()) return call();
    const Entry& entry = entries_[depth];
    const bool range = entry.input->from == Input::From::numbers || entry.input->from == Input::From::up_to_seen;
    Outcome all;
    bool first = true;
    for (Choice& choice : choices(*entry.input, *entry.field, walking_.seen, about_.subject.gpu)) {
      if (walking_.lines.stopped()) break;
      chosen_[depth] = std::move(choice);
      const Outcome below = choose(depth + 1);
      all.add(below);
      if (range && below.all_invalid) break;
      if (range && first && entry.input->while_supported && below.all_refused) break;
      first = false;
    }
    return all;
  }

  // In the newest version of its structs that the library takes; each refusal is a line, too.
  Outcome call() {
    for (;;) {
      const int answer = call_growing();
      write(answer);
      if (answer != kVersionMismatch || buffers_.version() + 1 >= versions_)
        return {answer == kInvalidArgument, answer == kNotSupported || answer == kNoPermission};
      buffers_.use_version(buffers_.version() + 1);
    }
  }

  // With as much room as it takes.
  int call_growing() {
    std::uint32_t items = kFirstItems;
    if (asks_for_length_first(function_.protocol)) {
      const int answer = call_once(0);
      const std::uint32_t told = buffers_.counted_items();
      if (answer != kSuccess || told == 0) return answer;
      items = told > kMostItems ? kMostItems : told;
      if (function_.protocol != 'D') items += items / 4 + 8;
    }
    for (;;) {
      const int answer = call_once(items);
      if (answer != kInsufficientSize || items >= kMostItems || !buffers_.has_list()) return answer;
      const std::uint32_t told = buffers_.counted_items();
      const std::uint32_t wanted = told > items && told < kMostItems ? told + told / 4 + 8 : items * 4;
      items = wanted < kMostItems ? wanted : kMostItems;
    }
  }

  int call_once(std::uint32_t items) {
    Word words[kParameters] = {};
    for (std::size_t i = 0; i < function_.parameters.size(); ++i)
      words[i] = buffers_.word(i, items);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      give(entries_[i], chosen_[i], words);
    std::string beginning;
    Json json(beginning);
    begin_line(json, function_.name, subject());
    walking_.lines.calling(beginning);
    const int answer =
        walking_.library.call_words(function_.name, std::span<const Word>(words, function_.parameters.size()));
    walking_.lines.returned();
    return answer;
  }

  void give(const Entry& entry, const Choice& choice, Word* words) {
    const Parameter& parameter = function_.parameters[entry.parameter];
    if (!entry.is_key) {
      words[entry.parameter] = parameter.role == Role::text_in ? reinterpret_cast<Word>(choice.text.c_str())
                                                               : static_cast<Word>(choice.number);
      return;
    }
    const Field& field = buffers_.version_of(parameter).keys[entry.key].field;
    std::memcpy(buffers_.memory(entry.parameter) + field.offset, &choice.number, field.size < 8 ? field.size : 8);
  }

  ObjectPlace subject() const {
    ObjectPlace subject = about_.subject;
    if (peer_ == 0) return subject;
    if (const Object* const other = walking_.objects.find(peer_)) subject.peer = other->subject.gpu;
    return subject;
  }

  void write(int answer) {
    std::string line;
    Json json(line);
    begin_line(json, function_.name, subject());
    write_inputs(json);
    json.key("code");
    code(json, answer);
    if (answer == kSuccess) write_outputs(json);
    json.end_object();
    ++walking_.calls;
    walking_.lines.line(line);
  }

  void write_inputs(Json& json) {
    const Version* versioned = nullptr;
    bool any = false;
    for (const Parameter& each : function_.parameters) {
      if (each.role == Role::structure && buffers_.version_of(each).number != 0) versioned = &buffers_.version_of(each);
      any = any || each.role == Role::capacity;
    }
    if (entries_.empty() && versioned == nullptr && !any) return;
    json.key("in").begin_object();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      json.key(entries_[i].field->name);
      const Choice& choice = chosen_[i];
      if (choice.name != nullptr) {
        json.text(choice.name);
      } else if (function_.parameters[entries_[i].parameter].role == Role::text_in) {
        json.text(walking_.masker.text(choice.text, entries_[i].field->mask));
      } else {
        json.number(choice.number);
      }
    }
    for (const Parameter& each : function_.parameters) {
      if (each.role == Role::capacity) json.key(each.what.name).number(each.passed);
    }
    if (versioned != nullptr) json.key("version").number(versioned->number);
    json.end_object();
  }

  void write_outputs(Json& json) {
    buffers_.limit_counts();
    json.key("out").begin_object();
    const std::uint32_t items = buffers_.counted_items();
    decoder_.value_type(-1);
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& each = function_.parameters[i];
      const std::byte* const memory = buffers_.memory(i);
      if (each.role == Role::output && tells_value_type(each.what)) {
        std::uint32_t type = 0;
        std::memcpy(&type, memory, sizeof type);
        decoder_.value_type(type);
      }
      switch (each.role) {
        case Role::output:
        case Role::count:
        case Role::size:
          json.key(each.what.name);
          decoder_.value(json, each.what, memory);
          break;
        case Role::structure:
          json.key(each.what.name);
          decoder_.record(json, *buffers_.version_of(each).record, memory);
          break;
        case Role::items:
          json.key(each.what.name);
          decoder_.elements(json, each.what, memory, buffers_.listed(i, items));
          break;
        case Role::text:
          json.key(each.what.name);
          decoder_.text(json, each.what,
                        {reinterpret_cast<const char*>(memory),
                         ::strnlen(reinterpret_cast<const char*>(memory), buffers_.size(i))});
          break;
        default:
          break;
      }
    }
    json.end_object();
  }

  static bool tells_value_type(const Field& field) {
    return field.names != nullptr && std::strcmp(field.names->type, value_types.type) == 0;
  }

  Walking& walking_;
  const Function& function_;
  const Object& about_;
  Word peer_;
  CallBuffers buffers_;
  Decoder decoder_;
  std::vector<Entry> entries_;
  std::vector<Choice> chosen_;
  std::size_t versions_ = 1;
};

}  // namespace

void begin_line(Json& json, const char* function, const ObjectPlace& subject) {
  json.begin_object();
  json.key("call").text(function);
  subject.write(json);
}

void ask(Walking& walking, const Function& function, const Object& about, Word peer) {
  Asker(walking, function, about, peer).ask_all();
}

}  // namespace nvmlab::recorder
