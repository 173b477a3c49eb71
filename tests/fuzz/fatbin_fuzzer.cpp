// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a fatbin, as an LZ4 block, as zstd frames, as inputs of a link, as an archive. The first byte says which,
// and whether the header of the fatbin is set right; nothing behind the last byte may be looked at.
#include <cstring>

#include "kernels/images/device_runtime.hpp"
#include "kernels/images/fatbin.hpp"
#include "kernels/images/linker.hpp"
#include "kernels/images/unpack.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {
namespace {

constexpr std::uint64_t kMost = 1 << 22;
constexpr kernels::ImageTarget kTarget{90, 84};

void as_fatbin(std::string bytes, bool repair) {
  if (repair && bytes.size() >= 16) {
    const std::uint64_t size = bytes.size() - 16;
    std::memcpy(bytes.data(), "\x50\xED\x55\xBA\x01\x00\x10\x00", 8);
    std::memcpy(bytes.data() + 8, &size, sizeof size);
  }
  // As large as it is, for the sanitizers.
  const std::string exact(bytes.data(), bytes.size());
  const auto texts = kernels::ptx_in_fatbin(exact, kTarget);
  if (!texts && (texts.error().text.empty() || texts.error().code == 0)) wrong("refused without a word");
  if (texts && texts->texts.empty()) wrong("taken, and nothing is in it");
  kernels::is_device_runtime(std::string("!<arch>\n") + exact);
  kernels::LinkSession session(kTarget);
  if (!session.add(2, exact, "it")) return;
  const auto image = session.finish();
  if (image && !kernels::ptx_in_fatbin(*image, kTarget)) wrong("what was linked cannot be read");
}

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string out;
  switch (data[0] % 4) {
    case 0:
      kernels::unpack_lz4(bytes, fuzz::kMost, &out);
      break;
    case 1:
      kernels::unpack_zstd(bytes, fuzz::kMost, &out);
      break;
    default:
      fuzz::as_fatbin(bytes, data[0] % 4 == 3);
  }
  if (out.size() > fuzz::kMost) fuzz::wrong("more came out than may");
  return 0;
}
