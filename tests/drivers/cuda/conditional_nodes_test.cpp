// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: what a kernel sets decides which bodies run, against the loop that a program would write.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

enum Type : int { kIf, kWhile, kSwitch };
constexpr int kUpdateFailure = 910;

struct Condition {  // CUgraphNodeParams of a conditional node
  int type = 13;
  int reserved[3] = {};
  unsigned long long handle = 0;
  int kind = kIf;
  unsigned size = 1;
  void** bodies = nullptr;
  void* context = nullptr;
  unsigned char rest[200] = {};
  long long last = 0;
};
static_assert(sizeof(Condition) == 256);

struct Conditions {
  explicit Conditions(const StreamBench& of) : bench(of), cuda(of.cuda), graph(of) {
    const std::string text = ptx("conditional.ptx");
    void* module = nullptr;
    cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str());
    cuda.call<GetFunction>("cuModuleGetFunction", &count_up, module, "count_up");
    cuda.call<GetFunction>("cuModuleGetFunction", &choose, module, "choose");
  }
  int create(unsigned first, unsigned flags) {
    return cuda.call<int(unsigned long long*, void*, void*, unsigned, unsigned)>(
        "cuGraphConditionalHandleCreate", &asked.handle, graph.graph, bench.context, first, flags);
  }
  int add(void** node, int kind, unsigned size, void* before = nullptr) {
    asked.kind = kind;
    asked.size = size;
    asked.context = bench.context;
    return cuda.call<AddEvent>("cuGraphAddNode", node, graph.graph, &before, before != nullptr ? 1 : 0,
                               static_cast<void*>(&asked));
  }
  // Into a body: the value of a word of the host, by a fill.
  int fill(void* body, unsigned word, unsigned value) {
    Graph inner(bench);
    inner.graph = body;
    Fill with{bench.at(word), 0, value, 4, 1, 1};
    void* node = nullptr;
    return inner.fill(&node, with);
  }
  int count(void* into, unsigned word, unsigned limit, void* before = nullptr) {
    Pointer at = bench.at(word);
    void* parameters[] = {&at, &asked.handle, &limit};
    return kernel(into, count_up, parameters, before);
  }
  int choose_one(void* into, unsigned value, void** node) {
    void* parameters[] = {&asked.handle, &value};
    const int code = kernel(into, choose, parameters, nullptr);
    *node = last;
    return code;
  }
  int kernel(void* into, void* function, void** parameters, void* before) {
    Graph inner(bench);
    inner.graph = into;
    KernelNode node;
    node.function = function;
    node.parameters = parameters;
    return inner.kernel(&last, node, before);
  }

  const StreamBench& bench;
  const Cuda& cuda;
  Graph graph;
  Condition asked;
  void* count_up = nullptr;
  void* choose = nullptr;
  void* last = nullptr;
};

TEST(CudaConditionalNodes, LoopWhileAKernelSaysSo) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        Conditions of(bench);
        void* node = nullptr;
        CUDA_STEP(1, kSuccess, of.create(1, 1));
        CUDA_STEP(2, kSuccess, of.add(&node, kWhile, 1));
        void* body = of.asked.bodies[0];
        CUDA_STEP(3, kSuccess, of.count(body, 3, 10));
        Fill after{bench.at(4), 0, 5, 4, 1, 1};
        void* fill = nullptr;
        CUDA_STEP(4, kSuccess, of.graph.fill(&fill, after, node));
        void* made = of.graph.executable();
        CUDA_STEP(5, true, made != nullptr);
        CUDA_STEP(6, kSuccess, of.graph.run(made));
        CUDA_STEP(7, true, bench.read(3) == 10 && bench.read(4) == 5);
        CUDA_STEP(8, kSuccess, of.graph.run(made));  // from its first value again: once more
        CUDA_STEP(9, 11u, bench.read(3));
        bench.words[3] = 4;
        CUDA_STEP(10, kSuccess, of.graph.run(made));
        CUDA_STEP(11, 10u, bench.read(3));
        // It goes when its launch has ended, and the graph may go before it.
        CUDA_STEP(12, kSuccess, bench.cuda.call<int(void*)>("cuGraphDestroy", of.graph.graph));
        bench.words[3] = 0;
        CUDA_STEP(13, kSuccess, bench.cuda.call<int(void*, void*)>("cuGraphLaunch", made, nullptr));
        CUDA_STEP(14, kSuccess, bench.cuda.call<int(void*)>("cuGraphExecDestroy", made));
        CUDA_STEP(15, 10u, bench.read(3));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaConditionalNodes, ChooseAmongBodies) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        for (const int kind : {kIf, kSwitch}) {
          const unsigned size = kind == kIf ? 2 : 3;
          for (unsigned value = 0; value < 5; ++value) {
            Conditions of(bench);
            void* set = nullptr;
            void* node = nullptr;
            CUDA_STEP(1, kSuccess, of.create(7, 0));
            CUDA_STEP(2, kSuccess, of.choose_one(of.graph.graph, value, &set));
            CUDA_STEP(3, kSuccess, of.add(&node, kind, size, set));
            for (unsigned i = 0; i < size; ++i)
              CUDA_STEP(4, kSuccess, of.fill(of.asked.bodies[i], i, 9));
            for (unsigned i = 0; i < 3; ++i)
              bench.words[i] = 0;
            void* made = of.graph.executable();
            CUDA_STEP(5, kSuccess, of.graph.run(made));
            for (unsigned i = 0; i < size; ++i) {
              const bool runs = kind == kIf ? (value != 0) == (i == 0) : value == i;
              CUDA_STEP(6, runs ? 9u : 0u, bench.read(i));
            }
            CUDA_STEP(7, kSuccess, bench.cuda.call<int(void*)>("cuGraphExecDestroy", made));
            CUDA_STEP(8, kSuccess, bench.cuda.call<int(void*)>("cuGraphDestroy", of.graph.graph));
          }
        }
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaConditionalNodes, AreInOneAnother) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        Conditions outer(bench);
        void* node = nullptr;
        CUDA_STEP(1, kSuccess, outer.create(1, 1));
        CUDA_STEP(2, kSuccess, outer.add(&node, kWhile, 1));
        void* body = outer.asked.bodies[0];
        CUDA_STEP(3, kSuccess, outer.count(body, 0, 4));
        // In each round an inner node writes where the outer condition is still set.
        Condition inner = outer.asked;
        inner.kind = kIf;
        void* within = nullptr;
        CUDA_STEP(
            4, kSuccess,
            bench.cuda.call<AddEvent>("cuGraphAddNode", &within, body, &outer.last, 1, static_cast<void*>(&inner)));
        CUDA_STEP(5, kSuccess, outer.fill(inner.bodies[0], 1, 6));
        CUDA_STEP(6, kSuccess, outer.graph.run(outer.graph.executable()));
        CUDA_STEP(7, true, bench.read(0) == 4 && bench.read(1) == 6);
        void* deep = body;
        int levels = 1;
        Condition each = outer.asked;
        while (bench.cuda.call<AddEvent>("cuGraphAddNode", &within, deep, nullptr, 0, static_cast<void*>(&each)) ==
               kSuccess) {
          deep = each.bodies[0];
          ++levels;
        }
        return levels > 4 && levels < 64 ? 0 : 8;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

