// SPDX-License-Identifier: Apache-2.0
// What a CUDA driver supplies to kernels: vprintf, __assertfail, malloc, free and cudaGraphSetConditional.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "kernels/run/block.hpp"

namespace nvmlab::kernels {
namespace {

std::uint64_t argument(const Warp& warp, const Passed& passed, std::uint32_t lane) {
  std::uint64_t value = 0;
  const char* from = passed.in_register
                         ? warp.base[passed.ref.constant] + passed.ref.at + lane * (passed.ref.wide != 0 ? 8U : 4U)
                         : warp.local + lane * warp.local_stride + warp.local_frame + passed.local;
  std::memcpy(&value, from, passed.bytes < 8 ? passed.bytes : 8);
  return value;
}

void give(Warp& warp, const CallSite& site, std::uint32_t lane, std::uint64_t value) {
  if (site.results.empty()) return;
  const Passed& to = site.results[0];
  char* const at = to.in_register ? warp.base[0] + to.ref.at + lane * (to.ref.wide != 0 ? 8U : 4U)
                                  : warp.local + lane * warp.local_stride + warp.local_frame + to.local;
  std::memcpy(at, &value, std::min<std::uint32_t>(to.bytes, sizeof value));
}

// A text of the kernel, up to its zero; false where it leaves its memory.
bool text_at(Warp& warp, std::uint32_t lane, std::uint64_t address, std::string* out) {
  constexpr std::size_t kLongest = 1 << 16;
  for (; out->size() < kLongest; ++address) {
    if (!reachable(warp, address, 1)) {
      fail(warp, FaultKind::illegal_address, lane, address, 1);
      return false;
    }
    const char c = *reinterpret_cast<const char*>(address);
    if (c == '\0') return true;
    out->push_back(c);
  }
  return true;
}

// Arguments lie one behind the other, each where its size lets it.
class Arguments {
 public:
  Arguments(Warp& warp, std::uint32_t lane, std::uint64_t at) : warp_(warp), lane_(lane), at_(at) {}
  bool next(std::uint32_t size, std::uint64_t* out) {
    at_ = (at_ + size - 1) / size * size;
    if (!reachable(warp_, at_, size)) {
      fail(warp_, FaultKind::illegal_address, lane_, at_, size);
      return false;
    }
    *out = 0;
    std::memcpy(out, reinterpret_cast<const void*>(at_), size);
    at_ += size;
    return true;
  }

 private:
  Warp& warp_;
  std::uint32_t lane_;
  std::uint64_t at_;
};

// One conversion, its letter last. False after a fault.
bool convert_one(Warp& warp, std::uint32_t lane, std::string spec, Arguments& arguments, std::string* out) {
  const char letter = spec.back();
  const bool long_one =
      spec.find('l') != std::string::npos || spec.find('z') != std::string::npos || spec.find('j') != std::string::npos;
  std::erase_if(spec, [](char c) { return c == 'l' || c == 'h' || c == 'z' || c == 'j' || c == 't'; });
  char text[512];
  std::uint64_t value = 0;
  if (std::strchr("aAeEfFgG", letter) != nullptr) {
    double number = 0;
    if (!arguments.next(8, &value)) return false;
    std::memcpy(&number, &value, sizeof number);
    std::snprintf(text, sizeof text, spec.c_str(), number);
  } else if (letter == 's') {
    std::string string;
    if (!arguments.next(8, &value) || (value != 0 && !text_at(warp, lane, value, &string))) return false;
    if (spec == "%s") {
      *out += string;
      return true;
    }
    std::snprintf(text, sizeof text, spec.c_str(), string.c_str());
  } else if (letter == 'p') {
    if (!arguments.next(8, &value)) return false;
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  } else if (std::strchr("diouxXc", letter) != nullptr) {
    if (!arguments.next(long_one ? 8 : 4, &value)) return false;
    if (letter == 'c') {
      std::snprintf(text, sizeof text, spec.c_str(), static_cast<int>(value));
    } else {
      if (!long_one && (letter == 'd' || letter == 'i'))
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
      spec.insert(spec.size() - 1, "ll");
      std::snprintf(text, sizeof text, spec.c_str(), static_cast<unsigned long long>(value));
    }
  } else {
    *out += spec;
    return true;
  }
  *out += text;
  return true;
}

void print(Warp& warp, std::uint32_t lane, std::uint64_t format_at, std::uint64_t arguments_at) {
  std::string format;
  if (!text_at(warp, lane, format_at, &format)) return;
  Arguments arguments(warp, lane, arguments_at);
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    std::string spec = "%";
    while (++i < format.size() && spec.size() < 32) {
      if (format[i] == '*') {
        std::uint64_t width = 0;
        if (!arguments.next(4, &width)) return;
        spec += std::to_string(std::min<std::int32_t>(static_cast<std::int32_t>(width), 256));
        continue;
      }
      spec += format[i];
      if (std::strchr("diouxXcsfFeEgGaAp", format[i]) != nullptr) break;
    }
    // A width or precision of more than three digits would not fit.
    std::size_t digits = 0;
    bool sane = true;
    for (const char c : spec) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      sane = sane && digits <= 2;
    }
    if (!sane || spec.find('n') != std::string::npos) {
      out += spec;
    } else if (!convert_one(warp, lane, spec, arguments, &out)) {
      return;
    }
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void fail_assertion(Warp& warp, const CallSite& site, std::uint32_t lane) {
  std::string texts[3];
  const std::uint64_t line = argument(warp, site.arguments[2], lane) & 0xFFFFFFFF;
  constexpr std::size_t kWhich[] = {0, 1, 3};
  for (std::size_t i = 0; i < 3; ++i)
    text_at(warp, lane, argument(warp, site.arguments[kWhich[i]], lane), &texts[i]);
  const Block& block = *warp.block;
  const nvmlab_launch& request = *block.launch->request;
  const std::uint32_t thread = warp.index * kLanes + lane;
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", texts[1].c_str(),
               static_cast<unsigned>(line), texts[2].c_str(), block.index[0], block.index[1], block.index[2],
               thread % request.block[0], thread / request.block[0] % request.block[1],
               thread / request.block[0] / request.block[1], texts[0].c_str());
  fail(warp, FaultKind::assertion, lane);
}

}  // namespace

void call_builtin(Warp& warp, const CallSite& site, std::uint32_t lane) {
  Heap* const heap = warp.block->launch->program->heap.get();
  switch (site.builtin) {
    case Builtin::assert_fail:
      return fail_assertion(warp, site, lane);
    case Builtin::allocate:
      return give(warp, site, lane, heap == nullptr ? 0 : heap->allocate(argument(warp, site.arguments[0], lane)));
    case Builtin::release: {
      const std::uint64_t address = argument(warp, site.arguments[0], lane);
      if (address != 0 && (heap == nullptr || !heap->release(address)))
        fail(warp, FaultKind::illegal_address, lane, address, 1);
      return;
    }
    case Builtin::set_condition: {  // its handle is the address of a word
      const std::uint64_t address = argument(warp, site.arguments[0], lane);
      const auto value = static_cast<std::uint32_t>(argument(warp, site.arguments[1], lane));
      if (address % sizeof value != 0 || !reachable(warp, address, sizeof value))
        return fail(warp, FaultKind::illegal_address, lane, address, sizeof value);
      return __atomic_store_n(reinterpret_cast<std::uint32_t*>(address), value, __ATOMIC_RELEASE);
    }
    default:
      print(warp, lane, argument(warp, site.arguments[0], lane), argument(warp, site.arguments[1], lane));
      give(warp, site, lane, 0);
  }
}

}  // namespace nvmlab::kernels
