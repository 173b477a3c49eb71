// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/store/system.hpp"
#include "engine/store/text_writer.hpp"

namespace nvmlab {
namespace {

FileProblem failed(int negative_errno) {
  const int number = -negative_errno;
  if (number == ENOENT) return {FileError::not_found, number, {}};
  if (number == EEXIST) return {FileError::exists, number, {}};
  if (number == ELOOP) return {FileError::not_private, number, {}};
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) return {FileError::no_space, number, {}};
  return {FileError::system, number, {}};
}

FileProblem result_of(const TextWriter& writer) {
  return {writer.complete() ? FileError::none : FileError::too_long, 0, {}};
}

bool good_name(const char* name) {
  if (*name == '\0' || *name == '.') return false;
  for (const char* c = name; *c != '\0'; ++c) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    if (!letter && !(*c >= '0' && *c <= '9') && *c != '-' && *c != '_' && *c != '.') return false;
  }
  return std::strlen(name) < 64;
}

constexpr FileProblem kNotPrivate{FileError::not_private, 0, {}};

// A store that somebody else could have made or could change is not ours to trust. Whether its group may write, the
// store itself says.
FileProblem check_file(int fd, Owner owner, sys::FileFacts* facts) {
  if (const int result = sys::inspect(fd, facts); result < 0) return failed(result);
  const bool trusted = facts->owner == sys::effective_user() || facts->owner == 0 || owner == Owner::anybody;
  return facts->regular && trusted && (facts->mode & S_IWOTH) == 0 ? FileProblem{} : kNotPrivate;
}

// Whoever may rename files in a folder can put another one in the place of ours; a sticky folder like /tmp forbids
// that.
FileProblem check_folder(const char* path) {
  const int fd = sys::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
  if (fd == -ENOTDIR) return {FileError::not_private, ENOTDIR, {}};  // what Linux says of a link here
  if (fd < 0) return failed(fd);
  sys::FileFacts facts;
  const int result = sys::inspect(fd, &facts);
  sys::close_file(fd);
  if (result < 0) return failed(result);
  const bool trusted = facts.owner == sys::effective_user() || facts.owner == 0;
  const bool guarded = (facts.mode & 0022) == 0 || (facts.mode & S_ISVTX) != 0;
  return {trusted && guarded ? FileError::none : FileError::not_private, 0, {}};
}

FileProblem prepare_folder(const char* path, const Sharing& sharing) {
  StorePath folder{};
  TextWriter(folder.text).add(path);
  char* slash = std::strrchr(folder.text, '/');
  if (slash == nullptr || slash == folder.text) return {};
  *slash = '\0';
  const int result = sys::make_folder(folder.text, sharing.shared() ? 0755 : 0700);
  if (result < 0 && result != -EEXIST) return failed(result);
  return check_folder(folder.text);
}

// Time and process tell any two stores of one user apart.
std::uint64_t new_identity() { return sys::realtime_ns() ^ std::uint64_t{sys::process_id()} << 40; }

std::uint64_t seeded_identity(const char* name, std::uint64_t seed) {
  return mix(fnv1a(name, std::strlen(name)) ^ mix(seed));
}

// A file that is too short to be a store may be the start of one, or somebody's own.
StoreError why_short(int fd) {
  char magic[sizeof kStoreMagic] = {};
  if (sys::read_file(fd, magic, sizeof magic) < 0) return StoreError::not_a_store;
  return std::memcmp(magic, kStoreMagic, sizeof magic) == 0 ? StoreError::too_short : StoreError::not_a_store;
}

struct Contents {
  const Image& image;
  std::uint32_t gpu_count;
  const char* name;
  std::uint64_t identity;
  const ClockBeginning& beginning;
};

FileProblem fill(int fd, const Contents& contents, const Sharing& sharing) {
  const std::uint64_t size = store_size(contents.gpu_count);
  // With its blocks: a hole that cannot be filled later would kill whoever touches it.
  if (const int result = sys::reserve(fd, size); result < 0) return failed(result);
  if (sharing.group != Sharing::kOwnGroup) {
    if (const int result = sys::set_group(fd, sharing.group); result < 0) return failed(result);
  }
  if (const int result = sys::set_mode(fd, sharing.mode); result < 0) return failed(result);  // whatever the umask is
  void* memory = sys::map_shared(fd, size, true);
  if (memory == nullptr) return {FileError::system, ENOMEM, {}};
  build_store(memory, contents.image, contents.gpu_count, contents.name, contents.identity, contents.beginning);
  static_cast<Store*>(memory)->header.group_writes = (sharing.mode & S_IWGRP) != 0 ? 1 : 0;
  sys::unmap(memory, size);
  return {};
}

// A client may change its folder after it has attached.
FileProblem make_absolute(const char* path, StoreFile* file) {
  StorePath whole{};
  TextWriter writer(whole.text);
  if (*path != '/') {
    StorePath here{};
    if (const int result = sys::current_folder(here.text, sizeof here.text); result < 0) return failed(result);
    writer.add(here.text);
    writer.add("/");
  }
  writer.add(path);
  std::memcpy(file->path, whole.text, sizeof whole.text);
  return result_of(writer);
}

