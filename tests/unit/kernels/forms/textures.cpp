// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of random numbers, against the formulas of the programming guide: nearest element, and weights
// of 8 bits between two, in each mode of addresses.
#include "tests/unit/kernels/forms/texture_reference.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr unsigned kThreads = 64;

std::string geometry_of(const Named& form) {
  for (const char* each : {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}) {
    if (form.has(each)) return each;
  }
  return "2d";
}

// Four numbers in, four out, and the text between: %c0 to %c3 are the coordinates as bits, %r0 to %r3 what is found.
std::string text_of(const std::string& body) {
  return kernel_text(
      ".param .u64 t, .param .u64 in, .param .u64 out",
      ".reg .b64 %t, %p, %o, %d<4>;\n.reg .b32 %i, %c<4>, %r<4>;\n.reg .b16 %h<4>;\nmov.u32 %i, %tid.x;\nmul.wide.u32 "
      "%o, %i, 16;\nld.param.u64 %t, "
      "[t];\nld.param.u64 %p, [in];\nadd.s64 %p, %p, %o;\nld.global.v4.u32 {%c0, %c1, %c2, %c3}, [%p];\nmov.u32 %r0, "
      "0;\nmov.u32 %r1, "
      "0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" +
          body + "\nld.param.u64 %p, [out];\nadd.s64 %p, %p, %o;\nst.global.v4.u32 [%p], {%r0, %r1, %r2, %r3};");
}

std::string coordinates(const std::string& geometry) {
  if (geometry == "1d") return "{%c0}";
  if (geometry == "2d" || geometry == "a1d") return "{%c0, %c1}";
  return "{%c0, %c1, %c2, %c3}";
}

struct Run {
  std::vector<std::uint32_t> in;  // four of each thread
  std::vector<std::uint32_t> out;
};

std::string run_texture(const Named& form, const Image& image, const std::string& body, Run* run) {
  Buffer<std::uint32_t> in(run->in);
  Buffer<std::uint32_t> out(kThreads * 4);
  const Module module(text_of(body));
  if (module.code() != 0 || !module.message().empty()) return module.message();
  textures_of_process()[7] = image.told();
  const nvmlab_fault fault = module.launch("k", 1, kThreads, {7, in.address(), out.address()});
  textures_of_process().clear();
  if (fault.code != 0) return form.text + ": " + fault.message;
  for (std::size_t i = 0; i < out.size(); ++i)
    run->out.push_back(out[i]);
  return "";
}

// Places in and around an image; whole ones for integers. `size` of 1 where they are normalised.
std::vector<std::uint32_t> places(const Image& image, const std::string& geometry, bool whole, bool normalized,
                                  unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> all;
  const bool layered = geometry[0] == 'a';
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < 4; ++i) {
      if (layered && i == 0) {
        all.push_back(static_cast<std::uint32_t>(random() % 3));
        continue;
      }
      const unsigned axis = layered ? i - 1 : i;
      const int size = image.sizes[std::min(axis, 2U)];
      const int eighths =
          static_cast<int>(random() % static_cast<unsigned>(size * 24 + 1)) - size * 8;  // from -size to 2 sizes
      const float at = static_cast<float>(eighths) / 8.0F / (normalized ? static_cast<float>(size) : 1.0F);
      all.push_back(whole ? static_cast<std::uint32_t>(eighths / 8) : static_cast<std::uint32_t>(bits_of(at)));
    }
  }
  return all;
}

std::string compare(const Run& run, unsigned thread, const Pixel& expected, bool real) {
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t found = run.out[thread * 4 + i];
    if (real) {
      const double a = static_cast<double>(as<float>(found));
      if (std::fabs(a - expected.numbers[i]) <= 1e-5 * std::max(1.0, std::fabs(expected.numbers[i]))) continue;
    } else if (found == static_cast<std::uint32_t>(static_cast<std::int64_t>(expected.numbers[i]))) {
      continue;
    }
    char text[200];
    std::snprintf(text, sizeof text, "thread %u, number %u is %x (%g), expected %g", thread, i, found,
                  static_cast<double>(as<float>(found)), expected.numbers[i]);
    return text;
  }
  return "";
}

