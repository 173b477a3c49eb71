// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lowering.hpp"

#include <algorithm>

#include "kernels/lowering/registers.hpp"

namespace nvmlab::kernels {

using ptx::Space;

namespace {

std::uint64_t rounded(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Lowering::Lowering(const Builder& builder, std::uint32_t index, FunctionCode& out)
    : builder_(builder), index_(index), function_(builder.function(index)), out_(out), handlers_(handlers()) {}

bool Lowering::invalid(std::string text) {
  if (problem_.text.empty()) problem_ = {now_ != nullptr ? now_->at : function_.at, std::move(text)};
  return false;
}

// The function is not executed, and the first reason is kept; reading it goes on, as the rest may be invalid.
bool Lowering::refuse(const std::string& why) {
  if (out_.refused.empty()) out_.refused = ptx::Problem{now_ != nullptr ? now_->at : function_.at, why}.told();
  return true;
}

bool Lowering::refuse_form() {
  std::string form(now_->opcode);
  for (const std::string_view each : now_->modifiers)
    form += "." + std::string(each);
  return refuse(form + " is not executed");
}

Instruction& Lowering::emit(Handler run, Kind kind) {
  Instruction& made = code_.emplace_back();
  made.run = run;
  made.kind = kind;
  made.guard = guard_;
  made.negated = guard_negated_;
  made.line = now_ != nullptr ? now_->at.line : 0;
  return made;
}

// What was put together before its handler was known; null: a form that is not executed.
bool Lowering::emit_checked(Handler run, const Instruction& made) {
  if (run == nullptr) return refuse_form();
  Instruction& kept = emit(run, made.kind);
  const Instruction place = kept;
  kept = made;
  kept.run = run;
  kept.guard = place.guard;
  kept.negated = place.negated;
  kept.line = place.line;
  return true;
}

bool Lowering::want(const Ast& each, std::size_t least, std::size_t most) {
  if (each.operands.size() >= least && each.operands.size() <= most) return true;
  return invalid(std::string(each.opcode) + " has " + std::to_string(each.operands.size()) + " operands; it takes " +
                 (least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most)));
}

// Parameters of a kernel lie as the caller packs them; everything else of .param and .local in the thread's memory.
void Lowering::lay_out_variables() {
  locals_.assign(function_.variables.size(), 0);
  std::uint64_t local = 0;
  std::uint64_t packed = 0;
  const std::size_t parameters =
      function_.register_parameters ? 0 : function_.parameters.size() + function_.results.size();
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const ptx::Variable& each = function_.variables[i];
    if (each.space == Space::shared) continue;
    const bool of_kernel = function_.entry && i < parameters;
    std::uint64_t& at = of_kernel ? packed : local;
    at = rounded(at, std::max(each.align, 1U));
    if (!of_kernel) out_.local_align = std::max(out_.local_align, each.align);
    locals_[i] = static_cast<std::uint32_t>(at);
    at += each.bytes;
    if (at > (1U << 28)) {
      invalid("'" + each.name + "': a thread's variables take more than 256 MiB");
      return;
    }
    if (of_kernel) out_.parameters.push_back({locals_[i], static_cast<std::uint32_t>(each.bytes)});
  }
  out_.parameter_bytes = static_cast<std::uint32_t>(packed);
  out_.local_bytes = static_cast<std::uint32_t>(rounded(local, 16));
  const auto passed = [this](const std::vector<std::uint32_t>& numbers, std::vector<Passed>& into) {
    for (const std::uint32_t number : numbers) {
      Passed made;
      made.in_register = function_.register_parameters;
      if (made.in_register) {
        made.ref = slot(number);
        made.bytes = made.ref.wide != 0 ? 8 : 4;
      } else {
        made.local = locals_[number];
        made.bytes = static_cast<std::uint32_t>(function_.variables[number].bytes);
      }
      into.push_back(made);
    }
  };
  if (function_.entry) return;
  passed(function_.parameters, out_.arguments);
  passed(function_.results, out_.results);
}

bool Lowering::lower(const Ast& each) {
  now_ = &each;
  guard_ = kNoGuard;
  if (each.guarded) {
    Ref guard;
    if (!predicate(each.guard, &guard)) return false;
    guard_ = guard.at;
    guard_negated_ = each.guard.negated;
  }
  const Method method = method_of(each.opcode);
  if (method == nullptr) return refuse_form();
  Words words(each.modifiers);
  return (this->*method)(each, words);
}

bool Lowering::lower_function() {
  slots_.resize(function_.registers.size());
  std::copy_n(function_.required_threads, 3, out_.required_threads);
  std::copy_n(function_.required_cluster, 3, out_.required_cluster);
  out_.max_cluster_rank = function_.max_cluster_rank;
  std::uint64_t most = 1;
  for (int i = 0; i < 3; ++i)
    most =
        std::min<std::uint64_t>(1024, most * std::max({function_.max_threads[i], function_.required_threads[i], 1U}));
  const bool bounded = function_.max_threads[0] != 0 || function_.required_threads[0] != 0;
  out_.max_threads = bounded ? static_cast<std::uint32_t>(most) : 1024;
  lay_out_variables();
  if (!problem_.text.empty()) return false;
  if (!function_.has_body) return true;
  out_.shared_bytes = builder_.shared(index_).bytes;
  out_.dynamic_shared_at = builder_.shared(index_).dynamic_at;
  begins_.reserve(function_.instructions.size() + 1);
  for (const Ast& each : function_.instructions) {
    begins_.push_back(static_cast<std::uint32_t>(code_.size()));
    if (!lower(each)) return false;
  }
  begins_.push_back(static_cast<std::uint32_t>(code_.size()));
  now_ = nullptr;
  guard_ = kNoGuard;
  emit(nullptr, Kind::ret);
  if (!lay_out_code()) return false;
  out_.frame_bytes = static_cast<std::uint32_t>(rounded(frame_, 64)) + 64;
  constexpr std::uint32_t kOfCalls = 8;  // stack, return address, and what compilers need besides
  const std::uint32_t allowed = function_.max_registers == 0 ? 255 : function_.max_registers;
  out_.register_count = std::min(registers_of(function_) + kOfCalls, allowed);
  seal_constants();
  return true;
}

}  // namespace nvmlab::kernels
