// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels_api.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>

#include "kernels/images/linker.hpp"
#include "kernels/lowering/builder.hpp"
#include "kernels/ptx/versions.hpp"
#include "kernels/run/launch.hpp"
#include "kernels/run/pool.hpp"
#include "kernels/run/settings.hpp"

struct nvmlab_kernel {
  const nvmlab_module* module;
  const nvmlab::kernels::FunctionCode* code;
};

struct nvmlab_module {
  nvmlab::kernels::Program program;
  std::vector<nvmlab_kernel> kernels;
  std::unordered_map<std::string_view, const nvmlab_kernel*> by_name;
};

struct nvmlab_linker {
  nvmlab::kernels::LinkSession session;
};

namespace nvmlab::kernels {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotFound = 500;

template <class Request>
int tell(Request* request, int code, const std::string& text) {
  request->message[text.copy(request->message, sizeof request->message - 1)] = '\0';
  return code;
}

// What a compiler would do with this limit: what a thread then has no register for lies in its local memory, which is
// no slower here.
void limit_registers(Program& program, std::uint32_t most) {
  constexpr std::uint32_t kLeast = 16;  // calls want so many
  if (most == 0) return;
  for (FunctionCode& each : program.functions)
    each.register_count = std::min(each.register_count, std::max(most, kLeast));
}

int load_now(nvmlab_load* request) {
  if (const std::string& problem = settings().problem; !problem.empty()) return tell(request, kInvalidValue, problem);
  const ImageTarget target{request->target, ptx::newest_version(request->cuda)};
  auto read = ptx_of(request->image, target);
  if (!read) return tell(request, read.error().code, read.error().text);
  const auto parsed = read_modules(std::move(read->texts), target);
  if (!parsed) return tell(request, parsed.error().code, parsed.error().text);
  auto program = build(
      *parsed, [request](std::uint64_t bytes) { return request->allocate(request->user, bytes); },
      request->heap_bytes != 0 ? request->heap_bytes : kDefaultHeap);
  if (!program) return tell(request, program.error().code, program.error().text);
  auto made = std::make_unique<nvmlab_module>();
  made->program = std::move(*program);
  limit_registers(made->program, request->most_registers);
  limit_registers(made->program, read->most_registers);
  for (const FunctionCode& each : made->program.functions) {
    if (each.entry && !each.code.empty()) made->kernels.push_back({made.get(), &each});
  }
  for (const nvmlab_kernel& each : made->kernels) {
    made->by_name[each.code->name] = &each;
    if (!each.code->refused.empty() && request->message[0] == '\0')
      tell(request, 0, each.code->name + ": " + each.code->refused);
  }
  request->module = made.release();
  return 0;
}

// Does work() on a thread of ours, whose stack is large enough.
template <class Request, class Work>
int on_our_thread(Request* request, const Work& work) {
  int code = 0;
  request->message[0] = '\0';
  Pool* const pool = Pool::get();
  if (pool == nullptr) return tell(request, kOutOfMemory, "no thread can be started");
  pool->run(1, [&] {
    try {
      code = work();
    } catch (const std::bad_alloc&) {
      code = tell(request, kOutOfMemory, "the host has no memory for this module");
    }
  });
  return code;
}

int load(nvmlab_load* request) {
  if (request == nullptr || request->size != sizeof *request || request->image == nullptr) return 1;
  request->module = nullptr;
  return on_our_thread(request, [request] { return load_now(request); });
}

nvmlab_linker* start_link(std::uint32_t target, std::uint32_t cuda, std::uint32_t most_registers) {
  return new (std::nothrow) nvmlab_linker{LinkSession({target, ptx::newest_version(cuda)}, most_registers)};
}

int add_to_link(nvmlab_linker* linker, nvmlab_link_input* input) {
  if (input == nullptr || input->size != sizeof *input || input->data == nullptr) return 1;
  return on_our_thread(input, [=] {
    const auto read =
        linker->session.add(input->kind, {static_cast<const char*>(input->data), input->bytes}, input->name);
    if (!read) return tell(input, read.error().code, read.error().text);
    return tell(input, 0, *read);
  });
}

int finish_link(nvmlab_linker* linker, nvmlab_linked* out) {
  if (out == nullptr || out->size != sizeof *out) return 1;
  return on_our_thread(out, [=] {
    const auto image = linker->session.finish();
    if (!image) return tell(out, image.error().code, image.error().text);
    out->image = image->data();
    out->bytes = image->size();
    return tell(out, 0, "linked for sm_" + std::to_string(linker->session.capability()));
  });
}

void end_link(nvmlab_linker* linker) { delete linker; }

void unload(nvmlab_module* module) { delete module; }

std::int64_t find_kernel(const nvmlab_module* module, const char* name) {
  const auto found = module->by_name.find(name);
  return found == module->by_name.end() ? -1 : found->second - module->kernels.data();
}

std::uint32_t kernel_count(const nvmlab_module* module) { return static_cast<std::uint32_t>(module->kernels.size()); }
const nvmlab_kernel* nth_kernel(const nvmlab_module* module, std::uint32_t index) {
  return index < module->kernels.size() ? &module->kernels[index] : nullptr;
}

void describe(const nvmlab_kernel* kernel, nvmlab_kernel_facts* facts) {
  const FunctionCode& code = *kernel->code;
  const Program& program = kernel->module->program;
  *facts = {};
  facts->name = code.name.c_str();
  facts->max_threads = code.max_threads;
  facts->shared_bytes = code.shared_bytes;
  facts->constant_bytes = static_cast<std::uint32_t>(program.constant_bytes);
  facts->local_bytes = code.local_bytes;
  facts->registers = code.register_count;
  facts->ptx_version = program.target;
  facts->binary_version = program.target;
  facts->parameter_count = static_cast<std::uint32_t>(code.parameters.size());
  facts->parameter_bytes = code.parameter_bytes;
  std::copy_n(code.required_cluster, 3, facts->cluster);
}

int parameter(const nvmlab_kernel* kernel, std::uint32_t index, nvmlab_parameter* out) {
  if (index >= kernel->code->parameters.size()) return 1;
  *out = {kernel->code->parameters[index].offset, kernel->code->parameters[index].bytes};
  return 0;
}

int find_variable(const nvmlab_module* module, const char* name, nvmlab_variable* out) {
  for (const GlobalVariable& each : module->program.variables) {
    if (each.name != name) continue;
    *out = {each.name.c_str(), module->program.memory + each.offset, each.bytes, each.reference,
            each.managed ? 1U : 0U};
    return 0;
  }
  return kNotFound;
}

int launch_kernel(const nvmlab_launch* request, nvmlab_fault* fault) {
  if (request == nullptr || fault == nullptr || request->size != sizeof *request) return 1;
  return launch(request->kernel->module->program, *request->kernel->code, *request, fault);
}

int check_kernel_launch(const nvmlab_launch* request, nvmlab_fault* fault) {
  if (request == nullptr || fault == nullptr || request->size != sizeof *request) return 1;
  return check_launch(*request->kernel->code, *request, fault);
}

}  // namespace
}  // namespace nvmlab::kernels

extern "C" __attribute__((visibility("default"))) const nvmlab_kernels* nvmlab_kernels_table() {
  using namespace nvmlab::kernels;
  static constexpr nvmlab_kernels kTable = {sizeof(nvmlab_kernels),
                                            load,
                                            unload,
                                            start_link,
                                            add_to_link,
                                            finish_link,
                                            end_link,
                                            find_kernel,
                                            kernel_count,
                                            nth_kernel,
                                            describe,
                                            parameter,
                                            find_variable,
                                            launch_kernel,
                                            check_kernel_launch};
  return Pool::get() == nullptr ? nullptr : &kTable;
}
