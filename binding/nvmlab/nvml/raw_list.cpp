// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "nvmlab/nvml/shapes/raw_list.hpp"

namespace nvml::inline v1::detail {
namespace {

// What a list may grow to. A driver that asks for more than this is not telling the truth.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostElements = std::size_t{1} << 20;

std::size_t most(std::size_t size) { return std::min(kMostElements, kMostBytes / size); }

// More than was reported, because the list may grow until the next call. A report that cannot be is not followed.
std::size_t grown(std::size_t capacity, std::size_t reported, std::size_t size) {
  const std::size_t wanted = reported > most(size) ? 0 : reported + reported / 4 + 8;
  return std::min(std::max(wanted, capacity * 2), most(size));
}

// Some functions count beyond what they were lent.
unsigned within(unsigned count, std::size_t capacity) {
  return static_cast<unsigned>(std::min<std::size_t>(count, capacity));
}

abi::nvmlReturn_t ask_once(RawList& list, std::size_t capacity, std::size_t size, ListAsk ask) {
  void* room = list.room(capacity, size);
  list.count = static_cast<unsigned>(capacity);
  const abi::nvmlReturn_t code = ask(&list.count, room);
  if (code == abi::NVML_SUCCESS) list.count = within(list.count, capacity);
  return code;
}

abi::nvmlReturn_t ask_growing(RawList& list, std::size_t capacity, std::size_t size, ListAsk ask) {
  for (;;) {
    const abi::nvmlReturn_t code = ask_once(list, capacity, size, ask);
    if (code != abi::NVML_ERROR_INSUFFICIENT_SIZE || capacity == most(size)) return code;
    capacity = grown(capacity, list.count, size);
  }
}

// The protocols whose first call only asks.
abi::nvmlReturn_t ask_queried(RawList& list, Protocol protocol, std::size_t size, ListAsk ask) {
  unsigned told = 0;
  if (const abi::nvmlReturn_t code = ask(&told, nullptr); code != abi::NVML_SUCCESS) return code;
  if (told == 0) return abi::NVML_SUCCESS;
  if (told > most(size)) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  if (protocol == Protocol::D) return ask_once(list, told, size, ask);
  // E may have more to tell by the next call; G would write it whether there is room or not.
  const std::size_t margin = protocol == Protocol::G ? told + 8 : told / 4 + 8;
  return ask_growing(list, told + margin, size, ask);
}

abi::nvmlReturn_t emptied(const ListRule& rule, abi::nvmlReturn_t code, unsigned& count) {
  if (code == abi::NVML_SUCCESS) return code;
  count = 0;
  return rule.means_empty(code) ? abi::NVML_SUCCESS : code;
}

abi::nvmlReturn_t refused(unsigned& count, unsigned needed) {
  count = needed;
  return abi::NVML_ERROR_INSUFFICIENT_SIZE;
}

bool queries(Protocol protocol) {
  return protocol == Protocol::D || protocol == Protocol::E || protocol == Protocol::G;
}

}  // namespace

void* RawList::room(std::size_t elements, std::size_t size) {
  count = 0;
  if (elements * size <= kLocal) {
    where_ = local_;
    return std::memset(local_, 0, elements * size);
  }
  void* lent = nullptr;
  if (lender_.room != nullptr) {
    lent = lender_.room(lender_.answer, elements);
  } else {
    heap_.reset();  // before more is taken
    heap_ = std::make_unique_for_overwrite<std::byte[]>(elements * size);
    lent = heap_.get();
  }
  where_ = lent;
  return std::memset(lent, 0, elements * size);
}

abi::nvmlReturn_t ask_list(RawList& list, const ListRule& rule, std::size_t size, ListAsk ask) {
  abi::nvmlReturn_t code{};
  if (queries(rule.protocol)) {
    code = ask_queried(list, rule.protocol, size, ask);
  } else if (rule.protocol == Protocol::H) {
    code = ask_once(list, std::max<std::size_t>(rule.capacity, 8), size, ask);
  } else {
    code = ask_growing(list, std::max<std::size_t>(RawList::kFirst / size, 8), size, ask);
  }
  return emptied(rule, code, list.count);
}

abi::nvmlReturn_t ask_list_into(void* room, unsigned capacity, unsigned& count, const ListRule& rule, ListAsk ask) {
  unsigned offered = capacity;
  if (queries(rule.protocol)) {
    unsigned told = 0;
    if (const abi::nvmlReturn_t code = ask(&told, nullptr); code != abi::NVML_SUCCESS || told == 0)
      return emptied(rule, code, count = 0);
    if (told > capacity) return refused(count, told);
    if (rule.protocol == Protocol::D) offered = told;
  } else if (rule.protocol == Protocol::H && rule.capacity > capacity) {
    return refused(count, rule.capacity);
  }
  alignas(std::max_align_t) std::byte nowhere[1];  // null would be a question, or wrong
  count = offered;
  const abi::nvmlReturn_t code = ask(&count, room == nullptr ? nowhere : room);
  if (code == abi::NVML_SUCCESS && capacity == 0 && count != 0) return refused(count, count);  // C: zero was a question
  if (code == abi::NVML_ERROR_INSUFFICIENT_SIZE && !rule.means_empty(code))
    return refused(count, count > capacity && count <= kMostElements ? count : 0);  // not every driver tells it
  count = within(count, capacity);
  return emptied(rule, code, count);
}

}  // namespace nvml::inline v1::detail
