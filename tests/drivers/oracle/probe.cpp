// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/oracle/probe.hpp"

#include <dlfcn.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/drivers/oracle/situations.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::oracle {
namespace {

namespace fs = std::filesystem;
using driver_test::Api;
using driver_test::Arguments;

constexpr unsigned kNobody = 65534;
constexpr const char* kErrorString = "nvmlErrorString";

// What a child has found out so far, in memory that it shares with its parent.
struct Result {
  int code;
  std::array<char, 128> touched;
};
struct Board {
  std::uint32_t next;  // the call that the child is in
  bool ready;          // it got as far as the first call
  std::array<Result, 8192> results;
};

class SharedBoard {
 public:
  SharedBoard() : board_(::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board& operator*() const { return *static_cast<Board*>(board_); }
  Board* operator->() const { return static_cast<Board*>(board_); }
  bool there() const { return board_ != MAP_FAILED; }

 private:
  void* board_;
};

struct Call {
  const FunctionFacts* function;
  std::string kind;
};

int call_words(void* address, const Words& w) {
  using Function = int (*)(Word, Word, Word, Word, Word, Word, Word, Word);
  return reinterpret_cast<Function>(address)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}

// Nobody, and nothing that is executed from here on is anybody else.
bool drop_privileges() {
  if (::geteuid() == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return false;
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// The text that the call left, with its NUL.
std::size_t length_of_text(const FunctionFacts& function, Arguments& arguments) {
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i].role != driver_test::Role::text) continue;
    const auto* text = reinterpret_cast<const char*>(arguments.memory(i).data());
    return ::strnlen(text, arguments.memory(i).size()) + 1;
  }
  return 0;
}

std::string touched(const FunctionFacts& function, const std::string& kind, Arguments& arguments) {
  if (kind == "zeros" || kind == "ones") return "-";
  std::string all;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const auto& page = arguments.memory(i);
    const auto [from, to] = page.changed_range();
    if (from == to) continue;
    all += fmt::format("{}{}[{}-{}]", all.empty() ? "" : " ", function.parameters[i].name, from, to - 1);
  }
  return all.empty() ? "-" : all;
}

// In the child: the steps of the lifecycle, then every call from `board->next` on.
void make_calls(void* library, const Lifecycle& lifecycle, const std::vector<Call>& calls, Board& board) {
  for (const Step& step : lifecycle.steps) {
    if (void* address = ::dlsym(library, step.function)) call_words(address, {step.argument});
  }
  board.ready = true;
  std::size_t length = driver_test::kTextSize;
  const FunctionFacts* before = nullptr;
  std::unique_ptr<Arguments> arguments;
  Words good{};
  for (; board.next < calls.size(); ++board.next) {
    const auto& [function, kind] = calls[board.next];
    if (function != before) {
      arguments = std::make_unique<Arguments>(*function, 0x1234);
      good = arguments->words;
      length = driver_test::kTextSize;
    }
    before = function;
    prepare(*function, kind, length, good, *arguments);
    Result& result = board.results.at(board.next);
    result.code = call_words(::dlsym(library, function->name.c_str()), arguments->words);
    if (kind == "good" && result.code == 0) length = std::max<std::size_t>(1, length_of_text(*function, *arguments));
    const std::string where = touched(*function, kind, *arguments);
    std::strncpy(result.touched.data(), where.c_str(), result.touched.size() - 1);
  }
}

// Runs `work` in a child without privileges; false where there is none to be had.
bool in_child(const std::function<void()>& work, int* status) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(test::kDeadline.count());
    if (!drop_privileges()) ::_exit(2);
    work();
    ::_exit(0);
  }
  return child > 0 && ::waitpid(child, status, 0) == child;
}

class Probe {
 public:
  explicit Probe(void* library) : library_(library) {}

