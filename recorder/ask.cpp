// SPDX-License-Identifier: Apache-2.0
#include "recorder/ask.hpp"

#include <cstring>

#include "recorder/room.hpp"

namespace nvmlab::recorder {
namespace {

constexpr std::size_t kParameters = 6;
constexpr std::size_t kTextRoom = 1024;
constexpr std::uint32_t kBlockRoom = 64 * 1024;
constexpr std::uint32_t kFirstItems = 64;
constexpr std::uint32_t kMostItems = 1 << 18;

struct Choice {
  std::uint64_t number = 0;
  const char* name = nullptr;
  std::string text;
};

// What all calls below one choice answered, to know whether a range goes on.
struct Outcome {
  bool all_invalid = true;
  bool any_success = false;

  void add(const Outcome& other) {
    all_invalid = all_invalid && other.all_invalid;
    any_success = any_success || other.any_success;
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
        decoder_(walking.masker, walking.seen, walking.objects) {
    decoder_.begin(about.subject.gpu);
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const Parameter& each = function.parameters[i];
      if (each.input != nullptr) entries_.push_back({i, 0, false, each.input, &each.what});
      if (each.versions.empty()) continue;
      versions_ = each.versions.size() > versions_ ? each.versions.size() : versions_;
      for (std::size_t k = 0; k < each.versions.front().keys.size(); ++k) {
        const Key& key = each.versions.front().keys[k];
        entries_.push_back({i, k, true, key.input, key.field});
      }
    }
    chosen_.resize(entries_.size());
  }

  void ask_all() { choose(0); }

 private:
  std::vector<Choice> choices(const Entry& entry) const {
    const Input& input = *entry.input;
    std::vector<Choice> list;
    switch (input.from) {
      case Input::From::names:
        for (std::size_t i = 0; i < input.names->all.size(); ++i) {
          const Name& name = input.names->all[i];
          bool repeated = false;
          for (const Choice& each : list)
            repeated = repeated || each.number == static_cast<std::uint64_t>(name.value);
          if (!repeated) list.push_back({static_cast<std::uint64_t>(name.value), name.name, {}});
        }
        break;
      case Input::From::numbers:
        for (std::uint64_t i = 0; i < input.end; ++i)
          list.push_back({i, nullptr, {}});
        break;
      case Input::From::values:
        for (const long long value : input.values)
          list.push_back({static_cast<std::uint64_t>(value), nullptr, {}});
        break;
      case Input::From::up_to_seen: {
        std::uint64_t end = 0;
        for (const Seen::Value& each : walking_.seen.of(input.slot, about_.subject.gpu))
          end = each.number > end ? each.number : end;
        for (std::uint64_t i = 0; i <= end && i < kMostItems; ++i)
          list.push_back({i, nullptr, {}});
        break;
      }
      case Input::From::seen:
        for (const Seen::Value& each : walking_.seen.of(input.slot, about_.subject.gpu))
          list.push_back({each.number, nullptr, each.text});
        // The refusal tells something, too.
        if (list.empty() && entry.field->kind != Kind::text) list.push_back({});
        break;
    }
    return list;
  }

  Outcome choose(std::size_t depth) {
    if (depth == entries_.size()) return call();
    const Entry& entry = entries_[depth];
    const bool range = entry.input->from == Input::From::numbers || entry.input->from == Input::From::up_to_seen;
    Outcome all;
    bool first = true;
    for (Choice& choice : choices(entry)) {
      if (walking_.lines.stopped()) break;
      chosen_[depth] = std::move(choice);
      const Outcome below = choose(depth + 1);
      all.add(below);
      if (range && below.all_invalid) break;
      if (range && first && entry.input->while_supported && !below.any_success) break;
      first = false;
    }
    return all;
  }

  // In the newest version of its structs that the library takes; each refusal is a line, too.
  Outcome call() {
    for (;;) {
      const int answer = call_growing();
      write(answer);
      if (answer != kVersionMismatch || version_ + 1 >= versions_)
        return {answer == kInvalidArgument, answer == kSuccess};
      ++version_;
    }
  }

  // With as much room as it takes.
  int call_growing() {
    std::uint32_t items = kFirstItems;
    if (asks_for_length_first(function_.protocol)) {
      const int answer = call_once(0);
      const std::uint32_t told = told_items();
      if (answer != kSuccess || told == 0) return answer;
      items = told > kMostItems ? kMostItems : told;
      if (function_.protocol != 'D') items += items / 4 + 8;
    }
    for (;;) {
      const int answer = call_once(items);
      if (answer != kInsufficientSize || items >= kMostItems || !has_list()) return answer;
      const std::uint32_t told = told_items();
      const std::uint32_t wanted = told > items && told < kMostItems ? told + told / 4 + 8 : items * 4;
      items = wanted < kMostItems ? wanted : kMostItems;
    }
  }

  const Version& version_of(const Parameter& parameter) const {
    return parameter.versions[version_ < parameter.versions.size() ? version_ : parameter.versions.size() - 1];
  }

