// SPDX-License-Identifier: Apache-2.0
//
// Stores as files: where a user's machines lie, and bringing them up, mapping them and taking them down.
//
// The folder is $NVMLAB_RUNTIME_DIR, else /dev/shm/nvmlab-UID: one place for all sessions of a user, gone at reboot
// like the state of a real driver. Folder and files are private to the user (0700, 0600) unless their owner shares them
// (Sharing); a symbolic link, a file of another user or one that others may write is refused, because whoever can write
// a store can feed its readers; so is a folder in which others could exchange it. A machine that is named by its path
// may be another user's: naming it says that its owner is trusted. Tests: tests/unit/machine/store_file_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/lock.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

struct StorePath {
  char text[kMaxPath];
};

struct AttachedStore {
  Store* store = nullptr;
  std::uint64_t size = 0;
  StoreFile file;
};

enum class FileError : std::uint8_t {
  none,
  no_space,  // the file system has none for the machine
  too_long,  // the path of the folder
  bad_name,  // not letters, digits, '-', '_' and '.', or too long
  not_found,
  exists,
  not_private,  // a link, another owner, or writable by others
  system,       // see `number`
  bad_store,    // see `store`
};

struct FileProblem {
  FileError error = FileError::none;
  int number = 0;  // errno
  StoreError store = StoreError::none;
  explicit operator bool() const { return error != FileError::none; }
};

// The file of a machine called `name`; a name with a slash in it is a path already.
FileProblem store_path(const char* name, const char* runtime_dir, StorePath* path);
// The folder that store_path() uses, without a trailing slash.
FileProblem store_folder(const char* runtime_dir, StorePath* path);

// Whose file may be mapped; root's always.
enum class Owner : std::uint8_t { own, anybody };

// Mapped to be read alone where the user may not write it; then a WriteLock says NO_PERMISSION.
FileProblem attach_store(const char* path, AttachedStore* out, Owner owner = Owner::own);
void detach_store(AttachedStore* attached);

// With whom a machine is shared. Whoever may write it may also cut it short under those who map it, so the members of a
// group that may write are trusted by all of them.
struct Sharing {
  static constexpr std::uint32_t kOwnGroup = ~std::uint32_t{0};
  std::uint32_t mode = 0600;  // of the file; never for others to write
  std::uint32_t group = kOwnGroup;

  bool shared() const { return mode != 0600 || group != kOwnGroup; }
};

// Builds the machine in a file NAME.store.<number> and gives it its name when it is complete, so that nobody maps half
// of one. Of two machines of one name that begin with the same seed and a virtual clock every byte is the same. A
// process that is killed meanwhile leaves that file behind; nobody reads it.
FileProblem create_store(const char* path, const Image& image, std::uint32_t gpu_count, const char* name,
                         const Sharing& sharing = {}, const ClockBeginning& beginning = {});

// Tells processes that have it mapped, and removes the file, also that of a damaged store; never a file that is none.
FileProblem remove_store(const char* path, Owner owner = Owner::own);

const char* describe(FileError error);

}  // namespace nvmlab
