// SPDX-License-Identifier: Apache-2.0
// Kernels that are linked with the device runtime of a toolkit, as far as one can be made up.
#pragma once

#include <string>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {

inline constexpr std::uint32_t kPtxInput = 1;
inline constexpr std::uint32_t kLibrary = 4;

// A member of an archive of objects.
inline std::string member(std::string name, const std::string& data) {
  std::string size = std::to_string(data.size());
  name.resize(16, ' ');
  size.resize(10, ' ');
  return name + std::string(32, ' ') + size + "`\n" + data + (data.size() % 2 != 0 ? "\n" : "");
}

inline std::string archive(const std::string& members) { return "!<arch>\n" + members; }

inline const std::string kNamesOfToolkit = member("//", "cuda_device_runtime.o/\n\n");

// The link of a kernel and the archive; what was told of the latter.
struct Linked {
  int code = 0;
  std::string told;
  std::string image;
};

inline Linked link(const std::string& text, int archives) {
  const nvmlab_kernels& table = Module::table();
  nvmlab_linker* const linker = table.start_link(90, 12040, 0);
  Linked made;
  const auto add = [&](std::uint32_t kind, const std::string& data, const char* name) {
    nvmlab_link_input input{sizeof input, kind, data.data(), data.size(), name, {}};
    if (made.code == 0) made.code = table.add_to_link(linker, &input);
    made.told = input.message;
  };
  add(kPtxInput, text, "kernel");
  for (int i = 0; i < archives; ++i)
    add(kLibrary, archive(kNamesOfToolkit + member("/0", "code of a GPU")), "libcudadevrt.a");
  nvmlab_linked out{sizeof out, nullptr, 0, {}};
  if (made.code == 0) made.code = table.finish_link(linker, &out);
  if (made.code == 0) made.image.assign(static_cast<const char*>(out.image), out.bytes);
  table.end_link(linker);
  return made;
}

}  // namespace nvmlab::kernels_test