  int call_once(std::uint32_t items) {
    Word words[kParameters] = {};
    for (std::size_t i = 0; i < function_.parameters.size(); ++i)
      words[i] = word(function_.parameters[i], i, items);
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

  Word word(const Parameter& each, std::size_t place, std::uint32_t items) {
    const auto lend = [&](std::size_t size) { return reinterpret_cast<Word>(rooms_[place].lend(size)); };
    switch (each.role) {
      case Role::receiver:
        return about_.handle;
      case Role::peer:
        return peer_;
      case Role::input:
      case Role::text_in:
        return 0;  // given below
      case Role::output:
        return lend(each.what.size < 8 ? 8 : each.what.size);
      case Role::structure:
        return lend_structure(version_of(each), place, items);
      case Role::items:
        if (capacity() > 0) return lend(std::size_t{each.what.size} * each.room);
        return items == 0 ? (rooms_[place].lend(0), 0) : lend(std::size_t{each.what.size} * items);
      case Role::count: {
        const Word memory = lend(8);
        std::memcpy(rooms_[place].get(), &items, sizeof items);
        return memory;
      }
      case Role::capacity:
        return each.passed;
      case Role::text:
        return lend(kTextRoom);
      case Role::length:
        return kTextRoom;
      case Role::size: {
        const Word memory = lend(8);
        const std::uint32_t size = kBlockRoom;
        std::memcpy(rooms_[place].get(), &size, sizeof size);
        return memory;
      }
    }
    return 0;
  }

  Word lend_structure(const Version& version, std::size_t place, std::uint32_t items) {
    std::size_t size = version.record->size;
    for (const Parameter& each : function_.parameters)
      size = each.role == Role::size && size < kBlockRoom ? kBlockRoom : size;
    std::byte* const memory = rooms_[place].lend(size);
    if (version.number != 0) std::memcpy(memory, &version.word, sizeof version.word);
    std::size_t behind = 0;
    for (const Field& field : version.record->fields) {
      if (!field.behind || field.counted_by == kUncounted) continue;
      const Field& counter = version.record->fields[static_cast<std::size_t>(field.counted_by)];
      std::memcpy(memory + counter.offset, &items, sizeof items);
      const Word pointer =
          items == 0 ? 0 : reinterpret_cast<Word>(behind_[behind].lend(std::size_t{field.size} * items));
      std::memcpy(memory + field.offset, &pointer, sizeof pointer);
      behind = behind + 1 < kParameters ? behind + 1 : behind;
    }
    return reinterpret_cast<Word>(memory);
  }

  std::uint32_t capacity() const {
    for (const Parameter& each : function_.parameters) {
      if (each.role == Role::capacity) return each.passed;
    }
    return 0;
  }

  void give(const Entry& entry, const Choice& choice, Word* words) {
    const Parameter& parameter = function_.parameters[entry.parameter];
    if (!entry.is_key) {
      words[entry.parameter] = parameter.role == Role::text_in ? reinterpret_cast<Word>(choice.text.c_str())
                                                               : static_cast<Word>(choice.number);
      return;
    }
    const Field& field = *version_of(parameter).keys[entry.key].field;
    std::memcpy(rooms_[entry.parameter].get() + field.offset, &choice.number, field.size < 8 ? field.size : 8);
  }

  bool has_list() const {
    for (const Parameter& each : function_.parameters) {
      if (each.role == Role::count) return true;
      if (each.role != Role::structure) continue;
      for (const Field& field : version_of(each).record->fields) {
        if (field.behind && field.counted_by != kUncounted) return true;
      }
    }
    return false;
  }

  // Of the list, beside it or within the struct.
  std::uint32_t told_items() const {
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& each = function_.parameters[i];
      std::uint32_t told = 0;
      if (each.role == Role::count) {
        std::memcpy(&told, rooms_[i].get(), sizeof told);
        return told;
      }
      if (each.role != Role::structure) continue;
      const Record& record = *version_of(each).record;
      for (const Field& field : record.fields) {
        if (!field.behind || field.counted_by == kUncounted) continue;
        std::memcpy(&told, rooms_[i].get() + record.fields[static_cast<std::size_t>(field.counted_by)].offset,
                    sizeof told);
        return told;
      }
    }
    return 0;
  }

  Subject subject() const {
    Subject subject = about_.subject;
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
      if (each.role == Role::structure && version_of(each).number != 0) versioned = &version_of(each);
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
    json.key("out").begin_object();
    const std::uint32_t items = told_items();
    decoder_.value_type(-1);
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& each = function_.parameters[i];
      const std::byte* const memory = rooms_[i].get();
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
          decoder_.record(json, *version_of(each).record, memory);
          break;
        case Role::items:
          json.key(each.what.name);
          decoder_.elements(json, each.what, memory, listed(each, i, items));
          break;
        case Role::text:
          json.key(each.what.name);
          decoder_.text(json, each.what,
                        {reinterpret_cast<const char*>(memory),
                         ::strnlen(reinterpret_cast<const char*>(memory), rooms_[i].size())});
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

  // A driver may count beyond what it was lent.
  std::uint64_t listed(const Parameter& each, std::size_t place, std::uint32_t told) const {
    if (capacity() > 0) return each.room;
    const std::uint64_t lent = each.what.size == 0 ? 0 : rooms_[place].size() / each.what.size;
    return told < lent ? told : lent;
  }

  Walking& walking_;
  const Function& function_;
  const Object& about_;
  Word peer_;
  Decoder decoder_;
  std::vector<Entry> entries_;
  std::vector<Choice> chosen_;
  std::size_t versions_ = 1;
  std::size_t version_ = 0;
  Room rooms_[kParameters];
  Room behind_[kParameters];
};

}  // namespace

void begin_line(Json& json, const char* function, const Subject& subject) {
  json.begin_object();
  json.key("call").text(function);
  subject.write(json);
}

void ask(Walking& walking, const Function& function, const Object& about, Word peer) {
  Asker(walking, function, about, peer).ask_all();
}

}  // namespace nvmlab::recorder
