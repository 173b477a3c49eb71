// SPDX-License-Identifier: Apache-2.0
// tex, tld4, txq; suld, sust, suq. Textures are objects, or references of the module that hold one; samplers of their
// own, offsets and comparisons of depth are not executed.
#include "kernels/code/texture.hpp"
#include "kernels/lowering/lowering.hpp"
#include "kernels/run/texture.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

namespace {

struct Geometry {
  std::string_view word;
  std::uint8_t dimensions;
  bool layered;
  bool cube;
};
constexpr Geometry kGeometries[] = {{"1d", 1, false, false}, {"2d", 2, false, false}, {"3d", 3, false, false},
                                    {"a1d", 1, true, false}, {"a2d", 2, true, false}, {"cube", 3, false, true},
                                    {"acube", 3, true, true}};

bool take_geometry(Words& words, TextureAccess* made) {
  for (const Geometry& each : kGeometries) {
    if (!words.take(each.word)) continue;
    made->dimensions = each.dimensions;
    made->layered = each.layered;
    made->cube = each.cube;
    return true;
  }
  return false;
}

}  // namespace

TextureAccess& Lowering::new_texture() {
  out_.textures.push_back(std::make_unique<TextureAccess>());
  return *out_.textures.back();
}

// "[%rd1, {%f1, %f2}]", "[name, {...}]"; where `placed`, with a place.
bool Lowering::texture_operand(const Operand& operand, TextureAccess* made, bool placed) {
  const std::size_t parts = placed ? 2 : 1;
  if (operand.kind == OperandKind::address && operand.items.size() == 3)
    return refuse("samplers of their own are not executed");
  if (operand.kind != OperandKind::address || operand.items.size() != parts)
    return invalid("a texture is named with its place, as [%rd1, {%f1, %f2}]");
  const Operand& base = operand.items[0];
  made->named = base.kind != OperandKind::reg;
  if (made->named ? !symbol_value(base, Type::b64, &made->handle) : !source(base, Type::b64, &made->handle))
    return false;
  if (!placed) return true;
  const std::vector<Operand> one{operand.items[1]};
  const std::vector<Operand>& place = operand.items[1].kind == OperandKind::vector ? operand.items[1].items : one;
  const std::size_t wanted = made->dimensions + (made->layered ? 1U : 0U);
  if (place.size() < wanted || place.size() > 4)
    return invalid("this texture takes " + std::to_string(wanted) + " coordinates");
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!source(place[i], made->integers || (made->layered && i == 0) ? Type::b32 : Type::f32, &made->place[i]))
      return false;
  }
  return true;
}

bool Lowering::texture_values(const Operand& operand, Type type, TextureAccess* made, bool writes) {
  const std::vector<Operand> one{operand};
  const std::vector<Operand>& values = operand.kind == OperandKind::vector ? operand.items : one;
  if (values.size() != made->count)
    return invalid("the vector of this access does not have as many elements as it says");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (writes && values[i].kind == OperandKind::sink) continue;
    if (!(writes ? target(values[i], type, &made->values[i]) : source(values[i], type, &made->values[i]))) return false;
  }
  return true;
}

bool Lowering::emit_texture(const TextureAccess& made) {
  Instruction code;
  code.imm = reinterpret_cast<std::uint64_t>(&made);
  return emit_checked(access_texture, code);
}

