// SPDX-License-Identifier: Apache-2.0
//
// A shared machine under everything at once, for as many seconds as NVMLAB_SOAK_SECONDS says (`make soak`: 200; else
// 5): writers that are killed, stopped and forked, readers, and machines that come up and go down beside it. Nothing
// hangs, no reader sees what nobody wrote, the lock is free in the end, and nothing is left.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::test {
namespace {

// Each loop says once what it did; `bad` begins a line about what must not be.
constexpr const char* kScript = R"sh(
end=$((SECONDS + $1))
on() { machine=$1; shift; "$nvmlab" run --machine $machine --role root -- "$@"; }
started() { exec "$nvmlab" run --machine soak --role root -- "$probe" 0 $1 1000000 > "$NVMLAB_RUNTIME_DIR.null" 2>&1; }

work() { local n; for ((n = RANDOM * 4; n > 0; n--)); do :; done; }

killed() {
  local n=0
  while ((SECONDS < end)); do
    started $1 & local writer=$!
    work
    kill -KILL $writer && ((++n)); wait $writer 2> /dev/null
  done
  echo "killed $n"
}
stopped() {
  local n=0
  while ((SECONDS < end)); do
    started $1 & local writer=$!
    work; kill -STOP $writer; work; kill -CONT $writer; work
    kill -KILL $writer && ((++n)); wait $writer 2> /dev/null
  done
  echo "stopped $n"
}
forked() {
  local n=0
  while ((SECONDS < end)); do
    on soak sh -c '"$probe" 0 60000 50 & "$probe" 0 65000 50 & wait' > /dev/null 2>&1; ((++n))
  done
  echo "forked $n"
}
read() {
  local n=0 said
  while ((SECONDS < end)); do
    said=$(on soak "$probe" 0 2>&1)
    case $said in *limit=60000 | *limit=65000 | *limit=70000) ((++n)) ;; *) echo "bad reading: $said" ;; esac
  done
  echo "read $n"
}
up_and_down() {
  local n=0
  while ((SECONDS < end)); do
    "$nvmlab" up other --profile t4 || echo "bad up"
    on other "$probe" 0 > /dev/null || echo "bad run"
    "$nvmlab" down other && ((++n)) || echo "bad down"
  done
  echo "up and down $n"
}
killed 60000 & killed 65000 & stopped 70000 & forked & read & up_and_down & wait
rm -f "$NVMLAB_RUNTIME_DIR.null"
)sh";

int seconds() {
  const char* const asked = std::getenv("NVMLAB_SOAK_SECONDS");
  return asked == nullptr ? 5 : std::max(1, std::atoi(asked));
}

class Soak : public Cli {
 protected:
  Outcome soak() const {
    Command command;
    command.arguments = {"bash", "-c", kScript, "soak", std::to_string(seconds())};
    command.environment = {{"NVMLAB_RUNTIME_DIR", file("machines")}, {"nvmlab", program()}, {"probe", probe()}};
    command.time_limit = std::chrono::seconds{seconds()} + kDeadline;
    return run(command);
  }
};

TEST_F(Soak, KillsStopsForksUpsAndDowns) {
  good({"up", "soak", "--profile", "t4"});
  good({"set", "--machine", "soak", "power.limit_mw=60000"});
  const Outcome outcome = soak();
  std::cout << outcome.out;
  EXPECT_FALSE(outcome.timed_out) << outcome.story();
  EXPECT_THAT(outcome.out, Not(HasSubstr("bad")));
  for (const char* loop : {"killed ", "stopped ", "forked ", "read ", "up and down "}) {
    EXPECT_THAT(outcome.out, HasSubstr(loop));
    EXPECT_THAT(outcome.out, Not(HasSubstr(std::string(loop) + "0\n")));
  }
  good({"set", "--machine", "soak", "power.limit_mw=65000"});
  EXPECT_EQ(good({"get", "--machine", "soak", "--gpu", "0", "power.limit_mw"}), "65000\n");
  EXPECT_THAT(good({"ls"}), Not(HasSubstr("other")));
  good({"down", "soak"});
  EXPECT_TRUE(std::filesystem::is_empty(file("machines"))) << "what dead ones left goes with the last";
}

}  // namespace
}  // namespace nvmlab::test
