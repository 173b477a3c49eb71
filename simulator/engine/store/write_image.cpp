// SPDX-License-Identifier: Apache-2.0
// Images are written here; image.cpp reads them.
#include <cstring>

#include "engine/store/image_records.hpp"

namespace nvmlab {
namespace {

// Most of a state is zero, or as in the GPU before it; that is passed over in blocks.
constexpr std::uint64_t kBlock = 64;
constexpr std::uint64_t kZeros[kBlock] = {};

// What a state is written against: nothing but zeros, another state, or the state that a record tells.
class Zeros {
 public:
  bool same(const AliasedWord* words, std::uint64_t from, std::uint64_t to) const {
    return std::memcmp(words + from, kZeros, (to - from) * 8) == 0;
  }
  std::uint64_t at(std::uint64_t) const { return 0; }
};

class OtherState {
 public:
  explicit OtherState(const Gpu* state) : words_(reinterpret_cast<const AliasedWord*>(state)) {}
  bool same(const AliasedWord* words, std::uint64_t from, std::uint64_t to) const {
    return std::memcmp(words + from, words_ + from, (to - from) * 8) == 0;
  }
  std::uint64_t at(std::uint64_t word) const { return words_[word]; }

 private:
  const AliasedWord* words_;
};

class OtherRecord {
 public:
  OtherRecord(const AliasedWord* words, std::uint64_t begin, std::uint64_t end)
      : words_(words), run_(begin), end_(end) {}

  // Of one block behind the other.
  bool same(const AliasedWord* words, std::uint64_t from, std::uint64_t to) {
    while (run_ < end_ && behind(run_) <= from)
      run_ = next(run_);
    for (std::uint64_t run = run_; from < to; run = next(run)) {
      const std::uint64_t first =
          run < end_ && image_run_at(words_, run).first < to ? image_run_at(words_, run).first : to;
      if (first > from && !Zeros().same(words, from, first)) return false;
      from = first > from ? first : from;
      if (from == to) break;
      const std::uint64_t last = behind(run) < to ? behind(run) : to;
      if (std::memcmp(words + from, words_ + run + 1 + (from - first_of(run)), (last - from) * 8) != 0) return false;
      from = last;
    }
    return true;
  }
  // Of that block, or a little behind it.
  std::uint64_t at(std::uint64_t word) const {
    for (std::uint64_t run = run_; run < end_ && first_of(run) <= word; run = next(run)) {
      if (word < behind(run)) return words_[run + 1 + (word - first_of(run))];
    }
    return 0;
  }

 private:
  std::uint64_t first_of(std::uint64_t run) const { return image_run_at(words_, run).first; }
  std::uint64_t behind(std::uint64_t run) const { return first_of(run) + image_run_at(words_, run).count; }
  std::uint64_t next(std::uint64_t run) const { return run + 1 + image_run_at(words_, run).count; }

  const AliasedWord* words_;
  std::uint64_t run_;  // that holds the block, or comes behind it
  std::uint64_t end_;
};

// Counts words, and writes them where there is somewhere to write to.
class Writer {
 public:
  Writer(AliasedWord* words, std::uint64_t at) : words_(words), at_(at) {}
  std::uint64_t at() const { return at_; }

  // The words of `state` that differ from those of `base`.
  template <class Base>
  void add(const void* state, Base base, std::uint64_t size) {
    const auto* words = static_cast<const AliasedWord*>(state);
    const auto differs = [&](std::uint64_t i) { return words[i] != base.at(i); };
    const std::uint64_t end = size / 8;
    for (std::uint64_t i = 0; i < end;) {
      const std::uint64_t block = i + kBlock < end ? i + kBlock : end;
      if (base.same(words, i, block)) i = block;
      while (i < block) {
        if (!differs(i)) {
          ++i;
          continue;
        }
        std::uint64_t last = i;
        // A single word in between costs no more than the head of another run.
        while ((last + 1 < end && differs(last + 1)) || (last + 2 < end && differs(last + 2)))
          ++last;
        put(__builtin_bit_cast(std::uint64_t,
                               ImageRun{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(last - i + 1)}));
        for (; i <= last; ++i)
          put(words[i]);
      }
    }
  }

 private:
  void put(std::uint64_t word) {
    if (words_ != nullptr) words_[at_] = word;
    ++at_;
  }

  AliasedWord* words_;
  std::uint64_t at_;
};

}  // namespace

template <class GpuAt>
static std::uint64_t write_states(const Node& node, const GpuAt& gpu_at, std::uint32_t gpu_count, const char* name,
                                  void* bytes) {
  auto* header = static_cast<ImageHeader*>(bytes);
  Writer writer(static_cast<AliasedWord*>(bytes), records_at(gpu_count));
  std::uint32_t* place = header == nullptr ? nullptr : reinterpret_cast<std::uint32_t*>(header + 1);
  if (header != nullptr) std::memset(bytes, 0, records_at(gpu_count) * 8);
  const auto bound = [&] {
    if (place != nullptr) *place++ = static_cast<std::uint32_t>(writer.at());
  };
  bound();
  writer.add(&node, Zeros(), sizeof node);
  bound();
  const std::uint64_t first = writer.at();
  std::uint64_t second = first;  // where the record of the first GPU ends
  for (std::uint32_t i = 0; i < gpu_count; ++i) {
    const Gpu* const gpu = gpu_at(i);
    if (i == 0) {
      writer.add(gpu, Zeros(), sizeof *gpu);
      second = writer.at();
    } else if (bytes == nullptr) {
      writer.add(gpu, OtherState(gpu_at(0)), sizeof *gpu);
    } else {  // the first one may be gone
      writer.add(gpu, OtherRecord(static_cast<const AliasedWord*>(bytes), first, second), sizeof *gpu);
    }
    bound();
  }
  const std::uint64_t size = writer.at() * 8;
  if (header == nullptr) return size;
  std::memcpy(header->magic, kImageMagic, sizeof kImageMagic);
  header->format = kImageFormat;
  header->gpu_count = gpu_count;
  header->layout_hash = kLayoutHash;
  header->total_size = size;
  std::size_t length = std::strlen(name);
  if (length >= sizeof header->name) length = sizeof header->name - 1;
  std::memcpy(header->name, name, length);
  seal_image(bytes);
  return size;
}

std::uint64_t write_image(const Node& node, const Gpu* gpus, std::uint32_t gpu_count, const char* name, void* bytes) {
  return write_states(
      node, [gpus](std::uint32_t i) { return gpus + i; }, gpu_count, name, bytes);
}

std::uint64_t write_image(const Node& node, const GpuSource& gpus, std::uint32_t gpu_count, const char* name,
                          void* bytes) {
  return write_states(
      node, [&gpus](std::uint32_t i) { return gpus.at(gpus.self, i); }, gpu_count, name, bytes);
}

}  // namespace nvmlab
