// SPDX-License-Identifier: Apache-2.0
// Objects that stay where they are, and pointers found by an address: without malloc, which belongs to the program.
#pragma once

#include <cstdint>

#include "engine/store/system.hpp"

namespace nvmlab::cudart {

// Taken one by one and given back; a handle of a stranger is told from one of these.
template <class T>
class Blocks {
 public:
  T* take() {
    if (free_ == nullptr && !grow()) return nullptr;
    Item* const taken = free_;
    free_ = taken->next_free;
    taken->live = true;
    taken->object = T{};
    return &taken->object;
  }
  void give_back(T* object) {
    auto* const item = reinterpret_cast<Item*>(object);
    item->live = false;
    item->next_free = free_;
    free_ = item;
  }
  bool has(const void* address) const {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (const Block* block = blocks_; block != nullptr; block = block->next) {
      const auto first = reinterpret_cast<std::uintptr_t>(block->items);
      if (wanted < first || wanted >= first + sizeof block->items) continue;
      const std::uintptr_t offset = wanted - first;
      return offset % sizeof(Item) == 0 && block->items[offset / sizeof(Item)].live;
    }
    return false;
  }
  // Calls visit(object) for each.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (Block* block = blocks_; block != nullptr; block = block->next) {
      for (Item& item : block->items) {
        if (item.live) visit(item.object);
      }
    }
  }

 private:
  struct Item {
    T object;  // first, so that its address is the item's
    Item* next_free;
    bool live;
  };
  struct Block {
    static constexpr std::size_t kItems = (1 << 16) / sizeof(Item);
    Item items[kItems];
    Block* next;
  };

  bool grow() {
    auto* const block = static_cast<Block*>(sys::map_private(sizeof(Block)));
    if (block == nullptr) return false;
    for (Item& item : block->items) {
      item.next_free = free_;
      free_ = &item;
    }
    block->next = blocks_;
    blocks_ = block;
    return true;
  }

  Block* blocks_ = nullptr;
  Item* free_ = nullptr;
};

// From addresses to objects, by open addressing. What is removed leaves a mark.
template <class T>
class ByAddress {
 public:
  T* find(const void* key) const {
    if (capacity_ == 0 || key == nullptr) return nullptr;
    for (std::size_t at = place_of(key);; at = (at + 1) & (capacity_ - 1)) {
      if (rows_[at].key == key) return rows_[at].object;
      if (rows_[at].key == nullptr) return nullptr;
    }
  }
  bool put(const void* key, T* object) {
    if (key == nullptr || ((used_ + 1) * 2 > capacity_ && !grow())) return false;
    for (std::size_t at = place_of(key);; at = (at + 1) & (capacity_ - 1)) {
      if (rows_[at].key != nullptr && rows_[at].key != key) continue;
      if (rows_[at].key == nullptr) ++used_;
      rows_[at] = {key, object};
      return true;
    }
  }
  void remove(const void* key) {
    if (find(key) != nullptr) put(key, nullptr);
  }

 private:
  struct Row {
    const void* key;
    T* object;
  };

  std::size_t place_of(const void* key) const {
    return (reinterpret_cast<std::uintptr_t>(key) >> 3) * 0x9E3779B97F4A7C15 >> 20 & (capacity_ - 1);
  }

  bool grow() {
    const ByAddress old = *this;
    capacity_ = old.capacity_ == 0 ? 1024 : 2 * old.capacity_;
    rows_ = static_cast<Row*>(sys::map_private(capacity_ * sizeof(Row)));
    used_ = 0;
    if (rows_ == nullptr) {
      *this = old;
      return false;
    }
    for (std::size_t i = 0; i < old.capacity_; ++i) {
      if (old.rows_[i].object != nullptr) put(old.rows_[i].key, old.rows_[i].object);
    }
    if (old.rows_ != nullptr) sys::unmap(old.rows_, old.capacity_ * sizeof(Row));
    return true;
  }

  Row* rows_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace nvmlab::cudart
