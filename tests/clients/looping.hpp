// SPDX-License-Identifier: Apache-2.0
// A real program that goes on and on while something happens to its machine.
#pragma once

#include <fmt/format.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {

class Looping {
 protected:
  // The client loops with `arguments` until the script of others is through and interrupts it. `seen TEXT` waits until
  // it has printed that, `more` until it has gone round twice more.
  Outcome loop(const Client& client, std::string_view arguments, const std::string& script) const {
    Command command;
    command.arguments = {
        "bash", "-c",
        fmt::format(R"(
. {}/tests/support/waiting.sh
out={}
{} run --machine {} -- {} {} > $out 2>&1 & looping=$!
or_ended() {{ "$@" || ! kill -0 $looping 2> /dev/null; }}
until_true() {{ eventually or_ended "$@"; }}
seen() {{ until_true grep -qF -- "$1" $out; }}
lines() {{ wc -l < $out; }}
more() {{ local wanted=$(($(lines) + $1)); until_true eval '[ $(lines) -ge '$wanted' ]'; }}
naps() {{ cat /proc/$looping/task/*/status | awk '/^voluntary/ {{ all += $2 }} END {{ print all }}'; }}
goes_on() {{ local wanted=$(($(naps) + 20)); until_true eval '[ $(naps) -ge '$wanted' ]'; }}
smi() {{ {} run --machine {} --role root -- {} "$@" > /dev/null; }}
nvmlab() {{ {} "$@" > /dev/null; }}
{}
kill -INT $looping 2> /dev/null
wait $looping; code=$?
cat $out
exit $code)",
                    source_folder().string(), (folder_.path() / "out").string(), nvmlab_program().string(),
                    machine_.name(), client.program.string(), arguments, nvmlab_program().string(), machine_.name(),
                    client.program.string(), nvmlab_program().string(), script)};
    command.environment = node_environment(Node{});
    return run(command);
  }

  UpAndDown machine_{"dgx-h100"};
  TempFolder folder_;
};

}  // namespace nvmlab::test
