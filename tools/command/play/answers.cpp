// SPDX-License-Identifier: Apache-2.0
#include "command/play/answers.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/nearest.hpp"
#include "command/library/simulated.hpp"
#include "compiler/return_codes.hpp"
#include "control/driver.hpp"
#include "recorder/ask.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::tool {
namespace {

constexpr int kPatienceMs = 1500;
constexpr const char* kHangs = "hangs";

bool is_init(std::string_view function) { return function == "nvmlInit_v2" || function == "nvmlInit"; }

bool can_be_asked(const recorder::Function& function) {
  const bool about = function.about == recorder::About::device || function.about == recorder::About::machine;
  return about && std::ranges::none_of(function.parameters, [](const recorder::Parameter& parameter) {
           return parameter.role == recorder::Role::peer;
         });
}

const recorder::Function* find_function(std::string_view name) {
  for (const recorder::Function& each : recorder::functions) {
    if (each.name == name && can_be_asked(each)) return &each;
  }
  return nullptr;
}

class OpenedLibrary : public recorder::Library {
 public:
  explicit OpenedLibrary(void* library) : library_(library) {}
  void* address(const char* name) const override { return ::dlsym(library_, name); }

 private:
  void* library_;
};

// Of all choices of arguments the first one that the library takes for good tells the answer.
class FirstAnswer : public recorder::Lines {
 public:
  void line(std::string_view text) override {
    if (stopped()) return;
    constexpr std::string_view kCode = "\"code\":";
    const std::size_t at = text.find(kCode);
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + kCode.size());
    answer_ = text.substr(0, text.find_first_of(",}"));
    std::erase(answer_, '"');
  }
  bool stopped() const override { return !answer_.empty() && !about_arguments(); }
  const std::string& answer() const { return answer_; }

 private:
  bool about_arguments() const {
    constexpr std::string_view kCodes[] = {"INVALID_ARGUMENT", "ARGUMENT_VERSION_MISMATCH", "NOT_SUPPORTED",
                                           "INSUFFICIENT_SIZE"};
    return std::ranges::find(kCodes, answer_) != std::end(kCodes);
  }
  std::string answer_;
};

std::string answer_of(const OpenedLibrary& library, const Machine& machine, const Question& question) {
  const recorder::Function& function = *find_function(question.function);
  if (!library.has(function.name)) return "FUNCTION_NOT_FOUND";
  recorder::Object about;
  if (function.about == recorder::About::device) {
    about.handle = machine.handle(question.gpu);
    about.subject.gpu = static_cast<int>(question.gpu);
  }
  FirstAnswer answer;
  recorder::Masker masker(false);
  recorder::Seen seen;
  const recorder::Objects objects;
  recorder::Walking walking{library, answer, masker, seen, objects};
  recorder::ask(walking, function, about);
  return answer.answer().empty() ? "INVALID_ARGUMENT" : answer.answer();
}

void tell(int output, const std::string& answer) {
  const std::string line = answer + "\n";
  if (::write(output, line.data(), line.size()) < 0) ::_exit(1);
}

// What a process does that is asked; each answer is told at once, as the next one may not come.
[[noreturn]] void answer_all(const std::string& file, const Machine& machine, std::span<const Question> questions,
                             int output) {
  void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) ::_exit(1);
  const OpenedLibrary library(opened);
  const int init = library.call("nvmlInit_v2");
  for (const Question& question : questions) {
    if (init != recorder::kSuccess || is_init(question.function)) {
      tell(output,
           init == recorder::kSuccess ? "SUCCESS" : compiler::return_code_name(static_cast<std::uint32_t>(init)));
    } else {
      tell(output, answer_of(library, machine, question));
    }
  }
  ::_exit(0);
}

// Lines until the end, or until none comes for too long.
std::vector<std::string> hear(int input, bool* silent) {
  std::vector<std::string> lines(1);
  for (;;) {
    pollfd waiting{.fd = input, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    char bytes[4096];
    const ssize_t got = ready > 0 ? ::read(input, bytes, sizeof bytes) : 0;
    *silent = ready == 0;
    if (got <= 0) break;
    for (const char letter : std::string_view(bytes, static_cast<std::size_t>(got)))
      letter == '\n' ? lines.emplace_back() : lines.back() += letter;
  }
  lines.pop_back();
  return lines;
}

}  // namespace

std::expected<void, std::string> check_question(const std::string& function) {
  if (is_init(function) || find_function(function) != nullptr) return {};
  std::vector<std::string> names = {"nvmlInit"};
  for (const recorder::Function& each : recorder::functions)
    if (can_be_asked(each)) names.emplace_back(each.name);
  const std::string like = did_you_mean(similar(function, names));
  return std::unexpected(
      fmt::format("{} is no function that can be asked: getters of a GPU or of the machine can, and nvmlInit{}{}",
                  in_quotes(function), like.empty() ? "" : "; ", like));
}

bool is_about_gpu(std::string_view function) {
  const recorder::Function* const found = find_function(function);
  return found != nullptr && found->about == recorder::About::device;
}

std::expected<std::string, std::string> read_answer(const std::string& word) {
  if (word == kHangs || word == "SUCCESS") return word;
  const auto code = compiler::find_return_code(word);
  if (!code) return std::unexpected(code.error());
  return compiler::return_code_name(*code);
}

std::expected<std::vector<std::string>, std::string> ask(const Machine& machine, std::span<const Question> questions) {
  const auto folder = library_folder_of_driver(control::driver_version(machine));
  if (!folder) return std::unexpected(folder.error());
  std::vector<std::string> answers;
  while (answers.size() < questions.size()) {
    int ends[2] = {};
    if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(fmt::format("a pipe: {}", std::strerror(errno)));
    const pid_t child = ::fork();
    if (child == 0) answer_all(*folder + "/libnvidia-ml.so.1", machine, questions.subspan(answers.size()), ends[1]);
    ::close(ends[1]);
    if (child < 0) {
      ::close(ends[0]);
      return std::unexpected(fmt::format("a process that asks the driver: {}", std::strerror(errno)));
    }
    bool silent = false;
    const auto heard = hear(ends[0], &silent);
    ::close(ends[0]);
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    answers.insert(answers.end(), heard.begin(), heard.end());
    if (answers.size() >= questions.size()) break;
    if (!silent) return std::unexpected(fmt::format("{}/libnvidia-ml.so.1 cannot be asked", *folder));
    answers.emplace_back(kHangs);
  }
  return answers;
}

}  // namespace nvmlab::tool
