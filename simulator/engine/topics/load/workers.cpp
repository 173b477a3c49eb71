// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/workers.hpp"

#include "engine/topics/load/set_moving.hpp"
#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kWhole = 10'000;  // of a GPU

// What a process can have of a GPU, in 10,000ths.
struct Reach {
  std::uint32_t sms = kWhole;
  std::uint32_t memory = kWhole;
  std::uint32_t instance = kNoInstance;  // of the process; with the next, whom it takes turns with
  std::uint32_t compute_instance = kNoInstance;
  bool partitioned() const { return instance != kNoInstance; }
};

Reach reach_of(const GpuEdit& gpu, const Processes::Process& process) {
  Reach reach;
  const std::uint32_t instance = process.gpu_instance.value_or(kNoInstance);
  if (instance == kNoInstance) return reach;
  const MigLayout layout = read_layout(gpu.view(&Gpu::instances));
  const MigBoard board = read_board(gpu.view(&Gpu::mig));
  const MigLayout::GpuInstance* const in = layout.find(instance);
  const MigProfile* const profile = in == nullptr ? nullptr : board.find(in->profile_id);
  if (profile == nullptr || board.memory_slices == 0) return reach;
  std::uint32_t all_sms = 0;
  for (const MigProfile& each : board)
    all_sms = each.multiprocessors > all_sms ? each.multiprocessors : all_sms;
  std::uint32_t sms = profile->multiprocessors;
  const std::uint32_t part = process.compute_instance.value_or(kNoInstance);
  const MigLayout::ComputeInstance* const within = layout.find(instance, part);
  ComputeProfile compute{};
  if (within != nullptr && find_compute_profile(board, *profile, within->profile, &compute))
    sms = compute.multiprocessors;
  reach.instance = instance;
  reach.compute_instance = part;
  if (all_sms > 0) reach.sms = sms * kWhole / all_sms;
  reach.memory = profile->memory_slices * kWhole / board.memory_slices;
  return reach;
}

// Of one engine: what each process has of the GPU, in 10,000ths, and of its instance in 100ths.
struct Use {
  std::uint32_t of_gpu[kMaxWorkers];
  std::uint32_t of_instance[kMaxWorkers];
  std::uint32_t all;  // of the GPU
};

struct Reaches {
  Reach of[kMaxWorkers];
};
Reaches reaches_of(const GpuEdit& gpu, const LoadSegment& segment) {
  Reaches reaches;
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    const std::uint32_t place = place_of_process(gpu, segment.workers[i].pid);
    if (place != kNoProcess) reaches.of[i] = reach_of(gpu, gpu.view(&Gpu::processes).running.items[place]);
  }
  return reaches;
}

// Memory is the whole GPU instance's; of the SMs a compute instance has its own. Other engines are shared by all.
bool take_turns(const Reach& a, const Reach& b, std::uint32_t engine) {
  if (engine > 1) return true;
  if (a.instance != b.instance) return false;
  return engine == 1 || a.compute_instance == b.compute_instance;
}

Use use_of(const LoadSegment& segment, const Reaches& reaches, std::uint32_t engine) {
  Use use{};
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    std::uint32_t wanted = 0;
    for (std::uint32_t other = 0; other < segment.worker_count; ++other) {
      if (take_turns(reaches.of[i], reaches.of[other], engine)) wanted += segment.workers[other].percent[engine];
    }
    const std::uint32_t own = segment.workers[i].percent[engine];
    const std::uint32_t share = wanted > 100 ? own * 10'000 / wanted : own * 100;
    const std::uint32_t reach = engine == 0 ? reaches.of[i].sms : engine == 1 ? reaches.of[i].memory : kWhole;
    use.of_instance[i] = share;
    use.of_gpu[i] = share * reach / kWhole;
    use.all += use.of_gpu[i];
  }
  return use;
}

void set_shares(GpuEdit& gpu, std::uint32_t pid, std::uint32_t percent) {
  const std::uint32_t place = place_of_process(gpu, pid);
  if (place == kNoProcess) return;
  visit_moving(gpu.edit(&Gpu::processes).running.items[place],
               [percent](Fact<std::uint32_t>& share, Moving) { share.set(percent); });
}

}  // namespace

std::uint32_t place_of_process(const GpuEdit& gpu, std::uint32_t pid) {
  const auto& running = gpu.view(&Gpu::processes).running;
  for (std::uint32_t i = 0; i < running.size(); ++i) {
    if (running.items[i].pid.has_value() && running.items[i].pid.value == pid) return i;
  }
  return kNoProcess;
}