TEST(CudaConditionalNodes, AreRefusedWhatTheyCannotBe) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Conditions of(bench);
        void* node = nullptr;
        of.asked.handle = 64;
        CUDA_STEP(1, kInvalidValue, of.add(&node, kIf, 1));
        CUDA_STEP(2, kInvalidValue, of.create(1, 2));
        CUDA_STEP(3, kSuccess, of.create(0, 0));
        for (const auto& [kind, size] :
             {std::pair{int{kIf}, 0U}, {kIf, 3U}, {kWhile, 2U}, {kSwitch, 0U}, {3, 1U}, {kSwitch, ~0U}})
          CUDA_STEP(4, kInvalidValue, of.add(&node, kind, size));
        CUDA_STEP(5, kSuccess, of.add(&node, kIf, 2));
        Parameters seen;
        CUDA_STEP(6, kSuccess, cuda.call<Ask>("cuGraphNodeGetParams", node, static_cast<void*>(&seen)));
        CUDA_STEP(7, 0, std::memcmp(&seen, &of.asked, 48));
        void* made = nullptr;
        CUDA_STEP(8, kInvalidValue, cuda.call<int(void**, void*)>("cuGraphClone", &made, of.graph.graph));
        Graph parent(bench);
        CUDA_STEP(9, kInvalidValue,
                  cuda.call<AddEvent>("cuGraphAddChildGraphNode", &made, parent.graph, nullptr, 0, of.graph.graph));
        CUDA_STEP(10, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroy", of.asked.bodies[0]));
        // A body takes no work that needs a stream, and no memory.
        Graph body(bench);
        body.graph = of.asked.bodies[1];
        AskedMemory memory;
        CUDA_STEP(
            11, kInvalidValue,
            cuda.call<AddEvent>("cuGraphAddMemAllocNode", &made, body.graph, nullptr, 0, static_cast<void*>(&memory)));
        using Make = int(void**, void*, unsigned long long);
        CUDA_STEP(12, kSuccess, cuda.call<Make>("cuGraphInstantiateWithFlags", &made, of.graph.graph, 0ULL));
        void* second = nullptr;
        CUDA_STEP(13, kInvalidValue, cuda.call<Make>("cuGraphInstantiateWithFlags", &second, of.graph.graph, 0ULL));
        UpdateResult result;
        CUDA_STEP(14, kUpdateFailure,
                  cuda.call<int(void*, void*, void*)>("cuGraphExecUpdate_v2", made, of.graph.graph,
                                                      static_cast<void*>(&result)));
        CUDA_STEP(15, kSuccess, cuda.call<int(void*)>("cuGraphExecDestroy", made));
        void* event = nullptr;
        CUDA_STEP(16, kSuccess, body.event("cuGraphAddEventRecordNode", &event, bench.event()));
        CUDA_STEP(17, kInvalidValue, cuda.call<Make>("cuGraphInstantiateWithFlags", &made, of.graph.graph, 0ULL));
        CUDA_STEP(18, kSuccess, cuda.call<int(void*)>("cuGraphDestroyNode", node));
        CUDA_STEP(19, kInvalidValue, cuda.call<int(void*)>("cuGraphDestroyNode", event));
        CUDA_STEP(20, kSuccess, cuda.call<int(void**, void*)>("cuGraphClone", &made, of.graph.graph));
        // A handle that is none is an address where nothing lies.
        void* set = nullptr;
        Conditions wrong(bench);
        wrong.asked.handle = 0x1000;
        CUDA_STEP(21, kSuccess, wrong.choose_one(wrong.graph.graph, 1, &set));
        CUDA_STEP(22, kIllegalAddress, wrong.graph.run(wrong.graph.executable()));
        return 0;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
