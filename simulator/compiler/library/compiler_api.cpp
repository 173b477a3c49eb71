// SPDX-License-Identifier: Apache-2.0
#include "compiler/compiler_api.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "compiler/compile.hpp"
#include "compiler/compiled_boards.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/mock/overrides.hpp"

// carried_boards.c
extern "C" {
extern const std::byte nvmlab_boards[];
extern const unsigned long nvmlab_boards_size;
}

namespace {

using nvmlab::compiler::CompileOptions;

void say(nvmlab_compile_result& result, const std::string& text) {
  std::size_t length = text.size();
  if (length >= sizeof result.message) {  // whole lines only, as far as there are any
    length = sizeof result.message - 1;
    const std::size_t line_end = text.rfind('\n', length - 1);
    if (line_end != std::string::npos) length = line_end + 1;
  }
  while (length > 0 && text[length - 1] == '\n')
    --length;
  std::memcpy(result.message, text.data(), length);
  result.message[length] = '\0';
}

bool hand_out(const std::vector<std::byte>& image, nvmlab_compile_result& result) {
  constexpr std::size_t alignment = 64;
  const std::size_t room = (image.size() + alignment - 1) / alignment * alignment;
  result.image = std::aligned_alloc(alignment, room);
  if (result.image == nullptr) return false;
  std::memcpy(result.image, image.data(), image.size());
  result.size = image.size();
  return true;
}

bool hand_out(const std::vector<nvmlab::Change>& changes, nvmlab_compile_result& result) {
  result.change_size = sizeof(nvmlab::Change);
  if (changes.empty()) return true;
  result.changes = std::malloc(changes.size() * sizeof(nvmlab::Change));
  if (result.changes == nullptr) return false;
  std::memcpy(result.changes, changes.data(), changes.size() * sizeof(nvmlab::Change));
  result.change_count = changes.size();
  return true;
}

int reload(const nvmlab_compile_request& request, const CompileOptions& options, nvmlab_compile_result& result) {
  const nvmlab::compiler::MockTexts texts{.before = {request.before, request.before_size},
                                          .after = {request.after, request.after_size},
                                          .name = request.overrides};
  const auto reload = nvmlab::compiler::reload_mock_overrides(request.what, options, texts);
  if (!reload) {
    say(result, nvmlab::compiler::describe(reload.error()));
    return 1;
  }
  if (!hand_out(reload->changes, result)) {
    say(result, "nvmlab-compiler: out of memory");
    return 1;
  }
  say(result, nvmlab::compiler::describe(reload->notes));
  result.warnings = static_cast<int>(reload->notes.size());
  return 0;
}

int compile(const nvmlab_compile_request& request, nvmlab_compile_result& result) {
  CompileOptions options{.image_alone = true};
  if (request.gpus >= 0) options.gpus = static_cast<unsigned>(request.gpus);
  if (request.driver != nullptr) options.driver = request.driver;
  if (request.kind == NVMLAB_RELOAD_MOCK_CONFIG) return reload(request, options, result);
  std::expected<nvmlab::compiler::Machine, nvmlab::compiler::Problems> machine =
      std::unexpected(nvmlab::compiler::Problems{});
  std::string notes;
  std::vector<nvmlab::Change> changes;
  switch (request.kind) {
    case NVMLAB_COMPILE_PROFILE:
      machine = nvmlab::compiler::compile(request.what, options,
                                          nvmlab::compiler::CompiledBoards({nvmlab_boards, nvmlab_boards_size}));
      break;
    case NVMLAB_COMPILE_MOCK_CONFIG: {
      auto mock = nvmlab::compiler::compile_mock_config(request.what, options);
      if (mock) {
        machine = std::move(mock->machine);
        changes = std::move(mock->changes);
        notes = nvmlab::compiler::describe_unheeded(*mock);
        if (!notes.empty()) {
          notes += '\n';
          result.warnings = 1;
        }
        notes += nvmlab::compiler::describe(mock->notes);
      } else {
        machine = std::unexpected(mock.error());
      }
      break;
    }
    default:
      say(result, "nvmlab-compiler: a request of an unknown kind");
      return 1;
  }
  if (!machine) {
    say(result, nvmlab::compiler::describe(machine.error()));
    return 1;
  }
  if (!hand_out(machine->image, result) || !hand_out(changes, result)) {
    say(result, "nvmlab-compiler: out of memory");
    return 1;
  }
  say(result, notes);
  return 0;
}

}  // namespace

extern "C" int nvmlab_compile(const nvmlab_compile_request* request, nvmlab_compile_result* result) {
  if (result == nullptr) return 1;
  *result = nvmlab_compile_result{};
  if (request == nullptr || request->size < sizeof(nvmlab_compile_request) || request->what == nullptr ||
      (request->kind == NVMLAB_RELOAD_MOCK_CONFIG &&
       (request->overrides == nullptr || request->before == nullptr || request->after == nullptr))) {
    std::strcpy(result->message, "nvmlab-compiler: a request that this version does not understand");
    return 1;
  }
  try {
    return compile(*request, *result);
  } catch (const std::exception& error) {  // out of memory at the most: errors are values everywhere else
    std::strncpy(result->message, error.what(), sizeof result->message - 1);
  } catch (...) {
    std::strcpy(result->message, "nvmlab-compiler: an unknown failure");
  }
  nvmlab_release(result);
  return 1;
}

extern "C" void nvmlab_release(nvmlab_compile_result* result) {
  if (result == nullptr) return;
  std::free(result->image);
  std::free(result->changes);
  result->image = result->changes = nullptr;
  result->size = result->change_count = 0;
}