Code set_worker(LoadSegment& segment, std::uint32_t pid, LoadKind kind, const std::uint32_t (&percent)[kBusyEngines]) {
  std::uint32_t at = 0;
  while (at < segment.worker_count && segment.workers[at].pid != pid)
    ++at;
  if (kind == LoadKind::idle) {
    if (at == segment.worker_count) return kSuccess;
    for (--segment.worker_count; at < segment.worker_count; ++at)
      segment.workers[at] = segment.workers[at + 1];
    return kSuccess;
  }
  if (at == kMaxWorkers) return kInsufficientResources;
  if (at == segment.worker_count) ++segment.worker_count;
  Worker& worker = segment.workers[at];
  worker = {};
  worker.pid = pid;
  worker.kind = static_cast<std::uint8_t>(kind);
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    worker.percent[engine] = static_cast<std::uint8_t>(percent[engine]);
  return kSuccess;
}

bool works(const LoadSegment& segment, std::uint32_t pid) {
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    if (segment.workers[i].pid == pid) return true;
  }
  return false;
}

bool drop_ended(const GpuEdit& gpu, LoadSegment& segment) {
  if (segment.worker_count == 0) return true;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    if (place_of_process(gpu, segment.workers[i].pid) != kNoProcess) segment.workers[left++] = segment.workers[i];
  }
  segment.worker_count = left;
  return left > 0;
}

void add_up(const GpuEdit& gpu, LoadSegment& segment) {
  if (segment.worker_count == 0) return;
  const Reaches reaches = reaches_of(gpu, segment);
  std::uint32_t* const shares[] = {&segment.sm_percent, &segment.memory_percent, &segment.encoder_percent,
                                   &segment.decoder_percent};
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine) {
    const std::uint32_t all = (use_of(segment, reaches, engine).all + 50) / 100;
    *shares[engine] = all < 100 ? all : 100;
  }
}

// How hard the SMs work is the mean of those that do; traffic adds up as far as they have their turns.
Demand demand_of(const LoadSegment& segment) {
  if (segment.worker_count == 0) return kDemands[static_cast<std::uint32_t>(segment.kind)];
  Demand sum{};
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < segment.worker_count; ++i)
    wanted += segment.workers[i].percent[0];
  const std::uint32_t turns = wanted > 100 ? wanted : 100;
  std::uint32_t intensity = 0;
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    const Worker& worker = segment.workers[i];
    const Demand& own = kDemands[worker.kind <= static_cast<std::uint8_t>(LoadKind::encode) ? worker.kind : 0];
    intensity += own.intensity_permille * worker.percent[0];
    sum.tx_permille += own.tx_permille * 100 / turns;
    sum.rx_permille += own.rx_permille * 100 / turns;
    sum.link_permille += own.link_permille * worker.percent[0];
    if (wanted == 0) sum.intensity_permille = own.intensity_permille;
  }
  if (wanted == 0) return sum;
  sum.intensity_permille = intensity / wanted;
  sum.link_permille /= wanted;
  return sum;
}

void stop_shares(GpuEdit& gpu, const LoadSegment& segment) {
  for (std::uint32_t i = 0; i < segment.worker_count; ++i)
    set_shares(gpu, segment.workers[i].pid, 0);
}

void move_shares(GpuEdit& gpu, const LoadSegment& segment) {
  const Reaches reaches = reaches_of(gpu, segment);
  Use uses[kBusyEngines];
  for (std::uint32_t engine = 0; engine < kBusyEngines; ++engine)
    uses[engine] = use_of(segment, reaches, engine);
  std::uint32_t before[kBusyEngines] = {};
  for (std::uint32_t i = 0; i < segment.worker_count; ++i) {
    const std::uint32_t place = place_of_process(gpu, segment.workers[i].pid);
    if (place == kNoProcess) continue;
    set_shares(gpu, segment.workers[i].pid, 0);  // it has them, whoever brought it up
    visit_moving(gpu.edit(&Gpu::processes).running.items[place], [&](Fact<std::uint32_t>& share, Moving which) {
      const auto engine = static_cast<std::uint32_t>(which);
      const Use& use = uses[engine];
      std::uint32_t part = part_between(1, 1);  // nothing
      if (use.of_gpu[i] == 0) return SetMoving{gpu}(share, which, part);
      if (reaches.of[i].partitioned()) {
        part = part_of_instance(static_cast<std::uint32_t>(std::uint64_t{use.of_instance[i]} * kWholePart / use.all));
      } else {
        const std::uint32_t from = before[engine] * kWholePart / use.all;
        before[engine] += use.of_gpu[i];
        part = part_between(from, before[engine] * kWholePart / use.all);
      }
      SetMoving{gpu}(share, which, part);
    });
  }
}

}  // namespace nvmlab
