// SPDX-License-Identifier: Apache-2.0
//
// Eight processes that cut one GPU at once: each change is whole, none is lost, and what is left could have been made
// by one of them alone.
#include <gtest/gtest.h>

#include <random>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compile.hpp"
#include "engine/store/store_file.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/mig/boards.hpp"

namespace nvmlab::mig_test {
namespace {

constexpr int kProcesses = 8;
constexpr int kChanges = 300;

Change any_change(std::mt19937& random) {
  constexpr std::uint32_t profiles[] = {19, 20, 15, 14, 9, 5};
  const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  switch (below(4)) {
    case 0:
      return make_change(0, CreateGpuInstance{profiles[below(6)], kAnyStart, 0});
    case 1:
      return make_change(0, CreateComputeInstance{below(15), kAnySerial, below(8), kAnyStart});
    case 2:
      return make_change(0, DestroyComputeInstance{below(15), below(3), kAnySerial});
    default:
      return make_change(0, DestroyGpuInstance{below(15), kAnySerial});
  }
}

// The exit code: how many changes were made, in steps of four.
int reconfigure(const std::string& path, unsigned seed) {
  AttachedStore store;
  if (attach_store(path.c_str(), &store)) return 255;
  MachineAccess machine{*store.store, store.file, true};
  std::mt19937 random(seed);
  int made = 0;
  for (int i = 0; i < kChanges; ++i)
    made += apply(machine, any_change(random)).code == kSuccess ? 1 : 0;
  detach_store(&store);
  return made / 4;
}

TEST(MigProcesses, ReconfigureOneGpuAtOnce) {
  const auto compiled = compiler::compile("dgx-h100");
  ASSERT_TRUE(compiled);
  Image image;
  ASSERT_EQ(open_image(compiled->image.data(), compiled->image.size(), &image), ImageError::none);
  const test::TempFolder folder;
  const std::string path = (folder.path() / "mig.store").string();
  ASSERT_FALSE(create_store(path.c_str(), image, 1, "mig", {}, {}));
  AttachedStore store;
  ASSERT_FALSE(attach_store(path.c_str(), &store));
  MachineAccess machine{*store.store, store.file, true};
  ASSERT_EQ(apply(machine, make_change(0, SetMigMode{1})).code, kSuccess);
  const std::uint64_t raised = events_raised(store.store->events);

  pid_t children[kProcesses];
  for (int i = 0; i < kProcesses; ++i) {
    children[i] = ::fork();
    if (children[i] == 0) ::_exit(reconfigure(path, static_cast<unsigned>(i)));
  }
  std::uint64_t made = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 255);
    EXPECT_GT(WEXITSTATUS(status), 0) << "it changed next to nothing";
    made += static_cast<std::uint64_t>(WEXITSTATUS(status)) * 4;
  }
  const GpuSlot& slot = store.store->gpus()[0];
  const Gpu& gpu = slot.copies[slot.sequence & 1];
  EXPECT_TRUE(possible(read_board(gpu.mig), read_layout(gpu.instances)));
  EXPECT_GE(events_raised(store.store->events) - raised, made);
  EXPECT_LT(events_raised(store.store->events) - raised, made + kProcesses * 4);
  detach_store(&store);
}

}  // namespace
}  // namespace nvmlab::mig_test
