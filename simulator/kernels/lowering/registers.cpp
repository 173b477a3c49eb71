// SPDX-License-Identifier: Apache-2.0
// A register of PTX holds its value from where it is named first to where it is named last, in the order of the text,
// and where it enters a loop, to the end of that. Real compilers do better and worse: their numbers differ.
#include "kernels/lowering/registers.hpp"

#include <algorithm>

namespace nvmlab::kernels {
namespace {

using ptx::Operand;
using ptx::OperandKind;

constexpr std::uint32_t kNever = 0xFFFFFFFF;

struct Span {
  std::uint32_t first = kNever;
  std::uint32_t last = 0;
};

template <class Visit>
void each_part(const Operand& operand, const Visit& visit) {
  visit(operand);
  for (const Operand& item : operand.items)
    each_part(item, visit);
}

std::uint32_t words_of(ptx::Type type) {
  return type == ptx::Type::pred ? 0 : (static_cast<std::uint32_t>(ptx::size_of(type)) + 3) / 4;
}

class Spans {
 public:
  explicit Spans(const ptx::Function& function) : function_(function), spans_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const auto note = [this, i](const Operand& part) {
        if (part.kind == OperandKind::label && part.number <= i) loops_.push_back({part.number, i});
        if (part.kind != OperandKind::reg || part.number >= spans_.size()) return;
        Span& span = spans_[part.number];
        span.first = std::min(span.first, i);
        span.last = i;
      };
      const ptx::Instruction& each = function.instructions[i];
      if (each.guarded) each_part(each.guard, note);
      for (const Operand& operand : each.operands)
        each_part(operand, note);
    }
    enter_loops();
  }

  std::uint32_t most() const {
    std::vector<std::int64_t> change(function_.instructions.size() + 1);
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].first == kNever) continue;
      const std::uint32_t words = words_of(function_.registers[i].type);
      change[spans_[i].first] += words;
      change[spans_[i].last] -= words;  // what is read last makes room for what is written
    }
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const std::int64_t each : change)
      most = std::max(most, now += each);
    return static_cast<std::uint32_t>(std::min<std::int64_t>(most, kNever));
  }

 private:
  // Inner loops end first, so one pass is enough where loops lie in each other; texts may be anything, so there are
  // few.
  void enter_loops() {
    constexpr std::size_t kMostLoops = 256;
    std::ranges::sort(loops_, {}, &Span::last);
    if (loops_.size() > kMostLoops) loops_.erase(loops_.begin(), loops_.end() - kMostLoops);
    for (const Span& loop : loops_) {
      for (Span& span : spans_) {
        if (span.first < loop.first && span.last >= loop.first) span.last = std::max(span.last, loop.last);
      }
    }
  }

  const ptx::Function& function_;
  std::vector<Span> spans_;
  std::vector<Span> loops_;
};

}  // namespace

std::uint32_t registers_of(const ptx::Function& function) { return Spans(function).most(); }

}  // namespace nvmlab::kernels
