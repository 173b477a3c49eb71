// SPDX-License-Identifier: Apache-2.0
// How NVML is asked for a list whose length nobody knows before: eight protocols, one core for all types of element, so
// that a list costs its method no more than the conversion. Covered by tests/binding/lists_test.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "nvmlab/abi/generated/enums.hpp"

namespace nvml::inline v1::detail {

// What a function does with (count, array). Letters are those of the reference page of lists.
enum class Protocol : char {
  A = 'A',  // too small: INSUFFICIENT_SIZE and the count; (0, null) asks
  B = 'B',  // too small: INSUFFICIENT_SIZE, and maybe a count; null is wrong
  C = 'C',  // zero asks, with SUCCESS; too small: INSUFFICIENT_SIZE
  D = 'D',  // zero asks, with SUCCESS; anything else is how many are written, so it must not be more than there are
  E = 'E',  // null asks, with SUCCESS; a zero count with an array is wrong
  F = 'F',  // null asks, with INSUFFICIENT_SIZE
  G = 'G',  // null asks, with SUCCESS; the count is never read: whoever lends too little is written beyond
  H = 'H',  // nothing asks and the count is never read: the caller knows how many there can be
};

struct ListRule {
  Protocol protocol = Protocol::A;
  abi::nvmlReturn_t empty[2] = {};  // codes that mean: no elements
  unsigned capacity = 0;            // H: how many there can be

  constexpr bool means_empty(abi::nvmlReturn_t code) const noexcept {
    return code != abi::NVML_SUCCESS && (code == empty[0] || code == empty[1]);
  }
};

// One call of the function: count in and out, room for that many elements.
class ListAsk {
 public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, ListAsk>) ListAsk(Callable& callable)
  noexcept  // NOLINT(google-explicit-constructor): a view of the callable
      : callable_(&callable),
        call_([](void* what, unsigned* count, void* room) { return (*static_cast<Callable*>(what))(count, room); }) {}

  abi::nvmlReturn_t operator()(unsigned* count, void* room) const { return call_(callable_, count, room); }

 private:
  void* callable_;
  abi::nvmlReturn_t (*call_)(void*, unsigned*, void*);
};

// The elements as the driver wrote them. Short lists stay where the caller put this; longer ones lie in memory that the
// answer keeps, where it can lend some, so that they cost no allocation beside its own.
class RawList {
 public:
  static constexpr std::size_t kFirst = 1024;  // bytes that are lent before the driver told how much there is
  static constexpr std::size_t kLocal = 4096;

  // Whose memory a longer list may use: `room(answer, elements)` gives up what it gave before.
  struct Lender {
    void* answer = nullptr;
    void* (*room)(void* answer, std::size_t elements) = nullptr;
  };

  RawList() = default;
  explicit RawList(Lender lender) noexcept : lender_(lender) {}

  // Room for that many elements, all bytes zero.
  void* room(std::size_t elements, std::size_t size);

  bool is_local() const noexcept { return where_ == local_; }

  const std::byte* bytes() const noexcept { return static_cast<const std::byte*>(where_); }

  template <class C>
  std::span<const C> elements() const noexcept {
    return {static_cast<const C*>(where_), count};
  }

  unsigned count = 0;

 private:
  alignas(std::max_align_t) std::byte local_[kLocal];
  Lender lender_;
  std::unique_ptr<std::byte[]> heap_;
  const void* where_ = local_;
};

// SUCCESS also where the rule says that the code means "none".
abi::nvmlReturn_t ask_list(RawList& list, const ListRule& rule, std::size_t size, ListAsk ask);

// The same into the caller's room of `capacity` elements; nothing is allocated. INSUFFICIENT_SIZE if it is too small,
// with the count that is needed, 0 where nobody knows.
abi::nvmlReturn_t ask_list_into(void* room, unsigned capacity, unsigned& count, const ListRule& rule, ListAsk ask);

}  // namespace nvml::inline v1::detail
