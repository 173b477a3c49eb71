// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/machine_source.hpp"

#include <fcntl.h>
#include <cstring>

#include "drivers/nvml/compiler.hpp"
#include "drivers/nvml/embedded.hpp"
#include "drivers/nvml/log.hpp"
#include "engine/change/change.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {

using namespace nvml::abi;

namespace {

bool ends_with(const char* text, const char* ending) {
  const std::size_t length = std::strlen(text);
  const std::size_t wanted = std::strlen(ending);
  return length >= wanted && std::strcmp(text + length - wanted, ending) == 0;
}

// Where the image of a private machine comes from. It lies in the library, or with the compiler, whose memory goes; of
// a file no more than its header is read before there is a place for the rest.
constexpr std::uint64_t kPage = 4096;

struct Source {
  Image image;
  KeptImage kept = KeptImage::copied;
  ImageHeader of_file{};
  const char* path = nullptr;
  int fd = -1;
  CompiledProfile compiled;

  const ImageHeader& header() const { return fd >= 0 ? of_file : *image.header; }
  // Bytes that it needs behind the GPUs; a file, which is read there, from a page of its own on.
  std::uint64_t room() const { return kept == KeptImage::in_place ? 0 : header().total_size; }
  std::uint64_t place_behind(std::uint64_t store) const { return fd < 0 ? store : (store + kPage - 1) / kPage * kPage; }

