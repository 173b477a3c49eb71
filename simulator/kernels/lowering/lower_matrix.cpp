// SPDX-License-Identifier: Apache-2.0
// mma and wmma, ldmatrix, stmatrix and movmatrix. What a warp does together waits for all of its lanes.
#include "kernels/lowering/lowering.hpp"
#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

using Part = Fragment::Part;

struct Shape {
  std::string_view word;
  std::uint32_t m, n, k;
  std::initializer_list<Element> elements;  // of a and b
};

const Shape kProducts[] = {
    {"m8n8k4", 8, 8, 4, {Element::f64}},
    {"m16n8k4", 16, 8, 4, {Element::f64, Element::tf32}},
    {"m16n8k8", 16, 8, 8, {Element::f64, Element::tf32, Element::f16, Element::bf16}},
    {"m16n8k16",
     16,
     8,
     16,
     {Element::f64, Element::f16, Element::bf16, Element::s8, Element::u8, Element::e4m3, Element::e5m2}},
    {"m8n8k16", 8, 8, 16, {Element::s8, Element::u8}},
    {"m16n8k32", 16, 8, 32, {Element::s8, Element::u8, Element::s4, Element::u4, Element::e4m3, Element::e5m2}},
    {"m8n8k32", 8, 8, 32, {Element::s4, Element::u4}},
    {"m16n8k64", 16, 8, 64, {Element::s4, Element::u4}},
    {"m8n8k128", 8, 8, 128, {Element::b1}},
    {"m16n8k128", 16, 8, 128, {Element::b1}},
    {"m16n8k256", 16, 8, 256, {Element::b1}},
};

const Shape kWarpProducts[] = {
    {"m16n16k16", 16, 16, 16, {Element::f16, Element::bf16, Element::s8, Element::u8}},
    {"m8n32k16", 8, 32, 16, {Element::f16, Element::bf16, Element::s8, Element::u8}},
    {"m32n8k16", 32, 8, 16, {Element::f16, Element::bf16, Element::s8, Element::u8}},
    {"m16n16k8", 16, 16, 8, {Element::tf32}},
    {"m8n8k4", 8, 8, 4, {Element::f64}},
    {"m8n8k32", 8, 8, 32, {Element::s4, Element::u4}},
    {"m8n8k128", 8, 8, 128, {Element::b1}},
};

bool is_integer(Element element) { return element >= Element::s8 && element <= Element::b1; }

bool adds_up(Element a, Element b, Element sum) {
  if (a == Element::f64) return b == a && sum == a;
  if (is_integer(a)) return sum == Element::s32 && bits_of(a) == bits_of(b);
  if (a == Element::f16 || a == Element::e4m3 || a == Element::e5m2)
    return (b == a || (a != Element::f16 && bits_of(b) == 8)) && (sum == Element::f16 || sum == Element::f32);
  return b == a && sum == Element::f32;
}

template <std::size_t N>
const Shape* shape_of(const Shape (&table)[N], std::string_view word, Element element) {
  for (const Shape& each : table) {
    if (each.word != word) continue;
    for (const Element one : each.elements) {
      if (one == element) return &each;
    }
  }
  return nullptr;
}

Fragment fragment_of(Part part, const Shape& shape, Element element, bool parted) {
  Fragment made;
  made.part = part;
  made.element = element;
  made.parted = parted;
  made.rows = part == Part::b ? shape.k : shape.m;
  made.columns = part == Part::a ? shape.k : shape.n;
  const std::uint32_t elements = made.rows * made.columns / kLanes;
  made.count = element == Element::f64 ? elements : elements * bits_of(element) / 32;
  if (!parted && element == Element::f16 && part != Part::sum) made.count = 8;
  return made;
}

Handler product_of(const Handlers& handlers, Element element) {
  if (element == Element::f64) return handlers.matrix("doubles");
  if (element == Element::b1) return handlers.matrix("bits");
  return handlers.matrix(is_integer(element) ? "integers" : "reals");
}

}  // namespace

Matrix& Lowering::new_matrix() {
  out_.matrices.push_back(std::make_unique<Matrix>());
  return *out_.matrices.back();
}

bool Lowering::fragment(const Operand& operand, Fragment* of, bool writes) {
  const std::vector<Operand> one{operand};
  const std::vector<Operand>& parts = operand.kind == OperandKind::vector ? operand.items : one;
  if (parts.size() != of->count)
    return invalid("this matrix lies in " + std::to_string(of->count) + " registers, and here are " +
                   std::to_string(parts.size()));
  const Type type = of->element == Element::f64 ? Type::f64 : of->element == Element::f32 ? Type::f32 : Type::b32;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!(writes ? target(parts[i], type, &of->r[i]) : source(parts[i], type, &of->r[i]))) return false;
  }
  return true;
}

bool Lowering::emit_matrix(Handler run, const Matrix& matrix, Rounding rounding) {
  Instruction made;
  made.kind = Kind::together;
  made.imm = reinterpret_cast<std::uint64_t>(&matrix);
  made.space = static_cast<std::uint8_t>(rounding);
  made.r[5] = constant(kAllLanes, false);
  return emit_checked(run, made);
}

