// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/drivers/functions/support/driver.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kNobody = 65534;

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = ::read(fd, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  return text;
}

// Root of a namespace that holds nobody else; who we were outside is what the kernel goes on checking.
bool become_root() {
  if (::geteuid() == 0) return true;
  const auto user = ::geteuid();
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1\n";
  return ::geteuid() == 0;
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(test::kDeadline.count());
    const bool failed_before = testing::Test::HasFailure();
    const std::string said = work();
    for (std::size_t sent = 0; sent < said.size();) {
      const ssize_t size = ::write(ends[1], said.data() + sent, said.size() - sent);
      if (size <= 0) break;
      sent += static_cast<std::size_t>(size);
    }
    ::_exit(testing::Test::HasFailure() && !failed_before ? 3 : 0);  // no destructors: they are the parent's
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return "no child";
  }
  const std::string said = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    return said + "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
  }
  return WEXITSTATUS(status) == 0 ? said : said + "exit " + std::to_string(WEXITSTATUS(status));
}

std::optional<std::string> as_root(const std::function<std::string()>& work) {
  const std::string refused = "\1 no rights";
  const std::string said = in_child([&] { return become_root() ? work() : refused; });
  if (said == refused) return std::nullopt;
  return said;
}

std::string as_nobody(const std::function<std::string()>& work) {
  Driver::get();  // is opened before the user changes, who need not be able to read it
  return in_child([&]() -> std::string {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return "setuid failed";
    return work();
  });
}

}  // namespace nvmlab::driver_test
