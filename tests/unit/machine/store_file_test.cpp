// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_file.hpp"
#include "tests/support/publish.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "tests/unit/machine/folder.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using test::SampleImage;

class StoreFiles : public testing::Test {
 protected:
  FileProblem up(std::uint32_t gpus = 2) {
    SampleImage image(1);
    return create_store(path_.c_str(), image.view(), gpus, "test");
  }
  FileProblem attach() {
    AttachedStore machine;
    const FileProblem problem = attach_store(path_.c_str(), &machine);
    if (!problem) detach_store(&machine);
    return problem;
  }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string read() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void make_private() { ASSERT_EQ(::chmod(path_.c_str(), 0600), 0); }

  Folder folder_;
  std::string path_ = folder_.file("test.store");
};

TEST_F(StoreFiles, UpAttachDown) {
  EXPECT_EQ(attach().error, FileError::not_found);
  ASSERT_FALSE(up());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), store_size(2));
  EXPECT_FALSE(attach());
  EXPECT_FALSE(remove_store(path_.c_str()));
  EXPECT_EQ(attach().error, FileError::not_found);
  EXPECT_EQ(remove_store(path_.c_str()).error, FileError::not_found);
  EXPECT_FALSE(up()) << "and up again";
}

// Every page is there from the beginning: one that the file system cannot give later kills whoever touches it.
TEST_F(StoreFiles, AllBlocksAreReserved) {
  ASSERT_FALSE(up());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, store_size(2));
}

