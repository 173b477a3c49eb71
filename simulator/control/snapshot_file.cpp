// SPDX-License-Identifier: Apache-2.0
#include "control/snapshot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/write_file.hpp"
#include "compiler/canonical.hpp"
#include "control/pin_list.hpp"
#include "engine/store/hash.hpp"
#include "engine/store/image.hpp"

namespace nvmlab::control {
namespace {

namespace fs = std::filesystem;

constexpr char kSnapshotMagic[8] = {'N', 'V', 'M', 'L', 'S', 'N', 'P', '\n'};
constexpr std::uint32_t kSnapshotFormat = 1;

// Behind it lie a BesideHeader and the pins of the node and of each GPU, and then the image.
struct SnapshotHeader {
  char magic[8];
  std::uint32_t format;
  std::uint32_t gpu_count;
  std::uint64_t layout_hash;  // of the state vocabulary
  std::uint64_t total_size;
  std::uint64_t checksum;  // over everything else
  std::uint64_t image_at;
  std::uint64_t seed;
  std::uint64_t time_ns;
  std::uint64_t rate;
  std::uint32_t clock;    // ClockMode
  std::uint32_t resumes;  // ClockMode
  char machine[64];
  char profile[64];
};

struct BesideHeader {
  std::uint32_t present;
  std::uint32_t pin_count;
};

static_assert(sizeof(SnapshotHeader) % 8 == 0 && sizeof(BesideHeader) % 8 == 0 && sizeof(Pin) % 8 == 0);
static_assert(std::has_unique_object_representations_v<SnapshotHeader>, "padding would be anybody's guess");

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

void append_beside(std::vector<std::byte>& bytes, const Beside& beside) {
  append(bytes, BesideHeader{beside.present ? 1u : 0u, static_cast<std::uint32_t>(beside.pins.size())});
  for (const Pin& pin : beside.pins)
    append(bytes, pin);
}

// The image is aligned to eight within the bytes, and they are by the allocator.
void append_image(std::vector<std::byte>& bytes, const Snapshot& snapshot) {
  const std::size_t at = bytes.size();
  const char* const name = snapshot.profile.c_str();
  bytes.resize(at + write_image(*snapshot.node, snapshot.gpus.data(), snapshot.gpu_count(), name, nullptr));
  write_image(*snapshot.node, snapshot.gpus.data(), snapshot.gpu_count(), name, bytes.data() + at);
}

std::uint64_t checksum_in(SnapshotHeader header, std::span<const std::byte> behind) {
  header.checksum = 0;
  const std::uint64_t sum = fnv1a(reinterpret_cast<const char*>(&header), sizeof header);
  return fnv1a(reinterpret_cast<const char*>(behind.data()), behind.size(), sum);
}

template <std::size_t N>
void put_text(char (&to)[N], const std::string& text) {
  text.copy(to, N - 1);
}

template <std::size_t N>
std::string text_in(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

constexpr std::string_view kDamaged = "the snapshot is damaged; it has to be saved again";

std::expected<SnapshotHeader, std::string> header_in(std::span<const std::byte> bytes) {
  SnapshotHeader header{};
  if (!bytes.empty()) std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (std::memcmp(header.magic, kSnapshotMagic, sizeof header.magic) != 0)
    return std::unexpected("it is no snapshot; `nvmlab snapshot save` writes one");
  if (bytes.size() < sizeof header)
    return std::unexpected(
        fmt::format("the snapshot is cut short after {} bytes; it has to be saved again", bytes.size()));
  if (header.format != kSnapshotFormat)
    return std::unexpected(
        fmt::format("the snapshot has format {}, and this nvmlab reads format {}; it has to be saved again",
                    header.format, kSnapshotFormat));
  if (header.layout_hash != kLayoutHash)
    return std::unexpected(
        "the snapshot is of an nvmlab whose GPUs have other fields; use that one, or save the snapshot again with "
        "this one");
  if (bytes.size() < header.total_size)
    return std::unexpected(fmt::format("the snapshot is cut short: {} of {} bytes; it has to be saved again",
                                       bytes.size(), header.total_size));
  if (bytes.size() != header.total_size || checksum_in(header, bytes.subspan(sizeof header)) != header.checksum)
    return std::unexpected(std::string(kDamaged));
  return header;
}

// Reads what append_beside() wrote, never beyond the end.
class BesideReader {
 public:
  explicit BesideReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool read(bool of_node, Beside& beside) {
    BesideHeader header{};
    if (!take(header) || header.present > 1 || header.pin_count > kMaxPins) return false;
    beside.present = header.present == 1;
    for (std::uint32_t i = 0; i < header.pin_count; ++i) {
      Pin pin{};
      if (!take(pin)) return false;
      beside.pins.push_back(pin);
    }
    return make_canonical(of_node, beside.pins);
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  bool take(T& value) {
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return true;
  }

  std::span<const std::byte> bytes_;
};

template <class State>
void clean(State& state) {
  const auto copy = std::make_unique<State>();
  compiler::copy_canonical(state, copy.get());
  state = *copy;
}

bool read_states(std::span<const std::byte> bytes, std::uint32_t gpu_count, Snapshot& snapshot) {
  std::vector<std::uint64_t> words((bytes.size() + 7) / 8);  // aligned, as an image has to be
  std::ranges::copy(bytes, reinterpret_cast<std::byte*>(words.data()));
  Image image;
  if (open_image(words.data(), bytes.size(), &image) != ImageError::none || image.header->gpu_count != gpu_count)
    return false;
  read_node(image, snapshot.node.get());
  clean(*snapshot.node);
  snapshot.gpus.resize(gpu_count);
  for (std::uint32_t i = 0; i < gpu_count; ++i) {
    read_gpu(image, i, &snapshot.gpus[i]);
    clean(snapshot.gpus[i]);
  }
  return true;
}

std::unexpected<std::string> about(const std::string& path, const std::string& what) {
  return std::unexpected(fmt::format("{}: {}", path, what));
}

bool begins_as_snapshot(const std::string& path) {
  char magic[sizeof kSnapshotMagic]{};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::memcmp(magic, kSnapshotMagic, sizeof magic) == 0;
}

}  // namespace

std::vector<std::byte> to_bytes(const Snapshot& snapshot) {
  SnapshotHeader header{};
  header.gpu_count = snapshot.gpu_count();
  header.seed = snapshot.seed;
  header.time_ns = snapshot.time_ns;
  header.rate = snapshot.rate;
  header.clock = static_cast<std::uint32_t>(snapshot.clock);
  header.resumes = static_cast<std::uint32_t>(snapshot.resumes);
  put_text(header.machine, snapshot.machine);
  put_text(header.profile, snapshot.profile);
  std::vector<std::byte> bytes(sizeof header);
  append_beside(bytes, snapshot.beside_node);
  for (const Beside& each : snapshot.beside_gpus)
    append_beside(bytes, each);
  header.image_at = bytes.size();
  append_image(bytes, snapshot);
  std::memcpy(bytes.data(), &header, sizeof header);
  seal_snapshot(bytes);
  return bytes;
}

bool seal_snapshot(std::span<std::byte> bytes) {
  SnapshotHeader header{};
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(header.magic, kSnapshotMagic, sizeof header.magic);
  header.format = kSnapshotFormat;
  header.layout_hash = kLayoutHash;
  header.total_size = bytes.size();
  header.checksum = checksum_in(header, bytes.subspan(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  return true;
}

std::expected<Snapshot, std::string> from_bytes(std::span<const std::byte> bytes) {
  const auto header = header_in(bytes);
  if (!header) return std::unexpected(header.error());
  const std::unexpected damaged{std::string(kDamaged)};
  constexpr auto kLastMode = static_cast<std::uint32_t>(ClockMode::virtual_time);
  if (header->gpu_count > kMaxGpus || header->clock > kLastMode || header->resumes > kLastMode ||
      header->image_at < sizeof *header || header->image_at > bytes.size() || header->image_at % 8 != 0)
    return damaged;
  Snapshot snapshot{.machine = text_in(header->machine),
                    .profile = text_in(header->profile),
                    .seed = header->seed,
                    .time_ns = header->time_ns,
                    .clock = static_cast<ClockMode>(header->clock),
                    .resumes = static_cast<ClockMode>(header->resumes),
                    .rate = header->rate,
                    .beside_node = {},
                    .gpus = {},
                    .beside_gpus = std::vector<Beside>(header->gpu_count)};
  BesideReader reader(bytes.subspan(sizeof *header, header->image_at - sizeof *header));
  if (!reader.read(true, snapshot.beside_node)) return damaged;
  for (Beside& each : snapshot.beside_gpus)
    if (!reader.read(false, each)) return damaged;
  if (!reader.at_end() || !read_states(bytes.subspan(header->image_at), header->gpu_count, snapshot)) return damaged;
  return snapshot;
}

std::uint64_t checksum_of(const Snapshot& snapshot) {
  SnapshotHeader header{};
  const std::vector<std::byte> bytes = to_bytes(snapshot);
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.checksum;
}

std::expected<void, std::string> save_snapshot(const Snapshot& snapshot, const std::string& path, Overwrite overwrite) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (fs::exists(status) && overwrite == Overwrite::snapshots &&
      !(fs::is_regular_file(status) && begins_as_snapshot(path)))
    return about(path,
                 "it is there and no snapshot, so it is left alone; name another file, or overwrite it with --force");
  return write_file(path, to_bytes(snapshot), 0644);
}

std::expected<Snapshot, std::string> load_snapshot(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) return about(path, "there is no such file; `nvmlab snapshot save` writes one");
  if (!fs::is_regular_file(status)) return about(path, "it is no file, and so no snapshot");
  std::ifstream file(path, std::ios::binary);
  if (!file) return about(path, std::strerror(errno));
  std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  auto snapshot = from_bytes(std::as_bytes(std::span(text)));
  if (!snapshot) return about(path, snapshot.error());
  return snapshot;
}

}  // namespace nvmlab::control