// By each mode of addresses, nearest and linear, as far as the form has them.
std::string tex(const Named& form) {
  const std::string geometry = geometry_of(form);
  const bool whole = form.types[1] == "s32";
  const bool real = form.types[0] == "f32";
  const bool level = form.has("level");
  const bool graded = form.has("grad");
  const unsigned dimensions = geometry.back() == 'd' ? static_cast<unsigned>(geometry[geometry.size() - 2] - '0') : 2;
  for (unsigned mode = 0; mode < 4; ++mode) {
    for (const bool linear : {false, true}) {
      if (linear && (!real || whole)) continue;
      Image image = Image::random(geometry, real ? 32 : form.types[0] == "u32" ? 3 : 10, level || graded ? 3 : 1);
      image.mode = mode;
      image.linear = linear;
      image.normalized = !whole && (mode != 1 || linear);
      if (whole && mode != 3) image.mode = 1;
      const std::string depth = graded ? ", {%c3, %c3, %c3, %c3}, {%c3, %c3, %c3, %c3}" : level ? ", %c3" : "";
      Run run;
      run.in = places(image, geometry, whole, image.normalized, 5 + mode);
      std::string set;
      if (level) set = "and.b32 %c3, %i, 3;\n" + std::string(whole ? "" : "cvt.rn.f32.u32 %c3, %c3;\n");
      // A step of 2 elements in each direction is a level further down for each dimension's root.
      if (graded) set = "mov.b32 %c3, " + std::to_string(bits_of(image.slope(dimensions, 2))) + ";\n";
      const std::string told = run_texture(
          form, image, set + form.text + " {%r0, %r1, %r2, %r3}, [%t, " + coordinates(geometry) + "]" + depth + ";",
          &run);
      if (!told.empty()) return told;
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const unsigned wanted = graded ? 1 : level ? std::min(thread & 3, 2U) : 0;
        const std::string wrong = compare(run, thread, image.sampled(&run.in[thread * 4], whole, wanted), real);
        if (!wrong.empty()) return wrong + ", mode " + std::to_string(mode) + (linear ? " linear" : " nearest");
      }
    }
  }
  return "";
}

