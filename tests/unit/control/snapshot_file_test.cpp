// SPDX-License-Identifier: Apache-2.0
// Snapshots come back from their bytes as they were; whatever else the bytes may be is refused.
#include "control/snapshot_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/unit/control/machine.hpp"

namespace nvmlab::control {
namespace {

using test::OneMachine;
using Bytes = std::vector<std::byte>;

Bytes sample() {
  OneMachine machine;
  machine.change(1, test::pin(test::kTemperature, test::number(91)));
  machine.change(1, test::pin(test::kMargin, test::number(5)));
  return to_bytes(machine.snapshot());
}

std::string refusal_of(const Bytes& bytes) {
  const auto snapshot = from_bytes(bytes);
  return snapshot ? "" : snapshot.error();
}

void expect_refused(const Bytes& bytes, const char* part) {
  EXPECT_NE(refusal_of(bytes).find(part), std::string::npos) << refusal_of(bytes);
}

// With a checksum that fits again.
Bytes sealed(Bytes bytes) {
  seal_snapshot(bytes);
  return bytes;
}

TEST(SnapshotFile, ComesBackAsItWas) {
  const Bytes bytes = sample();
  const auto snapshot = from_bytes(bytes);
  ASSERT_TRUE(snapshot) << snapshot.error();
  EXPECT_EQ(snapshot->beside_gpus[1].pins.size(), 2u);
  EXPECT_EQ(snapshot->profile, "dgx-h100");
  EXPECT_EQ(snapshot->seed, 7u);
  EXPECT_EQ(to_bytes(*snapshot), bytes);
  EXPECT_EQ(sealed(bytes), bytes);
}

TEST(SnapshotFile, RefusesEveryLengthAndEveryChangedByte) {
  const Bytes bytes = sample();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40)
    EXPECT_NE(refusal_of(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  for (std::size_t at = 0; at < bytes.size(); at += 1 + at / 40) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{0x10};
    EXPECT_NE(refusal_of(changed), "") << at;
  }
}

TEST(SnapshotFile, SaysWhatIsWrong) {
  const Bytes bytes = sample();
  const auto with = [&bytes](std::size_t at, auto value) {
    Bytes changed = bytes;
    std::memcpy(changed.data() + at, &value, sizeof value);
    return changed;
  };
  expect_refused({}, "it is no snapshot; `nvmlab snapshot save` writes one");
  expect_refused(Bytes(300, std::byte{'x'}), "it is no snapshot");
  expect_refused(Bytes(bytes.begin(), bytes.begin() + 20), "cut short after 20 bytes");
  expect_refused(Bytes(bytes.begin(), bytes.end() - 1), "cut short: ");
  expect_refused(with(8, std::uint32_t{2}), "has format 2, and this nvmlab reads format 1");
  expect_refused(with(16, std::uint64_t{1}), "of an nvmlab whose GPUs have other fields");
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  expect_refused(longer, "damaged");
}

// A snapshot says which pins there are, whatever order they were made in; what no pin can be is none.
TEST(SnapshotFile, PinsAreOfNumbersAndOncePerField) {
  OneMachine machine;
  Snapshot snapshot = machine.snapshot();
  Pin temperature{test::kTemperature, 8, {91, 0}, {40, 0}};
  Pin margin{test::kMargin, 8, {5, 0}, {6, 0}};
  temperature.value[0] |= std::uint64_t{kNotSupported} << 32;
  margin.value[0] |= std::uint64_t{kNotSupported} << 32;
  snapshot.beside_gpus[0].pins = {margin, temperature};
  const auto one = from_bytes(to_bytes(snapshot));
  snapshot.beside_gpus[0].pins = {temperature, margin};
  const auto other = from_bytes(to_bytes(snapshot));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(to_bytes(*one), to_bytes(*other));
  EXPECT_EQ(one->beside_gpus[0].pins.back().offset, test::kMargin) << "it follows from the temperature";
  snapshot.beside_gpus[0].pins = {temperature, temperature};
  expect_refused(to_bytes(snapshot), "damaged");
  snapshot.beside_gpus[0].pins = {{offsetof(Gpu, identity.name), 8, {}, {}}};
  expect_refused(to_bytes(snapshot), "damaged");
  snapshot.beside_gpus[0].pins = {{sizeof(Gpu), 8, {}, {}}};
  expect_refused(to_bytes(snapshot), "damaged");
}

// Whoever makes up a snapshot can make up its checksum, too.
TEST(SnapshotFile, IsReadWithinItsBoundsWhateverItSays) {
  const Bytes bytes = sample();
  std::size_t refused = 0;
  for (std::size_t at = 12; at + 4 <= std::min<std::size_t>(bytes.size(), 1200); at += 4) {
    for (const std::uint32_t value : {0u, 1u, 0xFFu, 0x7FFF'FFFFu, 0xFFFF'FFFFu}) {
      Bytes changed = bytes;
      std::memcpy(changed.data() + at, &value, sizeof value);
      const auto snapshot = from_bytes(sealed(changed));
      if (!snapshot) ++refused;
      if (snapshot) {
        EXPECT_EQ(to_bytes(*snapshot).size() % 8, 0u);
      }
    }
  }
  EXPECT_GT(refused, 20u);
}

TEST(SnapshotFile, IsNeverWrittenOverSomethingElse) {
  OneMachine machine;
  const test::Folder folder;
  const std::string path = folder.file("a.snap");
  ASSERT_TRUE(save_snapshot(machine.snapshot(), path, Overwrite::snapshots));
  machine.change(0, test::put(test::kTemperature, test::number(91)));
  const Snapshot later = machine.snapshot();
  ASSERT_TRUE(save_snapshot(later, path, Overwrite::snapshots)) << "another snapshot is replaced";
  const auto read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(to_bytes(*read), to_bytes(later));

  const std::string letter = folder.file("letter");
  std::ofstream(letter) << "dear reader";
  const auto refused = save_snapshot(later, letter, Overwrite::snapshots);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().find(letter + ": it is there and no snapshot"), 0u) << refused.error();
  EXPECT_EQ(std::filesystem::file_size(letter), 11u);
  EXPECT_TRUE(save_snapshot(later, letter, Overwrite::anything));
  EXPECT_TRUE(load_snapshot(letter));

  EXPECT_NE(load_snapshot(folder.file("none")).error().find("no such file"), std::string::npos);
  EXPECT_NE(load_snapshot(folder.path()).error().find("it is no file"), std::string::npos);
  EXPECT_FALSE(save_snapshot(later, folder.file("no/folder"), Overwrite::snapshots));
}

}  // namespace
}  // namespace nvmlab::control
