// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a snapshot: refused with a sentence, or good to be kept, compared and restored. The lowest bits of the first
// byte say whether the headers of the snapshot and of the image in it are set right beforehand, which a fuzzer would
// never guess.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "control/differences.hpp"
#include "control/restore.hpp"
#include "control/snapshot_file.hpp"
#include "engine/store/image.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {
namespace {

enum Repair : unsigned { kSnapshot = 1, kImage = 2 };

// The image begins wherever its magic stands; its words are copied, as they need not be aligned.
void repair_image(std::span<std::byte> bytes) {
  const auto magic = std::as_bytes(std::span(kImageMagic));
  const auto found = std::ranges::search(bytes, magic);
  const auto size = static_cast<std::size_t>(bytes.end() - found.begin());
  if (found.empty() || size < sizeof(ImageHeader)) return;
  std::vector<std::uint64_t> words((size + 7) / 8);
  std::memcpy(words.data(), found.data(), size);
  auto* const header = reinterpret_cast<ImageHeader*>(words.data());
  header->format = kImageFormat;
  header->layout_hash = kLayoutHash;
  header->total_size = size;
  header->name[sizeof header->name - 1] = '\0';
  if (size % 8 == 0) seal_image(words.data());
  std::memcpy(found.data(), words.data(), size);
}

void use(const control::Snapshot& snapshot) {
  const std::vector<std::byte> bytes = control::to_bytes(snapshot);
  const auto again = control::from_bytes(bytes);
  if (!again) wrong("what was read is refused when it is written: " + again.error());
  if (control::to_bytes(*again) != bytes) wrong("it comes back as another one");
  if (!control::differences(snapshot, *again).empty()) wrong("it differs from itself");
  if (!control::changes_back(snapshot, *again).empty()) wrong("it has to be brought back to itself");
  control::Snapshot blank;
  blank.gpus.resize(snapshot.gpu_count());
  blank.beside_gpus.resize(snapshot.gpu_count());
  const bool same = control::differences(blank, snapshot).empty();
  if (same != control::changes_back(blank, snapshot).empty())
    wrong("what differs and what must change are not the same");
}

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  std::vector<std::byte> bytes(input.begin(), input.end());
  if (data[0] & nvmlab::fuzz::kImage) nvmlab::fuzz::repair_image(bytes);
  if (data[0] & nvmlab::fuzz::kSnapshot) nvmlab::control::seal_snapshot(bytes);
  const auto snapshot = nvmlab::control::from_bytes(bytes);
  if (snapshot) {
    if (snapshot->gpu_count() <= 8) nvmlab::fuzz::use(*snapshot);
  } else if (snapshot.error().empty()) {
    nvmlab::fuzz::wrong("refused without a word");
  }
  return 0;
}
