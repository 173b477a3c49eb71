// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/launch.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

#include "kernels/run/cluster.hpp"
#include "kernels/run/launched.hpp"
#include "kernels/run/pool.hpp"
#include "kernels/run/record.hpp"
#include "kernels/run/settings.hpp"

namespace nvmlab::kernels {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotSupported = 801;
constexpr int kInvalidClusterSize = 912;

// Instructions of a block until another one has a turn as well: kernels wait for other blocks of their grid.
constexpr std::uint64_t kTurn = std::uint64_t{1} << 24;
constexpr std::uint64_t kTurnInStep = std::uint64_t{1} << 14;  // where they always do
constexpr std::size_t kMostResident = 1024;
constexpr int kDeepestLaunch = 24;  // of kernels by kernels, as CUDA allows

std::uint64_t padded(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Of a thread's part, in which the frames of whatever it calls lie too.
std::uint64_t alignment_of_local(const Program& program, const FunctionCode& kernel) {
  std::uint32_t most = kernel.local_align;
  for (const FunctionCode& each : program.functions) {
    if (kernel.calls) most = std::max(most, each.local_align);
  }
  return most;
}

std::uint32_t cluster_blocks(const std::uint32_t* cluster) { return cluster[0] * cluster[1] * cluster[2]; }

bool start_next(Launch& launch, Cluster& cluster) {
  const std::uint64_t number = launch.next.fetch_add(1, std::memory_order_relaxed);
  if (number >= launch.clusters || launch.stop.load(std::memory_order_relaxed)) return false;
  start_cluster(cluster, launch, number);
  return true;
}

void work(Launch& launch) {
  const bool in_step = launch.meeting != nullptr;  // none ends before all have begun
  const std::uint64_t turn = in_step || cluster_blocks(launch.cluster) > 1 ? kTurnInStep : kTurn;
  std::deque<std::unique_ptr<Cluster>> resident;
  std::unique_ptr<Cluster> spare = std::make_unique<Cluster>();
  for (;;) {
    if (resident.empty()) {
      if (!start_next(launch, *spare)) return;
      resident.push_back(std::move(spare));
    }
    std::unique_ptr<Cluster> cluster = std::move(resident.front());
    resident.pop_front();
    if (run_cluster(*cluster, turn)) {
      spare = std::move(cluster);
      continue;
    }
    resident.push_back(std::move(cluster));
    if (resident.size() >= kMostResident && !in_step) continue;
    auto more = std::make_unique<Cluster>();
    if (start_next(launch, *more)) resident.push_back(std::move(more));
  }
}

int refuse(nvmlab_fault* fault, int code, const std::string& text) {
  fault->code = code;
  fault->message[text.copy(fault->message, sizeof fault->message - 1)] = '\0';
  return code;
}

// As it was asked for, else as the kernel is declared; 0 where it is neither.
void choose_cluster(const FunctionCode& kernel, const nvmlab_launch& request, std::uint32_t* out) {
  for (int i = 0; i < 3; ++i)
    out[i] = request.cluster[0] != 0 ? request.cluster[i] : kernel.required_cluster[i];
}

int check_cluster(const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault) {
  std::uint32_t asked[3];
  choose_cluster(kernel, request, asked);
  if (asked[0] == 0) return 0;
  std::uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    blocks = std::min<std::uint64_t>(blocks * asked[i], kMostClusterBlocks + 1);
    if (kernel.required_cluster[0] != 0 && kernel.required_cluster[i] != asked[i])
      return refuse(fault, kInvalidClusterSize,
                    kernel.name + " is declared with .reqnctapercluster, and this is another shape of cluster");
    if (request.grid[i] % std::max(asked[i], 1U) != 0)
      return refuse(fault, kInvalidClusterSize, kernel.name + ": the grid is not a multiple of its clusters");
  }
  const std::uint32_t declared = kernel.max_cluster_rank != 0 ? kernel.max_cluster_rank : kMostClusterBlocks;
  const std::uint32_t most = std::min(declared, kMostClusterBlocks);
  if (blocks == 0 || blocks > most)
    return refuse(fault, kInvalidClusterSize,
                  kernel.name + " may have " + std::to_string(most) + " blocks in a cluster");
  return 0;
}

}  // namespace

int check_launch(const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault) {
  *fault = {};
  if (!kernel.refused.empty()) return refuse(fault, kNotSupported, kernel.name + ": " + kernel.refused);
  if (Pool::get() == nullptr) return refuse(fault, kOutOfMemory, "no thread can be started");
  if (std::uint64_t{request.block[0]} * request.block[1] * request.block[2] > kernel.max_threads)
    return refuse(fault, kInvalidValue,
                  kernel.name + " may have " + std::to_string(kernel.max_threads) + " threads in a block");
  for (int i = 0; i < 3; ++i) {
    if (kernel.required_threads[i] != 0 && kernel.required_threads[i] != request.block[i])
      return refuse(fault, kInvalidValue,
                    kernel.name + " is declared with .reqntid, and this is another shape of block");
  }
  return check_cluster(kernel, request, fault);
}