  ~Source() {
    if (fd >= 0) sys::close_file(fd);
    if (compiled.library != nullptr) release_compiled(&compiled);
  }
};

// What of a name or path there is to say; `variable` is what the user set to it, or null.
void say(const char* variable, const char* what, const char* problem, const char* remedy) {
  Line line;
  if (variable != nullptr) line << variable << "=";
  line << Quoted{what} << ": " << problem << remedy;
  log_error(line);
}

constexpr const char* kCompileAgain = "; `nvmlab compile PROFILE -o FILE` makes a machine file";

bool good(ImageError error, const char* variable, const char* what) {
  if (error != ImageError::none)
    say(variable, what, describe(error), variable != nullptr ? kCompileAgain : "; install nvmlab again");
  return error == ImageError::none;
}

bool unreadable(const char* path) {
  say("NVMLAB_PROFILE", path, "cannot be read as a machine file", kCompileAgain);
  return false;
}

bool use_machine_file(const char* path, Source* source) {
  const int fd = sys::open_file(path, O_RDONLY, 0);
  if (fd < 0) return unreadable(path);
  source->fd = fd;
  source->path = path;
  sys::FileFacts facts;
  if (sys::inspect(fd, &facts) != 0 || !facts.regular || facts.size == 0) return unreadable(path);
  const std::uint64_t head = facts.size < sizeof source->of_file ? facts.size : sizeof source->of_file;
  if (sys::read_file(fd, &source->of_file, head) != static_cast<std::int64_t>(head)) return unreadable(path);
  return good(check_image_header(source->of_file, facts.size), "NVMLAB_PROFILE", path);
}

// To where it stays.
bool read_rest(Source* source, unsigned char* place) {
  constexpr std::uint64_t head = sizeof source->of_file;
  const std::uint64_t rest = source->of_file.total_size - head;
  std::memcpy(place, &source->of_file, head);
  if (sys::read_file(source->fd, place + head, rest) != static_cast<std::int64_t>(rest))
    return unreadable(source->path);
  source->kept = KeptImage::in_place;
  return good(open_image(place, head + rest, &source->image), "NVMLAB_PROFILE", source->path);
}

bool use_compiler(CompileKind kind, const char* what, const Config& config, Source* source) {
  if (!compile_profile(kind, what, config.gpus, config.driver, &source->compiled)) return false;
  return good(open_image(source->compiled.image, source->compiled.size, &source->image), nullptr, what);
}

// The machine that the library simulates when nobody asks for another, or the one of that name.
const ImageHeader* find_carried(const char* name) {
  const auto* standard = reinterpret_cast<const ImageHeader*>(nvmlab_default_machine);
  if (name == nullptr || std::strcmp(standard->name, name) == 0) return standard;
  for (unsigned long at = 0; at < nvmlab_machines_size;) {
    const auto* header = reinterpret_cast<const ImageHeader*>(nvmlab_machines + at);
    if (std::strcmp(header->name, name) == 0) return header;
    at += (header->total_size + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  }
  return nullptr;
}

bool use_carried(const char* name, Source* source) {
  if (const ImageHeader* header = find_carried(name)) {
    // It is as good as the code beside it, so nobody adds up its checksum.
    source->image = view_image(header);
    source->kept = KeptImage::in_place;
    return good(check_image_header(*header, header->total_size), nullptr, header->name);
  }
  say("NVMLAB_PROFILE", name, "no shipped profile has this name",
      "; `nvmlab profiles` lists them, and a path to a .yaml or .machine file works too");
  return false;
}

bool find_image(const Config& config, Source* source, bool* driver_applied) {
  if (config.profile != nullptr) {
    if (ends_with(config.profile, ".machine")) return use_machine_file(config.profile, source);
    if (ends_with(config.profile, ".yaml") || ends_with(config.profile, ".yml")) {
      *driver_applied = true;
      return use_compiler(CompileKind::profile, config.profile, config, source);
    }
    return use_carried(config.profile, source);
  }
  if (config.mock_config != nullptr) {
    *driver_applied = true;
    return use_compiler(CompileKind::mock_config, config.mock_config, config, source);
  }
  return use_carried(nullptr, source);
}

// `wanted` makes sense: read_config() has looked. The machine is not published yet, and none of its GPUs is built.
void apply_driver(const char* wanted, Store& store) {
  DriverVersion version{};
  if (find_driver_version(wanted, &version)) set_driver_version(version, &store.node.copies[0], nullptr, 0);
}

// The library of one driver simulates that driver, unless the machine has another release of it or the user says
// otherwise.
void keep_to_library(Store& store) {
  if (nvmlab_library_driver[0] == '\0') return;
  const Text<80> version = read_field(store.node, &Node::system, &System::driver_version);
  if (driver_row(version.data) != driver_row(nvmlab_library_driver)) apply_driver(nvmlab_library_driver, store);
}

// What a configuration of the Go mock lets happen. Its GPUs may be fewer here.
void make_changes(const nvmlab_compile_result& compiled, const char* what, AttachedStore& built) {
  if (compiled.change_size != sizeof(Change)) return;
  const auto* changes = static_cast<const Change*>(compiled.changes);
  MachineAccess machine{*built.store, built.file, true};
  for (std::size_t i = 0; i < compiled.change_count; ++i) {
    const Code code = apply(machine, changes[i]).code;
    if (code == kSuccess || (changes[i].target.is_gpu() && changes[i].target.gpu >= machine.gpu_count())) continue;
    Line line;
    line << "MOCK_NVML_CONFIG=" << Quoted{what} << ": a failure is left out; it is refused with return code "
         << std::uint64_t{code};
    log_error(line);
  }
}

nvmlReturn_t build_private(const Config& config, AttachedStore* out) {
  Source source;
  bool driver_applied = false;
  if (!find_image(config, &source, &driver_applied)) return NVML_ERROR_UNKNOWN;
  const ImageHeader& header = source.header();
  const std::uint32_t gpus = config.gpus >= 0 ? static_cast<std::uint32_t>(config.gpus) : header.gpu_count;
  if (gpus > 0 && header.gpu_count == 0) {
    Line line;
    line << header.name << ": a machine without GPUs has none to repeat; set NVMLAB_GPUS=0 or choose another profile";
    log_error(line);
    return NVML_ERROR_UNKNOWN;
  }
  const std::uint64_t place = source.place_behind(store_size(gpus));
  const std::uint64_t size = place + source.room();
  void* memory = sys::map_private(size);
  if (memory == nullptr) return NVML_ERROR_MEMORY;
  if (source.fd >= 0 && !read_rest(&source, static_cast<unsigned char*>(memory) + place)) {
    sys::unmap(memory, size);
    return NVML_ERROR_UNKNOWN;
  }
  build_store_on_demand(memory, source.image, gpus, header.name, sys::monotonic_ns(), source.kept);
  auto* store = static_cast<Store*>(memory);
  if (config.driver == nullptr) {
    keep_to_library(*store);
  } else if (!driver_applied) {
    apply_driver(config.driver, *store);
  }
  *out = {store, size, {}};
  make_changes(source.compiled.result, config.mock_config, *out);
  return NVML_SUCCESS;
}

nvmlReturn_t attach_shared(const Config& config, AttachedStore* out) {
  StorePath path{};
  FileProblem problem = store_path(config.machine, config.runtime_dir, &path);
  const bool by_path = std::strchr(config.machine, '/') != nullptr;
  if (!problem) problem = attach_store(path.text, out, by_path ? Owner::anybody : Owner::own);
  if (!problem) return NVML_SUCCESS;
  Line line;
  line << (config.machine_of_library ? "the machine of this library, " : "NVMLAB_MACHINE=") << Quoted{config.machine};
  if (path.text[0] != '\0') line << " (" << Quoted{path.text} << ")";
  line << ": " << (problem.error == FileError::bad_store ? describe(problem.store) : describe(problem.error));
  if (problem.error == FileError::system) line << ", error " << static_cast<std::uint64_t>(problem.number);
  if (problem.error == FileError::not_found || problem.store == StoreError::taken_down) {
    line << "; `nvmlab up " << Quoted{config.machine} << "` brings it up";
  } else if (problem.error == FileError::not_private || problem.store == StoreError::not_a_store) {
    line << "; `nvmlab ls` lists the machines that are up";
  } else if (problem.error == FileError::bad_store) {
    line << "; `nvmlab down " << Quoted{config.machine} << "` and `nvmlab up` make it anew";
  }
  log_error(line);
  if (problem.error == FileError::not_found || problem.store == StoreError::taken_down)
    return NVML_ERROR_DRIVER_NOT_LOADED;
  if (problem.store == StoreError::other_layout || problem.store == StoreError::other_format)
    return NVML_ERROR_LIB_RM_VERSION_MISMATCH;
  return problem.error == FileError::not_private ? NVML_ERROR_NO_PERMISSION : NVML_ERROR_UNKNOWN;
}

}  // namespace

nvmlReturn_t open_machine(const Config& config, AttachedStore* out) {
  if (!config.good) return NVML_ERROR_UNKNOWN;
  return config.machine != nullptr ? attach_shared(config, out) : build_private(config, out);
}

}  // namespace nvmlab::driver