  // All calls in that state; an error is a sentence.
  std::string ask(const Lifecycle& lifecycle, const std::vector<Call>& calls) {
    if (!board_.there() || calls.size() > board_->results.size()) return "no memory for the answers";
    board_->next = 0;
    while (board_->next < calls.size()) {
      board_->ready = false;
      int status = 0;
      if (!in_child([&] { make_calls(library_, lifecycle, calls, *board_); }, &status)) return "no child process";
      const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      if (!board_->ready) return fmt::format("{}: the library cannot be brought there", lifecycle.name);
      for (; asked_ < board_->next; ++asked_)
        note(lifecycle, calls[asked_], std::to_string(board_->results.at(asked_).code), asked_);
      if (well) break;
      note(lifecycle, calls[asked_++], "crash", calls.size());
      ++board_->next;
    }
    asked_ = 0;
    return "";
  }

  std::string error_strings() {
    void* address = ::dlsym(library_, kErrorString);
    if (address == nullptr) return "no nvmlErrorString";
    board_->next = 0;
    const auto codes = asked_error_codes();
    int status = 0;
    const auto work = [&] {
      for (const int code : codes) {
        const auto* text = reinterpret_cast<const char* (*)(int)>(address)(code);
        std::strncpy(board_->results.at(board_->next++).touched.data(), text == nullptr ? "null" : text,
                     sizeof(Result::touched) - 1);
      }
    };
    for (Result& each : board_->results)
      each.touched = {};
    if (!in_child(work, &status) || status != 0) return "nvmlErrorString ends the process";
    for (std::size_t i = 0; i < codes.size(); ++i)
      found.error_strings[codes[i]] = board_->results.at(i).touched.data();
    return "";
  }

  Observations found;

 private:
  void note(const Lifecycle& lifecycle, const Call& call, const std::string& code, std::size_t at) {
    const bool wrote = at < board_->results.size() && code != "crash";
    found.calls[call.function->name][{lifecycle.name, call.kind}] = {
        code, wrote ? board_->results.at(at).touched.data() : "-"};
  }

  void* library_;
  SharedBoard board_;
  std::size_t asked_ = 0;
};

std::vector<std::string> device_nodes() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator("/dev", ignored)) {
    if (each.path().filename().string().starts_with("nvidia")) found.push_back(each.path());
  }
  std::ranges::sort(found);
  return found;
}

// Exports that begin with nvml, in the order of the facts; what the facts do not know goes into `unknown`.
std::vector<const FunctionFacts*> functions_of(const elf::Library& file, std::vector<std::string>* unknown) {
  std::vector<const FunctionFacts*> known;
  for (const auto& symbol : file.exports) {
    if (symbol.name == kErrorString) continue;
    if (const auto* function = Api::get().find(symbol.name)) {
      known.push_back(function);
    } else if (!symbol.name.starts_with("_")) {
      unknown->push_back(symbol.name);
    }
  }
  std::ranges::sort(known, {}, &FunctionFacts::name);
  std::ranges::sort(*unknown);
  return known;
}

}  // namespace

std::vector<int> asked_error_codes() {
  std::vector<int> codes;
  for (int code = -1; code <= 40; ++code)
    codes.push_back(code);
  codes.insert(codes.end(), {998, 999, 1000});
  return codes;
}

std::string why_not_here() {
  if (fs::exists("/proc/driver/nvidia/version")) return "this machine has an NVIDIA driver";
  return "";
}

std::expected<Observations, std::string> observe(const fs::path& library) {
  const auto file = elf::read_library(library);
  if (!file) return std::unexpected(file.error());
  const auto nodes = device_nodes();
  void* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return std::unexpected(std::string{::dlerror()});
  Probe probe(opened);
  std::string trouble = probe.error_strings();
  const auto functions = functions_of(*file, &probe.found.not_called);
  for (const Lifecycle& lifecycle : lifecycles()) {
    std::vector<Call> calls;
    for (const auto* function : functions) {
      std::vector<Call> alone;
      for (auto& kind : argument_kinds(*function))
        (changes_lifecycle(function->name) ? alone : calls).push_back({function, kind});
      if (!alone.empty() && trouble.empty()) trouble = probe.ask(lifecycle, alone);
    }
    if (trouble.empty()) trouble = probe.ask(lifecycle, calls);
  }
  ::dlclose(opened);
  if (trouble.empty() && device_nodes() != nodes) trouble = "/dev/nvidia* appeared";
  if (!trouble.empty()) return std::unexpected(library.string() + ": " + trouble);
  return std::move(probe.found);
}

}  // namespace nvmlab::oracle