FileProblem map_checked(int fd, bool write, Owner owner, AttachedStore* out) {
  sys::FileFacts facts;
  if (const FileProblem problem = check_file(fd, owner, &facts)) return problem;
  if (facts.size < sizeof(Store)) return {FileError::bad_store, 0, why_short(fd)};
  void* memory = sys::map_shared(fd, facts.size, write);
  if (memory == nullptr) return {FileError::system, ENOMEM, {}};
  FileProblem problem;
  if (const StoreError error = check_store(memory, facts.size); error != StoreError::none)
    problem = {FileError::bad_store, 0, error};
  const bool meant = (facts.mode & S_IWGRP) == 0 || static_cast<Store*>(memory)->header.group_writes != 0;
  if (!meant) problem = kNotPrivate;
  if (problem) {
    sys::unmap(memory, facts.size);
    return problem;
  }
  out->store = static_cast<Store*>(memory);
  out->size = facts.size;
  out->file.device = facts.device;
  out->file.inode = facts.inode;
  out->file.writable = write;
  // Of what is mapped, whatever the header says meanwhile.
  const std::uint64_t room = (facts.size - sizeof(Store)) / sizeof(GpuSlot);
  const std::uint32_t said = out->store->header.gpu_count;
  out->file.gpu_count = said < room ? said : static_cast<std::uint32_t>(room);
  return {};
}

}  // namespace

FileProblem store_folder(const char* runtime_dir, StorePath* path) {
  TextWriter writer(path->text);
  if (runtime_dir != nullptr && *runtime_dir != '\0') {
    writer.add(runtime_dir);
  } else {
    writer.add("/dev/shm/nvmlab-");
    writer.add(std::uint64_t{sys::effective_user()});
  }
  return result_of(writer);
}

FileProblem store_path(const char* name, const char* runtime_dir, StorePath* path) {
  if (std::strchr(name, '/') != nullptr) {
    TextWriter writer(path->text);
    writer.add(name);
    return result_of(writer);
  }
  if (!good_name(name)) return {FileError::bad_name, 0, {}};
  StorePath folder{};
  if (const FileProblem problem = store_folder(runtime_dir, &folder)) return problem;
  TextWriter writer(path->text);
  writer.add(folder.text);
  writer.add("/");
  writer.add(name);
  writer.add(".store");
  return result_of(writer);
}

FileProblem attach_store(const char* path, AttachedStore* out, Owner owner) {
  *out = {};
  if (const FileProblem problem = make_absolute(path, &out->file)) return problem;
  int fd = sys::open_file(path, O_RDWR | O_NOFOLLOW, 0);
  const bool write = fd >= 0;
  if (fd == -EACCES || fd == -EPERM || fd == -EROFS) fd = sys::open_file(path, O_RDONLY | O_NOFOLLOW, 0);
  if (fd < 0) return failed(fd);
  const FileProblem problem = map_checked(fd, write, owner, out);
  sys::close_file(fd);  // the mapping stays; writers open the file again (lock.hpp)
  if (problem) *out = {};
  return problem;
}

void detach_store(AttachedStore* attached) {
  sys::unmap(attached->store, attached->size);
  *attached = {};
}

FileProblem create_store(const char* path, const Image& image, std::uint32_t gpu_count, const char* name,
                         const Sharing& sharing, const ClockBeginning& beginning) {
  if (const FileProblem problem = prepare_folder(path, sharing)) return problem;
  StorePath draft{};
  TextWriter writer(draft.text);
  const std::uint64_t own = new_identity();  // the draft is this process's, whatever comes to lie in it
  writer.add(path);
  writer.add(".");
  writer.add(own);
  if (const FileProblem problem = result_of(writer)) return problem;
  const int fd = sys::open_file(draft.text, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return failed(fd);
  sys::try_lock_file(fd);  // says that the draft is being written; it goes with the descriptor
  const std::uint64_t identity = beginning.seeded ? seeded_identity(name, beginning.seed) : own;
  FileProblem problem = fill(fd, {image, gpu_count, name, identity, beginning}, sharing);
  sys::close_file(fd);
  // A link, not a rename: it refuses to replace a machine that is up.
  if (!problem) {
    if (const int result = sys::link_file(draft.text, path); result < 0) problem = failed(result);
  }
  sys::remove_file(draft.text);
  return problem;
}

FileProblem remove_store(const char* path, Owner owner) {
  AttachedStore attached;
  const FileProblem problem = attach_store(path, &attached, owner);
  if (problem && (problem.error != FileError::bad_store || problem.store == StoreError::not_a_store)) return problem;
  if (!problem) {
    const WriteLock lock(&attached.file);  // a writer that was stopped does not keep a machine up
    if (lock.code() == kNoPermission) {
      detach_store(&attached);
      return failed(-EACCES);
    }
    take_down(attached.store);
    announce(attached.store, true);
    wake_waiters(&attached.store->events, true);
  }
  detach_store(&attached);
  if (const int result = sys::remove_file(path); result < 0) return failed(result);
  return {};
}

const char* describe(FileError error) {
  switch (error) {
    case FileError::none:
      return "no problem";
    case FileError::no_space:
      return "there is no space for the machine; a smaller one, or another folder (NVMLAB_RUNTIME_DIR), may do";
    case FileError::too_long:
      return "the path of its folder is too long (NVMLAB_RUNTIME_DIR)";
    case FileError::bad_name:
      return "a machine's name is 1 to 63 letters, digits, '-', '_' or '.', and does not begin with '.'";
    case FileError::not_found:
      return "no such machine is up";
    case FileError::exists:
      return "a machine of this name is up already";
    case FileError::not_private:
      return "not a plain file of this user that only this user may write";
    case FileError::system:
      return "the system refused";
    case FileError::bad_store:
      return "not usable";
  }
  return "unusable";
}

}  // namespace nvmlab