// tex.level.2d.v4.f32.f32 {...}, [texture, {x, y}], level
bool Lowering::tex(const Ast& each, Words& words) {
  TextureAccess made;
  if (each.opcode == "tld4") {
    made.step = TextureStep::gather;
    const std::string_view component = words.take_one({"r", "g", "b", "a"});
    if (component.empty()) return refuse_form();
    made.component = static_cast<std::uint8_t>(std::string_view("rgba").find(component[0]));
  }
  made.level = words.take("level");
  made.graded = words.take("grad");
  words.take("base");
  const bool shaped = take_geometry(words, &made) && words.take("v4");
  const Type to = words.take_type();
  const Type from = words.take_type();
  made.integers = from == Type::s32;
  const bool gathers = made.step == TextureStep::gather;
  if (!shaped || !words.empty() || (to != Type::f32 && to != Type::u32 && to != Type::s32) ||
      (from != Type::f32 && (from != Type::s32 || made.cube || gathers)) ||
      (gathers && (made.dimensions != 2 || made.level || made.graded)) || (made.graded && made.cube))
    return refuse_form();
  const std::size_t count = made.level ? 3 : made.graded ? 4 : 2;
  if (each.operands.size() > count) return refuse_form();
  if (!want(each, count, count)) return false;
  TextureAccess& kept = new_texture();
  kept = made;
  if (!texture_operand(each.operands[1], &kept, true) || !texture_values(each.operands[0], Type::b32, &kept, true))
    return false;
  if (kept.level && !source(each.operands[2], kept.integers ? Type::b32 : Type::f32, &kept.detail)) return false;
  for (std::size_t i = 0; kept.graded && i < 2; ++i) {
    const std::vector<Operand> one{each.operands[2 + i]};
    const std::vector<Operand>& parts = one[0].kind == OperandKind::vector ? each.operands[2 + i].items : one;
    if (parts.size() < kept.dimensions) return invalid("a slope has as many parts as a place");
    for (std::size_t k = 0; k < kept.dimensions; ++k) {
      if (!source(parts[k], Type::f32, &kept.slope[i][k])) return false;
    }
  }
  return emit_texture(kept);
}

// txq.width.b32 %r, [texture]
bool Lowering::txq(const Ast& each, Words& words) {
  TextureAccess made;
  made.step = TextureStep::query;
  made.count = 1;
  made.level = words.take("level");
  words.take("b32");
  if (words.left().size() != 1) return refuse_form();
  const std::string_view word = words.left()[0];
  const int what = texture_query(word.data(), word.size());
  if (what < 0) return refuse_form();
  if (!want(each, made.level ? 3 : 2, made.level ? 3 : 2)) return false;
  TextureAccess& kept = new_texture();
  kept = made;
  kept.what = static_cast<std::uint8_t>(what);
  return texture_operand(each.operands[1], &kept, false) && texture_values(each.operands[0], Type::b32, &kept, true) &&
         (!kept.level || source(each.operands[2], Type::b32, &kept.detail)) && emit_texture(kept);
}

// suld.b.2d.v4.b32.trap {...}, [surface, {x, y}] and sust.b
bool Lowering::surface(const Ast& each, Words& words) {
  TextureAccess made;
  const bool store = each.opcode == "sust";
  made.step = store ? TextureStep::store : TextureStep::load;
  made.integers = true;
  const bool bytes = words.take("b");
  const bool shaped = take_geometry(words, &made);
  words.drop_memory_hints();
  made.count = words.take("v2") ? 2 : words.take("v4") ? 4 : 1;
  const std::string_view beyond = words.take_one({"trap", "clamp", "zero"});
  made.beyond = beyond == "clamp" ? OutOfRange::clamp : beyond == "zero" ? OutOfRange::zero : OutOfRange::trap;
  const Type type = words.take_type();
  made.bytes = static_cast<std::uint8_t>(ptx::size_of(type));
  if (!bytes || !shaped || made.cube || !words.empty() || made.bytes == 0 || made.bytes * made.count > 16)
    return refuse_form();
  if (!want(each, 2, 2)) return false;
  TextureAccess& kept = new_texture();
  kept = made;
  return texture_operand(each.operands[store ? 0 : 1], &kept, true) &&
         texture_values(each.operands[store ? 1 : 0], made.bytes == 8 ? Type::b64 : Type::b32, &kept, !store) &&
         emit_texture(kept);
}

}  // namespace nvmlab::kernels