namespace {

int run_grid(const Program& program, const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault) {
  if (const int code = check_launch(kernel, request, fault); code != 0) return code;
  Pool* const pool = Pool::get();
  Launch made;
  made.program = &program;
  made.kernel = &kernel;
  made.request = &request;
  made.threads = request.block[0] * request.block[1] * request.block[2];
  choose_cluster(kernel, request, made.cluster);
  made.clusters = 1;
  for (int i = 0; i < 3; ++i) {
    made.cluster[i] = std::max(made.cluster[i], 1U);
    made.clusters *= request.grid[i] / made.cluster[i];
  }
  made.shared_bytes = std::max<std::uint64_t>(kernel.shared_bytes,
                                              kernel.dynamic_shared_at + std::uint64_t{request.dynamic_shared_bytes});
  constexpr std::uint64_t kLeastStack = 32 << 10;
  constexpr std::uint64_t kMostStack = 512 << 10;  // as much local memory as a thread may have
  const std::uint64_t stack = std::clamp(request.stack_bytes, kLeastStack, kMostStack);
  const std::uint64_t align = alignment_of_local(program, kernel);
  made.local_stride = padded(kernel.local_bytes, align) + (kernel.calls ? padded(stack, align) : 0);
  if (const std::uint64_t most = settings().timeout_ns; most != 0) made.deadline_ns = steady_ns() + most;
  std::vector<char> parameters(kernel.parameter_bytes + 16);
  const auto* const from = static_cast<const char*>(request.parameters);
  if (kernel.parameter_bytes != 0) std::copy(from, from + kernel.parameter_bytes, parameters.data());
  made.parameters = parameters.data();
  std::vector<char> meeting(request.cooperative != 0 ? kMeetingBytes + 16 : 0);
  if (!meeting.empty()) made.meeting = meeting.data() + (16 - reinterpret_cast<std::uintptr_t>(meeting.data()) % 16);
  std::atomic<bool> exhausted{false};
  const auto workers = static_cast<std::uint32_t>(std::min<std::uint64_t>(made.clusters, pool->size()));
  const std::uint64_t begin = steady_ns();
  if (!settings().skip) {
    pool->run(workers, [&] {
      try {
        work(made);
      } catch (const std::bad_alloc&) {
        made.stop.store(true);
        exhausted.store(true);
      }
    });
  }
  *fault = made.fault;
  fault->instructions = made.executed.load();
  record_launch(kernel, request, *fault, steady_ns() - begin);
  if (fault->code == 0 && exhausted.load())
    return refuse(fault, kOutOfMemory, kernel.name + ": the host has no memory for its registers");
  return 0;
}

// What a grid has launched, then what that has, and so on.
int run_launched(const Program& program, const nvmlab_launch& from, nvmlab_fault* fault) {
  for (int depth = 0; fault->code == 0; ++depth) {
    std::string wrong;
    const std::vector<Launched> all = take_launched(program, &wrong);
    if (all.empty() && wrong.empty()) break;
    if (wrong.empty() && depth == kDeepestLaunch)
      wrong = all[0].kernel->name + " was launched by kernels that launch each other more than 24 deep";
    if (!wrong.empty()) return refuse(fault, kInvalidValue, wrong);
    for (const Launched& each : all) {
      nvmlab_launch request = from;
      std::copy_n(each.grid, 3, request.grid);
      std::copy_n(each.block, 3, request.block);
      request.dynamic_shared_bytes = each.dynamic_shared_bytes;
      request.cooperative = 0;
      std::fill_n(request.cluster, 3, 0U);
      request.parameters = each.parameters.data();
      const std::uint64_t before = fault->instructions;
      const int code = run_grid(program, *each.kernel, request, fault);
      fault->instructions += before;
      if (code != 0 || fault->code != 0) return code;
    }
  }
  return 0;
}

}  // namespace

int launch(const Program& program, const FunctionCode& kernel, const nvmlab_launch& request, nvmlab_fault* fault) {
  if (!can_launch(program)) return run_grid(program, kernel, request, fault);
  static std::mutex one_at_a_time;  // so that each grid is told apart what it has launched
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  const int code = run_grid(program, kernel, request, fault);
  return code != 0 || fault->code != 0 ? code : run_launched(program, request, fault);
}

}  // namespace nvmlab::kernels