// Of "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" and of wmma.mma.
bool Lowering::mma(const Ast& each, Words& words) {
  const bool warps = each.opcode == "wmma";
  if (warps && !words.take("mma"))
    return words.take("load") ? wmma_moved(each, words, false) : wmma_moved(each, words, true);
  const bool known = words.take("sync") && words.take("aligned") && !words.take("sp");
  const bool exclusive = words.take("xor");
  const bool bits = (words.take("and") || exclusive) && words.take("popc");
  const bool saturate = words.take("satfinite");
  const std::string_view first = words.take_one({"row", "col"});
  const std::string_view second = words.take_one({"row", "col"});
  Rounding rounding = Rounding::nearest;
  if (words.take("rz")) rounding = Rounding::zero;
  if (words.take("rm")) rounding = Rounding::down;
  if (words.take("rp")) rounding = Rounding::up;
  words.take("rn");
  const std::vector<std::string_view>& rest = words.left();
  // wmma names no a and b where they are f16.
  const bool halves = warps && rest.size() == 3;
  if (!known || second.empty() || rest.size() != (halves ? 3U : 5U)) return refuse_form();
  const Element d = element_of(rest[1]);
  const Element a = halves ? Element::f16 : element_of(rest[2]);
  const Element b = halves ? Element::f16 : element_of(rest[3]);
  const Element c = element_of(rest.back());
  const Shape* const shape = warps ? shape_of(kWarpProducts, rest[0], a) : shape_of(kProducts, rest[0], a);
  const bool laid_out =
      warps ? (bits_of(a) >= 8 || (first == "row" && second == "col")) : first == "row" && second == "col";
  if (shape == nullptr || !laid_out || !adds_up(a, b, c) || !adds_up(a, b, d) || bits != (a == Element::b1))
    return refuse_form();
  if (!want(each, 4, 4)) return false;
  Matrix& made = new_matrix();
  made.m = shape->m;
  made.n = shape->n;
  made.k = shape->k;
  made.saturate = saturate;
  made.exclusive = exclusive;
  made.d = fragment_of(Part::sum, *shape, d, !warps);
  made.a = fragment_of(Part::a, *shape, a, !warps);
  made.b = fragment_of(Part::b, *shape, b, !warps);
  made.c = fragment_of(Part::sum, *shape, c, !warps);
  return fragment(each.operands[0], &made.d, true) && fragment(each.operands[1], &made.a, false) &&
         fragment(each.operands[2], &made.b, false) && fragment(each.operands[3], &made.c, false) &&
         emit_matrix(product_of(handlers_, a), made, rounding);
}

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16, wmma.store.d...
bool Lowering::wmma_moved(const Ast& each, Words& words, bool store) {
  if (store && !words.take("store")) return refuse_form();
  const std::string_view which = words.take_one({"a", "b", "c", "d"});
  const bool known = words.take("sync") && words.take("aligned") && !which.empty() && store == (which == "d");
  const std::string_view order = words.take_one({"row", "col"});
  const Space space = take_space(words);
  const std::vector<std::string_view>& rest = words.left();
  if (!known || order.empty() || rest.size() != 2) return refuse_form();
  const Element element = element_of(rest[1]);
  const Part part = which == "a" ? Part::a : which == "b" ? Part::b : Part::sum;
  const Shape* shape = nullptr;
  for (const Shape& one : kWarpProducts) {
    if (one.word != rest[0]) continue;
    for (const Element input : one.elements) {
      if (part == Part::sum ? adds_up(input, input, element) : input == element) shape = &one;
    }
  }
  if (shape == nullptr) return refuse_form();
  if (!want(each, 2, 3)) return false;
  Matrix& made = new_matrix();
  made.d = fragment_of(part, *shape, element, false);
  made.column = order == "col";
  made.dense = made.column ? made.d.rows : made.d.columns;
  const Operand& values = each.operands[store ? 1 : 0];
  const Operand& where = each.operands[store ? 0 : 1];
  if (each.operands.size() == 3 && !source(each.operands[2], Type::b32, &made.stride)) return false;
  return fragment(values, &made.d, !store) && generic_address(where, space, 1, &made.address) &&
         emit_matrix(handlers_.matrix(store ? "wmma.store" : "wmma.load"), made);
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16, and stmatrix
bool Lowering::ldmatrix(const Ast& each, Words& words) {
  const bool store = each.opcode == "stmatrix";
  const bool known = words.take("sync") && words.take("aligned") && words.take("m8n8") && words.take("b16");
  const bool transposed = words.take("trans");
  const std::string_view count = words.take_one({"x1", "x2", "x4"});
  const Space space = take_space(words);
  if (!known || count.empty() || !words.empty() || (space != Space::shared && space != Space::generic))
    return refuse_form();
  if (!want(each, 2, 2)) return false;
  Matrix& made = new_matrix();
  made.transposed = transposed;
  made.d.element = Element::b16;
  made.d.count = static_cast<std::uint32_t>(count[1] - '0');
  const Operand& values = each.operands[store ? 1 : 0];
  const Operand& where = each.operands[store ? 0 : 1];
  return fragment(values, &made.d, !store) && generic_address(where, space, 16, &made.address) &&
         emit_matrix(handlers_.matrix(each.opcode), made);
}

bool Lowering::movmatrix(const Ast& each, Words& words) {
  const bool known =
      words.take("sync") && words.take("aligned") && words.take("m8n8") && words.take("trans") && words.take("b16");
  if (!known || !words.empty()) return refuse_form();
  Instruction made;
  made.kind = Kind::together;
  made.r[5] = constant(kAllLanes, false);
  return want(each, 2, 2) && source(each.operands[1], Type::b32, &made.r[1]) &&
         target(each.operands[0], Type::b32, &made.r[0]) && emit_checked(handlers_.matrix("movmatrix"), made);
}

}  // namespace nvmlab::kernels
