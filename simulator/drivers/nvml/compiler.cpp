// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/compiler.hpp"

#include <cstring>

#include "drivers/common/dynamic_loader.hpp"
#include "drivers/common/library_path.hpp"
#include "drivers/nvml/log.hpp"

namespace nvmlab::driver {
namespace {

constexpr int kEveryLine = 1 << 30;

// One line for each problem, from the first that is wanted; it begins with the variable and its value. Problems of the
// file itself name it already: "NVMLAB_PROFILE=mine.yaml:6:10: ...".
void log_problems(const char* variable, const char* what, const char* problems, void (*log)(const Line&), int first = 0,
                  int most = kEveryLine) {
  int number = 0;
  for (const char* at = problems; *at != '\0'; ++number) {
    const char* end = std::strchr(at, '\n');
    const std::size_t length = end == nullptr ? std::strlen(at) : static_cast<std::size_t>(end - at);
    Line line;
    line << variable << "=";
    if (std::strncmp(at, what, std::strlen(what)) != 0) line << Quoted{what} << ": ";
    line.append(at, length);
    if (number >= first && number < most) log(line);
    at += length + (end == nullptr ? 0 : 1);
  }
}

// Whom messages are about.
struct Named {
  const char* variable;
  const char* what;
};

bool ask_compiler(const Named& named, const nvmlab_compile_request& request, CompiledProfile* out) {
  const auto [variable, what] = named;
  Line line;
  line << variable << "=" << Quoted{what} << ": ";
  const DynamicLoader loader;
  if (!loader.there()) {
    line << "YAML needs a dynamic loader with dlopen; compile it with `nvmlab compile` and name the .machine file "
            "instead";
    log_error(line);
    return false;
  }
  LibraryPath path;
  void* library =
      beside_library("libnvmlab-compiler.so", &path) ? loader.open(path.text, RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto* compile = library == nullptr ? nullptr : look_up<decltype(nvmlab_compile)>(library, "nvmlab_compile");
  if (compile == nullptr) {
    line << "the YAML compiler (" << Quoted{path.text}
         << ") cannot be loaded; compile it with `nvmlab compile` and name the .machine file instead";
    log_error(line);
    if (library != nullptr) loader.close(library);
    return false;
  }
  out->library = library;
  if (compile(&request, &out->result) != 0) {
    log_problems(variable, what, out->result.message, log_error);
    release_compiled(out);
    return false;
  }
  log_problems(variable, what, out->result.message, log_error, 0, out->result.warnings);
  log_problems(variable, what, out->result.message, log_info, out->result.warnings);
  out->image = out->result.image;
  out->size = out->result.size;
  return true;
}

nvmlab_compile_request request_of(CompileKind kind, const char* what, std::int64_t gpus, const char* driver) {
  nvmlab_compile_request request{};
  request.size = sizeof request;
  request.kind = static_cast<int>(kind);
  request.what = what;
  request.gpus = static_cast<int>(gpus);
  request.driver = driver;
  return request;
}

}  // namespace

bool compile_profile(CompileKind kind, const char* what, std::int64_t gpus, const char* driver, CompiledProfile* out) {
  const char* variable = kind == CompileKind::profile ? "NVMLAB_PROFILE" : "MOCK_NVML_CONFIG";
  return ask_compiler({variable, what}, request_of(kind, what, gpus, driver), out);
}

bool reload_mock_config(const char* what, std::int64_t gpus, const char* driver, const MockReload& reload,
                        CompiledProfile* out) {
  nvmlab_compile_request request = request_of(CompileKind::mock_reload, what, gpus, driver);
  request.overrides = reload.overrides;
  request.before = reload.before;
  request.before_size = reload.before_size;
  request.after = reload.after;
  request.after_size = reload.after_size;
  return ask_compiler({"MOCK_NVML_OVERRIDES", reload.overrides}, request, out);
}

void release_compiled(CompiledProfile* compiled) {
  if (compiled->library == nullptr) return;
  if (auto* release = look_up<decltype(nvmlab_release)>(compiled->library, "nvmlab_release"))
    release(&compiled->result);
  DynamicLoader{}.close(compiled->library);
  *compiled = {};
}

}  // namespace nvmlab::driver
