// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/fatbin.hpp"

#include <cstring>

#include "kernels/images/unpack.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint64_t kHeader = 16;
constexpr std::uint32_t kLeastEntry = 64;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;
constexpr std::uint16_t kLinkedPtx = 0x4E4C;  // of ours: all such entries belong together
constexpr std::size_t kRegistersAt = 32;      // in the header of such an entry

template <class T>
T at(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

struct FatbinEntry {
  std::uint16_t kind = 0;
  std::uint32_t ptx_version = 0;
  std::uint32_t target = 0;
  std::uint32_t most_registers = 0;  // of kLinkedPtx
  std::uint64_t flags = 0;
  std::uint64_t whole = 0;  // size once it is decompressed
  std::string_view payload;

  std::string told() const {
    const std::string version = std::to_string(ptx_version / 10) + "." + std::to_string(ptx_version % 10);
    const std::string of = "sm_" + std::to_string(target);
    return kind == kPtx ? "PTX " + version + " for " + of : kind == kCubin ? "a cubin for " + of : "something else";
  }
};

// Takes the first entry off; false: it is damaged.
bool take_entry(std::string_view* rest, FatbinEntry* out) {
  const char* const from = rest->data();
  const auto header = at<std::uint32_t>(from + 4);
  const auto size = at<std::uint64_t>(from + 8);
  const auto packed = at<std::uint32_t>(from + 16);
  if (header < kLeastEntry || header > rest->size() || size > rest->size() - header || packed > size) return false;
  out->kind = at<std::uint16_t>(from);
  out->ptx_version = at<std::uint16_t>(from + 22) * 10U + at<std::uint16_t>(from + 20);
  out->target = at<std::uint32_t>(from + 28);
  out->most_registers = out->kind == kLinkedPtx ? at<std::uint32_t>(from + kRegistersAt) : 0;
  out->flags = at<std::uint64_t>(from + 40);
  out->whole = at<std::uint64_t>(from + 56);
  out->payload = rest->substr(header, packed != 0 ? packed : size);
  rest->remove_prefix(header + size);
  return true;
}

std::expected<std::string, ImageFailure> text_of(const FatbinEntry& entry) {
  constexpr std::uint64_t kLz4 = 0x2000;
  constexpr std::uint64_t kZstd = 0x8000;
  std::string text;
  if ((entry.flags & (kLz4 | kZstd)) == 0) {
    text = entry.payload;
  } else {
    if (entry.whole > kLongestText) return failure(kInvalidImage, "PTX in a fatbin says to be longer than 1 GiB");
    const bool lz4 = (entry.flags & kLz4) != 0;
    const bool good =
        lz4 ? unpack_lz4(entry.payload, entry.whole, &text) : unpack_zstd(entry.payload, entry.whole, &text);
    if (!good || text.size() != entry.whole)
      return failure(kInvalidImage, entry.told() + " in this fatbin is packed with " + (lz4 ? "LZ4" : "zstd") +
                                        ", and damaged; build the program again");
  }
  if (const std::size_t end = text.find('\0'); end != std::string::npos) text.resize(end);
  if (text.empty()) return failure(kInvalidImage, entry.told() + " in this fatbin is empty");
  return text;
}

std::unexpected<ImageFailure> nothing_fits(const ImageTarget& device, const std::string& held, bool too_new) {
  if (too_new)
    return failure(kUnsupportedPtxVersion, "the PTX of this fatbin is newer than the driver, which reads up to " +
                                               std::to_string(device.newest_ptx / 10) + "." +
                                               std::to_string(device.newest_ptx % 10) + "; it holds" + held +
                                               "; simulate a newer driver, or build with an older toolkit");
  return failure(kNoBinaryForGpu, "this fatbin has no PTX for compute capability " +
                                      std::to_string(device.capability / 10) + "." +
                                      std::to_string(device.capability % 10) + "; it holds" +
                                      (held.empty() ? " nothing" : held) + "; " + kHowToBuild);
}

}  // namespace

std::uint64_t fatbin_size(const char* data) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const auto header = at<std::uint16_t>(data + 6);
  const auto size = at<std::uint64_t>(data + 8);
  return at<std::uint32_t>(data) != kFatbinMagic || header < kHeader || size > kMost ? 0 : header + size;
}

bool is_fatbin(std::string_view whole) {
  return whole.size() >= kHeader && at<std::uint32_t>(whole.data()) == kFatbinMagic;
}

std::expected<PtxTexts, ImageFailure> ptx_in_fatbin(std::string_view whole, const ImageTarget& device) {
  constexpr std::size_t kMostNamed = 8;
  const std::uint64_t size = whole.size() < kHeader ? 0 : fatbin_size(whole.data());
  if (size == 0 || size > whole.size()) return failure(kInvalidImage, "the header of this fatbin is damaged");
  std::string_view rest = whole.substr(0, size).substr(at<std::uint16_t>(whole.data() + 6));
  std::vector<FatbinEntry> chosen;
  std::string held;
  bool too_new = false;
  for (std::size_t count = 0; rest.size() >= kLeastEntry; ++count) {
    FatbinEntry entry;
    if (!take_entry(&rest, &entry))
      return failure(kInvalidImage, "entry " + std::to_string(count + 1) + " of this fatbin leaves it; it is damaged");
    if (count < kMostNamed) held += (count == 0 ? " " : ", ") + entry.told();
    if (entry.kind == kLinkedPtx) chosen.push_back(entry);
    if (entry.kind != kPtx || entry.target > device.capability) continue;
    if (device.newest_ptx != 0 && entry.ptx_version > device.newest_ptx) {
      too_new = true;
    } else if (chosen.empty() || entry.target > chosen.front().target) {
      chosen = {entry};
    }
  }
  if (chosen.empty()) return nothing_fits(device, held, too_new);
  PtxTexts made{{}, chosen.front().most_registers};
  for (const FatbinEntry& each : chosen) {
    auto text = text_of(each);
    if (!text) return std::unexpected(text.error());
    made.texts.push_back(std::move(*text));
  }
  return made;
}

std::string linked_fatbin(const PtxTexts& linked, std::uint32_t capability) {
  const auto put = [](std::string& to, std::size_t where, auto value) {
    std::memcpy(to.data() + where, &value, sizeof value);
  };
  std::string made(kHeader, '\0');
  for (const std::string& each : linked.texts) {
    std::string header(kLeastEntry, '\0');
    put(header, 0, kLinkedPtx);
    put(header, 4, kLeastEntry);
    put(header, 8, std::uint64_t{each.size()});
    put(header, 28, capability);
    put(header, kRegistersAt, linked.most_registers);
    made += header + each;
  }
  put(made, 0, kFatbinMagic);
  put(made, 4, std::uint16_t{1});
  put(made, 6, static_cast<std::uint16_t>(kHeader));
  put(made, 8, std::uint64_t{made.size() - kHeader});
  return made;
}

}  // namespace nvmlab::kernels
