// SPDX-License-Identifier: Apache-2.0
// Fields of tensor maps that a kernel changes, against the same written to the struct.
#include <cstring>

#include "kernels/tensor_maps_api.h"
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

using Map = nvmlab_tensor_map;
constexpr unsigned kWords = sizeof(Map) / 8;

// A value for a field of a dimension, and the map that has it; as PTX counts, and as the driver does.
struct Wanted {
  std::uint64_t value;
  std::uint64_t kept;
};

Wanted wanted(const Named& form, unsigned dimension) {
  if (form.has("global_address")) return {0x7F1234567890ULL, 0x7F1234567890ULL};
  if (form.has("global_stride")) return {4096ULL + 16 * dimension, 4096ULL + 16 * dimension};
  if (form.has("global_dim")) return {1000ULL + dimension, 999ULL + dimension};
  if (form.has("box_dim")) return {256ULL - dimension, 256ULL - dimension};
  if (form.has("elemtype")) return {8, 10};  // f32.ftz
  return {3, 3};
}

void change(const Named& form, unsigned dimension, std::uint64_t kept, Map* map) {
  const auto byte = static_cast<std::uint8_t>(kept);
  if (form.has("global_address")) map->address = kept;
  if (form.has("global_stride")) map->stride[dimension] = kept;
  if (form.has("global_dim")) map->last[dimension] = static_cast<std::uint32_t>(kept);
  if (form.has("box_dim")) map->box[dimension] = static_cast<std::uint16_t>(kept);
  if (form.has("element_stride")) map->step[dimension] = byte;
  if (form.has("rank")) map->last_dimension = byte;
  if (form.has("elemtype")) map->type = byte;
  if (form.has("interleave_layout")) map->interleave = byte;
  if (form.has("swizzle_mode")) map->swizzle = byte;
  if (form.has("fill_mode")) map->fill = byte;
  if (form.has("swizzle_atomicity")) map->atomicity = byte;
}

// Through shared memory where the form is of it, else in place.
std::string body(const Named& form, const std::string& dimension, const std::string& value) {
  const bool shared = form.has("shared::cta");
  std::string text =
      ".reg .b64 %in, %s, %v;\n.reg .b32 %b, %w;\n.shared .align 128 .b8 there[128];\nld.param.u64 %in, [in];\n"
      "mov.u64 %s, there;\nmov.u32 %b, there;\n";
  const auto copied = [&](const std::string& to, const std::string& from) {
    for (unsigned i = 0; i < kWords; ++i) {
      const std::string at = "+" + std::to_string(i * 8) + "]";
      text += "ld." + from + at + ";\n";
      text += "st." + to + at + ", %v;\n";
    }
  };
  if (shared) copied("shared.u64 [%b", "global.u64 %v, [%in");
  const bool wide = form.text.ends_with("b64");
  const bool number = form.has_one({"elemtype", "interleave_layout", "swizzle_mode", "fill_mode", "swizzle_atomicity"});
  text += wide ? "mov.u64 %v, " + value + ";\n" : "mov.u32 %w, " + value + ";\n";
  text += form.text + (shared ? " [%b], " : " [%in], ") + dimension + (number ? value : wide ? "%v" : "%w") + ";\n";
  if (shared) copied("global.u64 [%in", "shared.u64 %v, [%b");
  return text;
}

std::string tensor_map(const Named& form) {
  const bool several = form.has_one({"box_dim", "global_dim", "element_stride", "global_stride"});
  const unsigned dimensions = !several ? 1 : form.has("global_stride") ? 4 : 5;
  for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
    Buffer<std::uint8_t> bytes(random_bytes(sizeof(Map), dimension + 1));
    Map expected;
    std::memcpy(&expected, &bytes[0], sizeof expected);
    const Wanted what = wanted(form, dimension);
    change(form, dimension, what.kept, &expected);
    const std::string which = several ? std::to_string(dimension) + ", " : "";
    const std::string told =
        run_text(kernel_text(".param .u64 in", body(form, which, std::to_string(what.value))), 1, 1, {bytes.address()});
    if (!told.empty()) return told;
    for (unsigned at = 0; at < sizeof expected; ++at) {
      const std::uint8_t byte = reinterpret_cast<const std::uint8_t*>(&expected)[at];
      if (bytes[at] != byte) return different("byte", at, bytes[at], byte);
    }
  }
  return "";
}

}  // namespace

void add_tensor_map_kernels(Kernels& all) { all["tensor_map"] = tensor_map; }

}  // namespace nvmlab::kernels_test