TEST_F(StoreFiles, AFileSystemWithoutRoomIsSaidSo) {
  const std::string small = folder_.file("small");
  fs::create_directory(small);
  if (::mount("nvmlab-test", small.c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "needs the right to mount";
  SampleImage image(1);
  const FileProblem problem = create_store((small + "/ci.store").c_str(), image.view(), 8, "ci");
  const bool empty = fs::is_empty(small);
  ::umount(small.c_str());
  EXPECT_EQ(problem.error, FileError::no_space);
  EXPECT_TRUE(empty) << "half a machine is left";
}

TEST_F(StoreFiles, TheUmaskDoesNotMatter) {
  const mode_t before = ::umask(0777);
  const FileProblem problem = up();
  ::umask(before);
  EXPECT_FALSE(problem);
  EXPECT_FALSE(attach());
}

TEST_F(StoreFiles, ARelativePathOutlivesAChangeOfFolder) {
  ASSERT_FALSE(up());
  const fs::path here = fs::current_path();
  fs::current_path(folder_.path());
  AttachedStore machine;
  const FileProblem problem = attach_store("test.store", &machine);
  fs::current_path("/");
  const Code code = WriteLock(&machine.file).code();
  fs::current_path(here);
  ASSERT_FALSE(problem);
  EXPECT_EQ(code, kSuccess);
  detach_store(&machine);
}

TEST_F(StoreFiles, UpTwiceIsRefusedAndHarmsNothing) {
  ASSERT_FALSE(up());
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  const std::uint64_t identity = machine.store->header.identity;
  EXPECT_EQ(up().error, FileError::exists);
  EXPECT_EQ(machine.store->header.identity, identity);
  detach_store(&machine);
  EXPECT_FALSE(attach());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1) << "no draft is left";
}

TEST_F(StoreFiles, ADraftOfADeadProcessIsNotInTheWay) {
  // Left by an `up` that was killed and had the process id that this one has now.
  std::ofstream(path_ + "." + std::to_string(::getpid())) << "half a machine";
  EXPECT_FALSE(up());
  EXPECT_FALSE(attach());
}

TEST_F(StoreFiles, DownTellsThoseWhoHaveItMapped) {
  ASSERT_FALSE(up());
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  const std::uint32_t events = machine.store->header.changes;
  ASSERT_FALSE(remove_store(path_.c_str()));
  EXPECT_EQ(machine.store->header.phase, static_cast<std::uint32_t>(StorePhase::taken_down));
  EXPECT_NE(machine.store->header.changes, events);
  EXPECT_EQ(check_store(machine.store, machine.size), StoreError::taken_down);
  for (std::uint32_t i = 0; i < 2; ++i)
    EXPECT_FALSE(present(machine.store->gpus()[i])) << "no handle of before is good";
  detach_store(&machine);
  EXPECT_EQ(machine.store, nullptr);
}

TEST_F(StoreFiles, WhatOneMappingWritesAnotherReads) {
  ASSERT_FALSE(up());
  AttachedStore one;
  AttachedStore other;
  ASSERT_FALSE(attach_store(path_.c_str(), &one));
  ASSERT_FALSE(attach_store(path_.c_str(), &other));
  const auto scratch = std::make_unique<Gpu>();
  {
    const WriteLock lock(&one.file);
    test::publish(one.store->gpus()[1], *scratch, [](Gpu& gpu) { gpu.power.limit_mw.set(300'000); });
  }
  EXPECT_EQ(read_field(other.store->gpus()[1], &Gpu::power, &Power::limit_mw).value, 300'000u);
  EXPECT_EQ(read_field(other.store->gpus()[0], &Gpu::power, &Power::limit_mw).value, 700'000u);
  detach_store(&one);
  detach_store(&other);
}

TEST_F(StoreFiles, LinksAreRefused) {
  ASSERT_FALSE(up());
  const std::string link = folder_.file("link.store");
  fs::create_symlink(path_, link);
  AttachedStore machine;
  EXPECT_EQ(attach_store(link.c_str(), &machine).error, FileError::not_private);
  EXPECT_EQ(remove_store(link.c_str()).error, FileError::not_private);
  EXPECT_FALSE(attach()) << "what the link leads to is untouched";
}

TEST_F(StoreFiles, FilesThatOthersMayWriteAreRefused) {
  ASSERT_FALSE(up());
  for (const mode_t mode : {0620u, 0602u, 0622u, 0666u, 0777u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(attach().error, FileError::not_private) << std::oct << mode;
    EXPECT_EQ(remove_store(path_.c_str()).error, FileError::not_private) << std::oct << mode;
  }
  for (const mode_t mode : {0600u, 0640u, 0644u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_FALSE(attach()) << std::oct << mode;
  }
}

TEST_F(StoreFiles, FilesOfOthersAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_FALSE(up());
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(attach().error, FileError::not_private);
}

TEST_F(StoreFiles, FoldersOfOthersAreRefused) {
  // Whoever owns the folder can put another file in the place of ours.
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_EQ(up().error, FileError::not_private);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0700), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(folder_.path().c_str(), 12345, 12345), 0);
    EXPECT_EQ(up().error, FileError::not_private);
    ASSERT_EQ(::chown(folder_.path().c_str(), 0, 0), 0);
  }
  const std::string link = folder_.file("folder");
  fs::create_directory(folder_.file("real"));
  fs::permissions(folder_.file("real"), fs::perms::owner_all);
  fs::create_directory_symlink(folder_.file("real"), link);
  path_ = link + "/test.store";
  EXPECT_EQ(up().error, FileError::not_private);
  path_ = folder_.file("real") + "/test.store";
  EXPECT_FALSE(up());
}

TEST_F(StoreFiles, FoldersAndPipesAreNoStores) {
  fs::create_directory(path_);
  EXPECT_NE(attach().error, FileError::none);
  EXPECT_NE(remove_store(path_.c_str()).error, FileError::none);
  EXPECT_TRUE(fs::exists(path_));
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(attach().error, FileError::not_private);
  EXPECT_EQ(up().error, FileError::exists);
}

TEST_F(StoreFiles, AFileThatIsNoStoreIsNeitherReadNorRemoved) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("my thesis"), std::string(5'000, 'x')}) {
    write(text);
    make_private();
    const FileProblem problem = attach();
    EXPECT_EQ(problem.error, FileError::bad_store) << text.size();
    EXPECT_EQ(problem.store, StoreError::not_a_store) << text.size();
    EXPECT_EQ(remove_store(path_.c_str()).store, StoreError::not_a_store);
    EXPECT_EQ(read(), text) << "somebody's file is gone";
  }
}

TEST_F(StoreFiles, ATruncatedStoreIsRefusedAndRemoved) {
  ASSERT_FALSE(up());
  const std::string whole = read();
  for (const std::size_t size : {std::size_t{8}, std::size_t{100}, sizeof(StoreHeader), sizeof(Store) - 1,
                                 sizeof(Store), whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    const FileProblem problem = attach();
    EXPECT_EQ(problem.error, FileError::bad_store) << size;
    EXPECT_EQ(problem.store, StoreError::too_short) << size;
  }
  EXPECT_FALSE(remove_store(path_.c_str()));
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StoreFiles, OtherLayoutsAndFormatsAreRefusedAndRemoved) {
  const auto damage = [&](std::size_t at, StoreError expected) {
    ASSERT_FALSE(up());
    std::string bytes = read();
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write(bytes);
    const FileProblem problem = attach();
    EXPECT_EQ(problem.error, FileError::bad_store);
    EXPECT_EQ(problem.store, expected);
    EXPECT_GT(std::strlen(describe(problem.store)), 10u);
    EXPECT_FALSE(remove_store(path_.c_str()));
  };
  damage(offsetof(StoreHeader, layout_hash), StoreError::other_layout);
  damage(offsetof(StoreHeader, format), StoreError::other_format);
  damage(offsetof(StoreHeader, gpu_count), StoreError::damaged);
  damage(offsetof(StoreHeader, phase), StoreError::unfinished);
}

// Whatever bytes a store has, reading it ends, and stays inside.
TEST_F(StoreFiles, AThousandDamagedStoresNeverCrash) {
  ASSERT_FALSE(up());
  const std::string whole = read();
  std::mt19937 random(20240607);
  int attached = 0;
  const auto copy = std::make_unique<Gpu>();
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = whole;
    const int count = 1 + static_cast<int>(random() % 64);
    // Half of the rounds aim at the header, where damage tells most.
    const std::size_t range = round % 2 == 0 ? sizeof(StoreHeader) + 64 : bytes.size();
    for (int i = 0; i < count; ++i)
      bytes[random() % range] = static_cast<char>(random());
    if (round % 10 == 0) bytes.resize(random() % bytes.size());
    write(bytes);
    AttachedStore machine;
    if (attach_store(path_.c_str(), &machine)) continue;
    ++attached;
    for (std::uint32_t i = 0; i < machine.store->header.gpu_count; ++i) {
      const GpuSlot& slot = machine.store->gpus()[i];
      const GpuSlot* found = find_gpu(*machine.store, machine.store->header.gpu_count, slot.handle);
      EXPECT_TRUE(found == nullptr || found == &slot);
      load_into(*copy, slot.copies[slot.sequence & 1]);
      EXPECT_LE(copy->nvlink.links.size(), copy->nvlink.links.capacity);
      for (const auto& link : copy->nvlink.links)
        EXPECT_GE(&link, &copy->nvlink.links.items[0]);
    }
    detach_store(&machine);
  }
  EXPECT_GT(attached, 100) << "too few got past the header to say anything about the rest";
  EXPECT_LT(attached, 900);
}

TEST(StorePath, NamesBecomeFilesInTheFolderOfTheUser) {
  StorePath path{};
  ASSERT_FALSE(store_path("ci", "/run/test", &path));
  EXPECT_STREQ(path.text, "/run/test/ci.store");
  ASSERT_FALSE(store_path("ci", nullptr, &path));
  EXPECT_EQ(path.text, "/dev/shm/nvmlab-" + std::to_string(::geteuid()) + "/ci.store");
  ASSERT_FALSE(store_path("ci", "", &path));
  EXPECT_EQ(path.text, "/dev/shm/nvmlab-" + std::to_string(::geteuid()) + "/ci.store");
  ASSERT_FALSE(store_path("/mnt/x/ci.store", "/run/test", &path));
  EXPECT_STREQ(path.text, "/mnt/x/ci.store");
}

TEST(StorePath, BadNamesAreRefused) {
  StorePath path{};
  for (const char* name : {"", ".", "..", ".hidden", "two words", "tab\t", "new\nline", "ümlaut", "a:b", "*"}) {
    EXPECT_EQ(store_path(name, "/run/test", &path).error, FileError::bad_name) << name;
  }
  EXPECT_FALSE(store_path(std::string(63, 'n').c_str(), "/run/test", &path));
  EXPECT_EQ(store_path(std::string(64, 'n').c_str(), "/run/test", &path).error, FileError::bad_name);
  EXPECT_EQ(store_path("ci", std::string(600, 'd').c_str(), &path).error, FileError::too_long);
  EXPECT_EQ(store_path(("/" + std::string(600, 'd')).c_str(), "", &path).error, FileError::too_long);
}

TEST(StorePath, EveryErrorHasWords) {
  for (const FileError error : {FileError::none, FileError::bad_name, FileError::not_found, FileError::exists,
                                FileError::not_private, FileError::system, FileError::bad_store}) {
    EXPECT_GT(std::strlen(describe(error)), 5u);
  }
}

}  // namespace
}  // namespace nvmlab