// Directions well within a face, so that it is no matter how an edge is cut.
std::string tex_cube(const Named& form) {
  const std::string geometry = geometry_of(form);
  const bool layered = geometry == "acube";
  const bool real = form.types[0] == "f32";
  const bool level = form.has("level");
  for (const bool linear : {false, true}) {
    if (linear && !real) continue;
    Image image = Image::random(geometry, real ? 32 : form.types[0] == "u32" ? 3 : 10, 1);
    image.mode = 1;
    image.linear = linear;
    image.normalized = true;
    Run run;
    std::mt19937 random(9);
    std::vector<unsigned> faces;
    std::vector<std::array<float, 2>> at;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const auto face = static_cast<unsigned>(random() % 6);
      const float s = (static_cast<float>(random() % 160) - 80) / 100;
      const float t = (static_cast<float>(random() % 160) - 80) / 100;
      const float long_one = face % 2 == 0 ? 1.0F : -1.0F;
      const float directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
      (void)long_one;
      const std::uint32_t layer = random() % 2;
      faces.push_back((layered ? layer * 6 : 0) + face);
      at.push_back({(s + 1) / 2, (t + 1) / 2});
      if (layered) run.in.push_back(layer);
      for (const float each : directions[face])
        run.in.push_back(static_cast<std::uint32_t>(bits_of(each * 3)));
      if (!layered) run.in.push_back(0);
    }
    const std::string told = run_texture(
        form, image, form.text + " {%r0, %r1, %r2, %r3}, [%t, {%c0, %c1, %c2, %c3}]" + (level ? ", 0f00000000;" : ";"),
        &run);
    if (!told.empty()) return told;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const std::string wrong = compare(run, thread, image.on_face(faces[thread], at[thread][0], at[thread][1]), real);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string tld4(const Named& form) {
  const std::string geometry = geometry_of(form);
  const bool real = form.types[0] == "f32";
  Image image = Image::random(geometry, real ? 32 : form.types[0] == "u32" ? 3 : 10, 1);
  image.mode = 1;
  image.linear = true;
  const unsigned component = static_cast<unsigned>(std::string("rgba").find(form.words[1]));
  Run run;
  run.in = places(image, geometry, false, false, 8);
  const std::string told =
      run_texture(form, image, form.text + " {%r0, %r1, %r2, %r3}, [%t, " + coordinates(geometry) + "];", &run);
  if (!told.empty()) return told;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const std::string wrong = compare(run, thread, image.gathered(&run.in[thread * 4], component), real);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string query(const Named& form) {
  const std::string& what = form.words[1];
  const Image image = Image::random(what == "array_size" ? "a2d" : "3d", 32, 1);
  Run run;
  run.in.assign(kThreads * 4, 0);
  const std::string told = run_texture(form, image, form.text + " %r0, [%t];", &run);
  if (!told.empty()) return told;
  std::uint32_t expected = 0;
  if (what == "width") expected = static_cast<std::uint32_t>(image.sizes[0]);
  if (what == "height") expected = static_cast<std::uint32_t>(image.sizes[1]);
  if (what == "depth" || what == "array_size") expected = static_cast<std::uint32_t>(image.sizes[2]);
  if (what == "channel_data_type") expected = 0x10DE;  // OpenCL's CL_FLOAT
  if (what == "channel_order") expected = 0x10B5;      // CL_RGBA
  if (what == "num_mipmap_levels") expected = 1;
  return run.out[0] == expected ? "" : different("answer", 0, run.out[0], expected);
}

// Bytes of a surface: x counts them. Of .clamp and .zero some places are outside.
std::string surface(const Named& form) {
  const bool store = form.opcode() == "sust";
  const std::string geometry = geometry_of(form);
  const unsigned bytes = Named::type_bytes(form.type());
  const unsigned count = form.has("v4") ? 4 : form.has("v2") ? 2 : 1;
  const unsigned whole = bytes * count;
  Image image = Image::random(geometry, 32, 1);
  const unsigned row = static_cast<unsigned>(image.sizes[0]) * 16;
  const bool layered = geometry[0] == 'a';
  Run run;
  std::mt19937 random(4);
  const bool strays = !form.has("trap") && !store;
  std::vector<std::int64_t> at;  // byte, or -1 outside
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    int place[3] = {static_cast<int>((store ? thread * whole % row : random() % row) / whole * whole),
                    static_cast<int>(random() % static_cast<unsigned>(image.sizes[1])),
                    static_cast<int>(random() % static_cast<unsigned>(image.sizes[2]))};
    if (store)
      place[1] = static_cast<int>(thread * whole / row % static_cast<unsigned>(image.sizes[1])),
      place[2] = static_cast<int>(thread * whole / row / static_cast<unsigned>(image.sizes[1]));
    if (strays && thread % 4 == 0) place[0] = static_cast<int>(row) + 16;
    const unsigned dimensions = static_cast<unsigned>(geometry[geometry.size() - 2] - '0');
    if (dimensions == 1) place[1] = 0;
    if (!layered && dimensions < 3) place[2] = 0;
    const bool outside = place[0] + static_cast<int>(whole) > static_cast<int>(row);
    std::int64_t x = place[0];
    if (outside) x = form.has("clamp") ? static_cast<int>(row - whole) : -1;
    const bool fits = place[2] < image.sizes[2];
    at.push_back(x < 0   ? -1
                 : fits  ? (static_cast<std::int64_t>(place[2]) * image.sizes[1] + place[1]) * row + x
                 : store ? 0
                         : -2);
    if (!fits) place[0] = 0, place[1] = 0, place[2] = 0;
    if (layered) run.in.push_back(static_cast<std::uint32_t>(place[2]));
    for (unsigned i = 0; i < (layered ? 3U : 4U); ++i)
      run.in.push_back(i < 3 && !(layered && i == 2) ? static_cast<std::uint32_t>(place[i]) : 0);
  }
  const char* const reg = bytes == 8 ? "%d" : bytes == 4 ? "%r" : "%h";
  std::string list = count == 1 ? std::string(reg) + "0" : "{";
  for (unsigned i = 0; count > 1 && i < count; ++i)
    list += (i == 0 ? "" : ", ") + std::string(reg) + std::to_string(i) + (i + 1 == count ? "}" : "");
  std::string body;
  const std::string place = "[%t, " + coordinates(geometry) + "]";
  if (store) {  // each byte of thread i is i
    body =
        "mul.lo.u32 %r0, %i, 0x01010101;\nmov.b32 %r1, %r0;\nmov.b32 %r2, %r0;\nmov.b32 %r3, %r0;\nmov.b64 %d0, {%r0, "
        "%r0};\nmov.b64 %d1, %d0;\ncvt.u16.u32 %h0, "
        "%r0;\nmov.b16 %h1, %h0;\nmov.b16 %h2, %h0;\nmov.b16 %h3, %h0;\n" +
        form.text + " " + place + ", " + list + ";";
  } else {
    body = form.text + " " + list + ", " + place + ";\n";
    if (bytes == 8) body += "mov.b64 {%r0, %r1}, %d0;\n" + std::string(count == 2 ? "mov.b64 {%r2, %r3}, %d1;" : "");
    for (unsigned i = 0; bytes < 4 && i < count; ++i)
      body += "cvt.u32.u16 %r" + std::to_string(i) + ", %h" + std::to_string(i) + ";\n";
  }
  const std::vector<std::uint8_t> before = image.bytes();
  const std::string told = run_texture(form, image, body, &run);
  if (!told.empty()) return told;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (at[thread] == -2 || (store && std::count(at.begin() + thread + 1, at.end(), at[thread]) != 0)) continue;
    for (unsigned i = 0; i < whole; ++i) {
      const unsigned word = bytes >= 4 ? i / 4 : i / bytes;
      const unsigned shift = bytes >= 4 ? i % 4 * 8 : i % bytes * 8;
      const std::uint32_t read = run.out[thread * 4 + word] >> shift & 255;
      const std::uint32_t held = at[thread] < 0 ? 0
                                 : store        ? image.bytes()[static_cast<std::size_t>(at[thread]) + i]
                                                : before[static_cast<std::size_t>(at[thread]) + i];
      if (store ? held != thread : read != held)
        return different("byte", thread * 16 + i, store ? held : read, store ? thread : held);
    }
  }
  return "";
}

}  // namespace

void add_texture_kernels(Kernels& all) {
  for (const char* name : {"tex", "tex_level", "tex_grad"})
    all[name] = tex;
  all["tex_cube"] = tex_cube;
  all["tld4"] = tld4;
  all["txq"] = query;
  all["suq"] = query;
  all["suld"] = surface;
  all["sust"] = surface;
}

}  // namespace nvmlab::kernels_test
