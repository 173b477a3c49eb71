// SPDX-License-Identifier: Apache-2.0
#include "tool/commands.hpp"

#include <algorithm>

#include "tool/commands/run_functions.hpp"

namespace nvmlab::tool {
namespace {

constexpr Option kProfile{"--profile", "-p", "PROFILE",
                          "A shipped profile (`nvmlab profiles`), a .yaml file or a compiled .machine file",
                          Complete::profile};
constexpr Option kGpus{"--gpus", "-n", "N", "Simulate N GPUs, 0 to 4096: the profile's, again and again in order"};
constexpr Option kDriver{"--driver", "-d", "VERSION",
                         "Simulate this driver, with its version and its functions alone: a branch such as 535, or a "
                         "version such as 550.163.01",
                         Complete::driver};
constexpr Option kMachine{"--machine", "-m", "NAME", "The machine; without it $NVMLAB_MACHINE, else 'default'",
                          Complete::machine};
constexpr Option kJson{"--json", "", "", "Print JSON"};
constexpr Option kAll{"--all", "-a", "", "Also list fields that the GPUs do not support"};

// run
constexpr Argument kRunArguments[] = {{"COMMAND", "The program and its arguments", Complete::command, true, true}};
constexpr Option kRunOptions[] = {
    kProfile,
    kGpus,
    kDriver,
    {"--machine", "-m", "NAME", "Run on this machine, which `nvmlab up` brought up, and share its state",
     Complete::machine},
    {"--no-driver", "", "", "Simulate a machine without a driver: nvmlInit answers DRIVER_NOT_LOADED, each time anew"},
    {"--init-error", "", "CODE",
     "Let nvmlInit fail with this code, such as LIB_RM_VERSION_MISMATCH or 18; --no-driver is DRIVER_NOT_LOADED"},
    {"--role", "", "ROLE",
     "Whom the program stands for where NVML asks for root: root or user; without it, who runs it", Complete::role},
    {"--log", "-l", "LEVEL",
     "What the simulated driver says on standard error: off, error, info or trace; trace:FILE writes to a file",
     Complete::log_level},
};
constexpr Example kRunExamples[] = {
    {"nvmlab run --profile dgx-h100 -- nvidia-smi", "the table of eight simulated H100s"},
    {"nvmlab run --gpus 64 --driver 550 -- nvidia-smi -L", "sixty-four A100s under a driver of the 550 branch"},
    {"nvmlab run --machine ci -- nvidia-smi -pl 300 -i 0",
     "on a machine that is up; the next program sees the new limit"},
    {"nvmlab run --role user -- nvidia-smi -pl 300", "refused for want of rights, also when root runs it"},
    {"nvmlab run --no-driver -- nvidia-smi", "what it says where the driver is not loaded; exit code 9"},
};

// up, down, ls
constexpr Argument kUpArguments[] = {{"NAME", "Its name from now on; 'default' without one"}};
constexpr Option kUpOptions[] = {kProfile, kGpus, kDriver};
constexpr Example kUpExamples[] = {
    {"nvmlab up --profile dgx-h100", "a machine 'default' for get, set and `run --machine default`"},
    {"nvmlab up ci --profile ./my-node.yaml --gpus 2", "two GPUs of a profile of one's own, under the name 'ci'"},
};
constexpr Argument kDownArguments[] = {{"NAME", "The machine; 'default' without one", Complete::machine}};
constexpr Example kDownExamples[] = {{"nvmlab down ci", "programs that still run on it find the driver gone"}};
constexpr Option kLsOptions[] = {kJson};

// get, set
constexpr Argument kGetArguments[] = {
    {"PATH", "A field (power.limit_mw), an item (nvlink.links[3].active) or a topic (power); everything without one",
     Complete::field, false, true}};
constexpr Option kGetOptions[] = {
    kMachine,
    {"--gpu", "-g", "G", "Only these GPUs: an index, a UUID, a list such as 0,2-3, or 'all', which is the default",
     Complete::gpu},
    kAll,
    kJson,
};
constexpr Example kGetExamples[] = {
    {"nvmlab get power", "draw, limits and energy of all GPUs; those that agree share a line"},
    {"nvmlab get --gpu 0 power.limit_mw", "the bare number, for scripts"},
    {"nvmlab get --json thermal.gpu_c", "as JSON"},
};
constexpr Argument kSetArguments[] = {
    {"PATH=VALUE", "A field and its new value: a number, a word, a text, null (not supported) or answer:CODE",
     Complete::assignment, true, true}};
constexpr Option kSetOptions[] = {
    kMachine,
    {"--gpu", "-g", "G", "Only these GPUs: an index, a UUID, a list such as 0,2-3, or 'all', which is the default",
     Complete::gpu},
};
constexpr Example kSetExamples[] = {
    {"nvmlab set --gpu 0 thermal.gpu_c=90 clocks.graphics_mhz=600", "both become visible at the same instant"},
    {"nvmlab set --gpu 3 power.draw_mw=answer:GPU_IS_LOST", "reading the draw of GPU 3 fails from now on"},
    {"nvmlab set 'processes.running=[{pid: 4242, kinds: 1, used_bytes: 1 GiB}]'",
     "lists and records are written as in profiles"},
    {"nvmlab set system.driver_version=535.261.03", "a field of the machine as a whole"},
};

// devices, smi
constexpr Option kLibraryOptions[] = {
    {"--library", "", "FILE", "This NVML library; without it $NVMLAB_LIBRARY, else where drivers are installed",
     Complete::file},
    kJson,
};
constexpr Example kDevicesExamples[] = {
    {"nvmlab devices", "the installed GPUs"},
    {"nvmlab run --profile dgx-h100 -- nvmlab devices", "eight simulated ones"},
};
constexpr Example kSmiExamples[] = {
    {"nvmlab smi", "what the installed GPUs do at this moment"},
    {"nvmlab run --machine ci -- nvmlab smi --json", "those of a machine that is up, as JSON"},
};

// profiles, validate, compile
constexpr Option kProfilesOptions[] = {kJson};
constexpr Argument kShowArguments[] = {
    {"PROFILE", "A shipped profile, a .yaml file or a .machine file", Complete::profile, true}};
constexpr Option kShowOptions[] = {
    {"--provenance", "", "", "Say for each value where it comes from: a capture, a datasheet, an assumption"},
    kGpus,
    kDriver,
    kAll,
    kJson};
constexpr Example kShowExamples[] = {
    {"nvmlab profiles show h100-sxm5-80gb --provenance", "every value of an H100 and its source"}};
constexpr Argument kValidateArguments[] = {
    {"FILE", "A profile of a GPU or a machine, or a .machine file", Complete::file, true, true}};
constexpr Example kValidateExamples[] = {
    {"nvmlab validate profiles/*.yaml", "in CI: exit code 1 when anything is wrong"}};
constexpr Argument kCompileArguments[] = {{"PROFILE", "A shipped profile or a .yaml file", Complete::profile, true}};
constexpr Option kCompileOptions[] = {
    {"--output", "-o", "FILE", "Where to; the name ends in .machine", Complete::file}, kGpus, kDriver};
constexpr Example kCompileExamples[] = {
    {"nvmlab compile ./my-node.yaml -o my-node.machine",
     "for a container that has the driver but no nvmlab: NVMLAB_PROFILE=/my-node.machine"}};

// import
constexpr Argument kImportArguments[] = {
    {"FILE",
     "What nvidia-smi (-q -x, -q, topo -m, nvlink, mig ...), deviceQuery or NCCL printed, also several in one file",
     Complete::file, true, true}};
constexpr Option kImportOptions[] = {
    {"--output", "-o", "FILE", "Where to; the name ends in .yaml, and the machine is called like it", Complete::file},
    {"--state", "", "NAME", "Of a file that shows the machine in several states (idle, load): this one; else idle"}};
constexpr Example kImportExamples[] = {
    {"nvmlab import capture.xml -o my-node.yaml", "a profile of the machine that printed capture.xml"},
    {"nvmlab import q.xml topo.txt nvlink.txt deviceQuery.txt -o my-node.yaml", "several outputs of one machine"},
    {"nvmlab import session.txt --state load -o my-node.yaml", "the machine under load, of a file that shows both"},
};

// compare, profiles diff
constexpr Option kOnly{
    "--only", "", "CLASSES",
    "Show these classes alone, and let them alone decide the exit code: value, code, missing, noise, "
    "identifier, equal; a list such as value,code"};
constexpr Option kEverything{"--all", "-a", "", "Show every class, also what is equal"};
constexpr Option kPairs{
    "--gpu", "-g", "G",
    "Only these GPUs: an index of A's or a list such as 0,2-3; 0:5 compares GPU 0 of A with GPU 5 of B"};
constexpr Argument kCompareArguments[] = {
    {"A",
     "A capture, a recording, a profile, a .machine file, a machine that is up (machine:NAME) or a libnvidia-ml.so "
     "(library: is the installed one)",
     Complete::profile, true},
    {"B", "The same, for the other side", Complete::profile, true}};
constexpr Option kCompareOptions[] = {
    kOnly,
    kEverything,
    kPairs,
    {"--no-identifiers", "", "", "Leave out what names one unit: UUIDs, serial numbers, PCI addresses"},
    {"--fields", "", "",
     "Compare two captures or recordings by what they tell of the state of a machine, not by what was printed"},
    kJson};
constexpr Example kCompareExamples[] = {
    {"nvmlab compare before.xml after.xml", "two captures, leaf by leaf"},
    {"nvmlab compare dgx-h100 capture.xml", "a profile with a capture, field by field of the state"},
    {"nvmlab compare 'corpus.txt#idle' 'corpus.txt#load' --only noise",
     "two logs in one file: what moved between them"},
    {"nvmlab compare yesterday.gz library:", "a recording with what the installed driver answers now"},
    {"nvmlab compare --gpu 0:3 capture.xml capture.xml --no-identifiers", "two GPUs of one machine"},
};
constexpr Argument kDiffArguments[] = {
    {"PROFILE", "A shipped profile, a .yaml file or a .machine file", Complete::profile, true},
    {"CAPTURE", "What nvidia-smi -q -x or nvidia-smi -q printed on such a board or machine, or a recording of it",
     Complete::file, true}};
constexpr Option kDiffOptions[] = {kOnly, kEverything, kPairs, kJson};
constexpr Example kDiffExamples[] = {
    {"nvmlab profiles diff h100-sxm5-80gb capture.xml", "the board with every GPU of the capture"},
    {"nvmlab profiles diff ./my-node.yaml capture.xml --json", "for scripts; exit code 1 where they differ"},
};

// record
constexpr Option kRecordOptions[] = {
    {"--output", "-o", "FILE", "Where to; - is standard output", Complete::file},
    {"--force", "-f", "", "Replace the file if it is there"},
    {"--identifiers", "", "", "Keep UUIDs, serial numbers, host names and the like, which are masked otherwise"},
    {"--library", "", "FILE", "This NVML library; without it $NVMLAB_LIBRARY, else where drivers are installed",
     Complete::file},
    {"--skip", "", "FUNCTION", "Do not call this function; may be repeated"},
    {"--patience", "", "SECONDS", "How long to wait for one call; 30 without it"},
};
constexpr Example kRecordExamples[] = {
    {"nvmlab record -o my-node.gz", "what the installed driver answers"},
    {"nvmlab run --profile dgx-h100 -- nvmlab record -o h100.gz", "what the simulated one answers"},
    {"nvmlab record -o - | ssh build 'cat > my-node.gz'", "to another machine, without a file on this one"},
};

constexpr Argument kCompletionArguments[] = {{"SHELL", "bash, zsh or fish", Complete::shell, true}};
constexpr Example kCompletionExamples[] = {
    {"source <(nvmlab completion bash)", "for this shell"},
    {"nvmlab completion fish > ~/.config/fish/completions/nvmlab.fish", "for all shells to come"},
};
constexpr Argument kWordsArguments[] = {{"KIND", "profiles, machines, drivers, fields or gpus"}};

constexpr Command kCommands[] = {
    {"run", "Run a command on a simulated node",
     "Runs COMMAND with the simulated driver in place of NVIDIA's. It becomes that command, so exit code, signals and "
     "terminal are the "
     "command's own.\n\n"
     "Without an option the node is a DGX A100 with eight GPUs, private to the process. Every process gets a node of "
     "its own, in the "
     "state that the profile describes; with --machine all of them share one.\n\n"
     "A profile that is wrong is reported before anything runs.",
     kRunArguments, kRunOptions, kRunExamples, run_run, true},
    {"up", "Bring a machine up that processes share",
     "Compiles a profile and keeps the machine in one file that all processes of the user map: what one of them sets, "
     "the next one "
     "reads. It stays up until `nvmlab down` or the next boot. Without --profile it is a DGX A100.",
     kUpArguments, kUpOptions, kUpExamples, run_up},
    {"down",
     "Take a machine down",
     "Takes a machine down that `nvmlab up` brought up, also one whose file is damaged.",
     kDownArguments,
     {},
     kDownExamples,
     run_down},
    {"ls",
     "List the machines that are up",
     "Lists the machines of this user that are up: name, profile, number of GPUs, since when, and the file.",
     {},
     kLsOptions,
     {},
     run_ls},
    {"get", "Read fields of a machine that is up",
     "Reads the state of a machine that is up, by the names that profiles use. GPUs that agree share a line. A single "
     "field of a single "
     "GPU is printed bare, without name and unit. Fields that the GPUs do not support are left out unless they are "
     "named or --all is "
     "given.",
     kGetArguments, kGetOptions, kGetExamples, run_get},
    {"set", "Change fields of a machine that is up",
     "Changes the state of a machine that is up; every process that runs on it sees that at once. All assignments to "
     "one GPU become "
     "visible together, and nothing is changed unless all of them are right. Without --gpu they go to every GPU; "
     "fields of system.* "
     "belong to the machine, whatever --gpu says.\n\n"
     "A value is written as in a profile. answer:CODE makes NVML answer that return code in place of a value, such as "
     "answer:GPU_IS_LOST; null means NOT_SUPPORTED. Exactly the named fields change: limits that depend on one another "
     "stay as they are.",
     kSetArguments, kSetOptions, kSetExamples, run_set},
    {"devices",
     "List the GPUs that NVML knows, real or simulated",
     "Asks the NVML library that is installed here, and below `nvmlab run` the simulated one: index, UUID, bus id and "
     "name of each GPU, and of each MIG device below its GPU.",
     {},
     kLibraryOptions,
     kDevicesExamples,
     run_devices},
    {"smi",
     "Show what the GPUs do, real or simulated",
     "Asks the NVML library that is installed here, and below `nvmlab run` the simulated one: state, temperature, "
     "power, memory and load of each GPU, and the processes that use them. What a board does not tell is a dash.",
     {},
     kLibraryOptions,
     kSmiExamples,
     run_smi},
    {"profiles",
     "List the profiles that nvmlab ships",
     "Lists the shipped profiles: name, kind, number of GPUs, driver, from what kind of source the values come, and "
     "what it is.",
     {},
     kProfilesOptions,
     {},
     run_profiles},
    {"profiles show", "Show what a profile says",
     "Compiles a profile and shows the values of the machine that it makes.", kShowArguments, kShowOptions,
     kShowExamples, run_profiles_show},
    {"profiles diff", "Say how far a profile agrees with a capture",
     "Compares what a profile says with what a capture of such a board or machine tells, field by field of the state: "
     "both values, where the profile's is from, and in how many percent of the fields they agree. What moves by itself "
     "and what names one unit is counted apart, and what the capture does not tell is no difference. The profile of a "
     "board is compared with every GPU of the capture.\n\n"
     "Exit code: 0 where all fields agree, 1 where some do not, 2 for trouble.",
     kDiffArguments, kDiffOptions, kDiffExamples, run_profiles_diff, false, false, 2},
    {"validate",
     "Check profiles",
     "Checks profiles of one's own and reports everything that is wrong, each with file, line, column, what was found "
     "and what would be "
     "right.",
     kValidateArguments,
     {},
     kValidateExamples,
     run_validate},
    {"compile", "Compile a profile to a machine file",
     "Turns a profile into a machine file, which the simulated driver maps as it is. Such a file belongs to the build "
     "of nvmlab that made "
     "it; another one refuses it.",
     kCompileArguments, kCompileOptions, kCompileExamples, run_compile},
    {"import", "Make a profile from captures of a machine",
     "Turns what tools printed on a real machine into a profile of that machine and its GPUs: nvidia-smi (-q -x tells "
     "most; also -q, CSV, topo -m, nvlink, mig, -L), deviceQuery, NCCL; recordings and configurations of Mock NVML "
     "too. "
     "What a file is shows in its content. Each value names the capture that it was read from; what no capture tells "
     "is "
     "inherited from the family of the chip. Where nvidia-smi printed that a value is not supported, deprecated or "
     "forbidden, the simulated driver answers the same.\n\n"
     "Several files are captures of one machine and complete one another. Where they contradict one another, both are "
     "named and the first one stands. A file that cannot be read is reported with its line, and then nothing is "
     "written.",
     kImportArguments, kImportOptions, kImportExamples, run_import},
    {"compare", "Show what differs between captures, recordings, profiles and machines",
     "Compares two captures, recordings, profiles, machine files, machines that are up or live libraries, in any "
     "pairing. "
     "Two captures of one format are compared leaf by leaf, as nvidia-smi printed them, two recordings call by call; "
     "everything "
     "else "
     "field by field of the state vocabulary, captures as `nvmlab import` understands them. FILE#2 is the second log "
     "in a file, FILE#load the first whose "
     "heading has that word.\n\n"
     "Each difference has a class. value: two values; code: a value and a return code, or two codes; missing: only one "
     "side tells it (in parentheses stands what would be assumed); identifier: names one unit; noise: moves by itself. "
     "Noise is only counted, unless --all or --only asks for it. GPUs are matched by UUID where every GPU of the "
     "smaller side has its like on the other, else so by PCI address, else by index; the profile of a board is "
     "compared "
     "with every GPU of the other side.\n\n"
     "Exit code, as diff has it: 0 where they are equal up to noise, 1 where they differ, 2 for trouble.",
     kCompareArguments, kCompareOptions, kCompareExamples, run_compare, false, false, 2},
    {"record",
     "Record what this machine's NVML library answers",
     "Calls every getter of the NVML library that is installed here (below `nvmlab run` the simulated one) with every "
     "choice of arguments, for every GPU, MIG device, pair of GPUs and unit, and writes values and return codes to a "
     "compressed file of JSON lines. It changes nothing, needs no root and lasts well under a minute. What "
     "names the machine or one of its boards is masked: equal values stay equal.\n\n"
     "If a call crashes or does not come back, what was recorded until then is kept in FILE.partial, and its last "
     "line names the call. The program nvmlab-record does the same and is one file that needs the C library alone.",
     {},
     kRecordOptions,
     kRecordExamples,
     run_record},
    {"completion",
     "Print a completion script",
     "Prints the completion script of a shell.",
     kCompletionArguments,
     {},
     kCompletionExamples,
     run_completion},
    {"man", "Print the man page", "Prints nvmlab(1) in the macros of man.", {}, {}, {}, run_man, false, true},
    {"words",
     "List candidates for completion",
     "Lists names, one a line, for completion scripts.",
     kWordsArguments,
     {},
     {},
     run_words,
     false,
     true},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) ? nullptr : found;
}

}  // namespace nvmlab::tool
