// SPDX-License-Identifier: Apache-2.0
//
// nvmlab compare and nvmlab profiles diff: pairings, classes, both forms of output, exit codes, errors.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

std::string gpu(const std::string& bus, const std::string& more) {
  return "<gpu id=\"00000000:" + bus + ":00.0\">\n<product_name>NVIDIA X100</product_name>\n" +
         "<product_architecture>Hopper</product_architecture>\n<uuid>GPU-5d8e21" + bus +
         "-93c7-4b1f-a6e2-71c94fd3b852</uuid>\n" + more + "</gpu>\n";
}

std::string log(const std::string& gpus, const std::string& driver = "550.90.07") {
  return "<nvidia_smi_log>\n<driver_version>" + driver + "</driver_version>\n" + gpus + "</nvidia_smi_log>\n";
}

std::string state(const std::string& temperature, const std::string& limit) {
  return "<temperature><gpu_temp>" + temperature + "</gpu_temp></temperature>\n" +
         "<gpu_power_readings><requested_power_limit>" + limit + "</requested_power_limit></gpu_power_readings>\n";
}

class Compare : public Cli {
 protected:
  std::string with(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(write_file(file(name), content));
    return file(name);
  }
  // The exit code is that; what it printed.
  std::string ends(int code, Words words) const {
    const Outcome outcome = nvmlab(std::move(words));
    EXPECT_EQ(outcome.exit_code, code) << outcome.story();
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  json parsed(int code, Words words) const {
    words.emplace_back("--json");
    return json::parse(ends(code, std::move(words)));
  }
  // Exit code 2, nothing on standard output, and these words.
  void troubled(Words words, const std::string& says) const {
    const Outcome outcome = nvmlab(std::move(words));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.story();
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
  static json difference(const json& all, const std::string& name) {
    for (const json& each : all["differences"]) {
      if (each["name"] == name) return each;
    }
    return {};
  }

  std::string before() const { return with("before.xml", log(gpu("01", state("41 C", "700.00 W")))); }
};

TEST_F(Compare, CapturesLeafByLeaf) {
  const auto after = with("after.xml", log(gpu("01", state("55 C", "600.00 W")), "570.1.2"));
  const std::string text = ends(1, {"compare", before(), after});
  EXPECT_THAT(text, StartsWith("A  " + file("before.xml") + ": nvidia-smi -q -x, 1 x NVIDIA X100, driver 550.90.07\n"));
  EXPECT_THAT(text, HasSubstr("Compared leaf by leaf"));
  EXPECT_THAT(text, HasSubstr("gpu_power_readings\n  requested_power_limit  value  700.00 W   600.00 W\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_temp"))) << "noise is counted";
  EXPECT_THAT(text, HasSubstr("2 value, 0 code, 0 missing, 1 noise, 0 identifier\n"));
  EXPECT_THAT(ends(1, {"compare", before(), after, "--all"}), HasSubstr("gpu_temp "));
}

TEST_F(Compare, EqualUpToNoiseIsZero) {
  const auto later = with("later.xml", log(gpu("01", state("55 C", "700.00 W"))));
  EXPECT_THAT(ends(0, {"compare", before(), later}), HasSubstr("1 noise"));
  EXPECT_THAT(ends(1, {"compare", before(), later, "--only", "noise"}), HasSubstr("41 C"));
  ends(0, {"compare", before(), later, "--only", "value,code"});
  ends(0, {"compare", "t4", "t4"});
}

TEST_F(Compare, AsJson) {
  const auto after =
      with("after.xml", log(gpu("01", state("N/A", "600.00 W") + "<serial>7</serial><fan_speed>3 %</fan_speed>")));
  const json all = parsed(1, {"compare", before(), after});
  EXPECT_EQ(all["nvmlab_compare"], 1);
  EXPECT_EQ(all["level"], "leaf");
  EXPECT_EQ(all["a"]["gpus"], 1);
  EXPECT_EQ(all["b"]["name"], file("after.xml"));
  EXPECT_EQ(all["matching"]["by"], "uuid");
  EXPECT_EQ(all["matching"]["pairs"], json::parse("[[0, 0]]"));
  EXPECT_EQ(all["counts"]["value"], 1);
  EXPECT_EQ(all["counts"]["code"], 1);
  EXPECT_EQ(all["counts"]["missing"], 2);
  EXPECT_EQ(all["counts"]["noise"], 0);
  EXPECT_EQ(difference(all, "temperature/gpu_temp"), json::parse(R"({"class": "code", "topic": "temperature",
    "name": "temperature/gpu_temp", "gpus": [[0, 0]], "a": {"value": "41 C"}, "b": {"code": "NOT_SUPPORTED"}})"));
  EXPECT_EQ(difference(all, "serial")["a"], nullptr);
  EXPECT_EQ(difference(all, "serial")["class"], "missing");
}

TEST_F(Compare, FieldsHaveTypesUnitsAndSources) {
  const auto after = with("after.xml", log(gpu("01", state("41 C", "600.00 W"))));
  const json all = parsed(1, {"compare", before(), after, "--fields"});
  EXPECT_EQ(all["level"], "field");
  const json limit = difference(all, "power.limit_mw");
  EXPECT_EQ(limit["a"]["value"], 700000);
  EXPECT_EQ(limit["b"]["value"], 600000);
  EXPECT_EQ(limit["b"]["unit"], "mW");
  EXPECT_EQ(limit["b"]["source"]["kind"], "capture");
}

TEST_F(Compare, GpusThatAgreeShareALineAndUnmatchedOnesAreTold) {
  const auto a = with("a.xml", log(gpu("01", state("41 C", "700.00 W")) + gpu("02", state("41 C", "700.00 W")) +
                                   gpu("03", state("41 C", "700.00 W"))));
  const auto b = with("b.xml", log(gpu("01", state("41 C", "600.00 W")) + gpu("03", state("41 C", "600.00 W"))));
  const std::string text = ends(1, {"compare", a, b});
  EXPECT_THAT(text, HasSubstr("GPUs matched by UUID\nOnly A has GPU 1\n"));
  EXPECT_THAT(text, HasSubstr("  requested_power_limit  all  value  700.00 W  600.00 W\n"));
  EXPECT_EQ(parsed(1, {"compare", a, b})["matching"]["only_a"], json::parse("[1]"));
  const auto fewer = with("fewer.xml", log(gpu("03", state("41 C", "700.00 W"))));
  ends(1, {"compare", a, fewer});
  ends(0, {"compare", a, fewer, "--gpu", "2"});
  ends(0, {"compare", a, fewer, "--gpu", "0:0", "--no-identifiers"});
  EXPECT_EQ(parsed(1, {"compare", a, a, "--gpu", "0:1,2:1"})["matching"]["pairs"], json::parse("[[0, 1], [2, 1]]"));
  troubled({"compare", a, fewer, "--gpu", "1"}, "GPU 1 of ");
  troubled({"compare", a, fewer, "--gpu", "0:4"}, "no GPU 4");
  troubled({"compare", a, fewer, "--gpu", "x"}, "an index");
}

TEST_F(Compare, ProfilesAndMachinesInAnyPairing) {
  EXPECT_THAT(ends(1, {"compare", "dgx-a100", "dgx-h100"}), HasSubstr("GPUs matched by index"));
  EXPECT_THAT(ends(1, {"compare", "h100-sxm5-80gb", "dgx-h100", "--only", "value"}),
              HasSubstr("the board of A with each of B"));
  good({"up", "lab", "--profile", "t4"});
  ends(0, {"compare", "machine:lab", "t4", "--no-identifiers"});
  good({"set", "--machine", "lab", "power.limit_mw=65000"});
  EXPECT_THAT(ends(1, {"compare", "lab", "t4", "--no-identifiers"}), HasSubstr("65000 mW"));
  const auto compiled = file("t4.machine");
  good({"compile", "t4", "-o", compiled});
  ends(0, {"compare", compiled, "t4"});
  good({"down", "lab"});
  EXPECT_THAT(ends(1, {"compare", "h100-sxm5-80gb", before()}), HasSubstr("Only A tells ("));
}

TEST_F(Compare, AnImportSaysWhatItsCaptureSays) {
  const auto imported = file("node.yaml");
  good({"import", before(), "-o", imported});
  const std::string text = ends(0, {"compare", before(), imported});
  EXPECT_THAT(text, HasSubstr("by assumption"));
  EXPECT_THAT(ends(0, {"profiles", "diff", imported, before()}), HasSubstr("Agreement: 100.00 %"));
}

TEST_F(Compare, LogsInsideOneFile) {
  const auto both = with("corpus.txt", "# idle :: query\n\n" + log(gpu("01", state("41 C", "700.00 W"))) +
                                           "\n# load :: query\n\n" + log(gpu("01", state("60 C", "700.00 W"))));
  for (const std::string second : {"#2", "#load"}) {
    const std::string text = ends(1, {"compare", both + "#1", both + second, "--only", "noise"});
    EXPECT_THAT(text, HasSubstr("41 C"));
    EXPECT_THAT(text, HasSubstr("60 C"));
  }
  EXPECT_THAT(ends(0, {"compare", both, both + "#idle"}), HasSubstr("the first of 2 logs"));
  EXPECT_EQ(difference(parsed(1, {"compare", both + "#idle", both + "#load", "--fields", "--only", "noise"}),
                       "thermal.gpu_c")["b"]["value"],
            60);
  troubled({"compare", both + "#3", both}, "#2 'load :: query'");
  troubled({"compare", both + "#0", both}, "it holds #1");
}

TEST_F(Compare, Recordings) {
  const auto recording = [](const std::string& driver, const std::string& lines) {
    return R"({"nvmlab_recording":1,"tool":"0.1.0","header":"13.5.37","taken":"2026-01-02T03:04:05Z","masked":true,)"
           R"("host":"host-1","library":"/l.so","gpus":1,"units":0,"driver":")" +
           driver + "\"}\n" + lines + R"({"call":"nvmlSystemGetDriverVersion","code":"SUCCESS","out":{"version":")" +
           driver + "\"}}\n" +
           R"({"call":"nvmlDeviceGetName","gpu":0,"code":"SUCCESS","out":{"name":"NVIDIA X100"}})"
           "\n"
           R"({"call":"nvmlDeviceGetMaxClockInfo","gpu":0,"in":{"type":"NVML_CLOCK_SM"},"code":"SUCCESS","out":{"clock":)" +
           (driver == "570.1.2" ? "1980" : "1410") +
           "}}\n{\"complete\":true,\"calls\":" + std::to_string(3 + std::ranges::count(lines, '\n')) + "}\n";
  };
  const auto older = with("older.rec", recording("550.1.2", R"({"call":"nvmlDeviceGetPdi","code":"FUNCTION_NOT_FOUND"})"
                                                            "\n"));
  const auto newer = with("newer.rec", recording("570.1.2", ""));
  const std::string text = ends(1, {"compare", older, newer});
  EXPECT_THAT(text,
              StartsWith("A  " + older + ": recording of 2026-01-02T03:04:05Z, 1 x NVIDIA X100, driver 550.1.2\n"));
  EXPECT_THAT(text, HasSubstr("Compared call by call"));
  EXPECT_THAT(text, HasSubstr("nvmlDevice\n  GetMaxClockInfo(CLOCK_SM)  value  1410     1980\n"));
  EXPECT_THAT(text, HasSubstr("Only B exports (1)\n  exports: nvmlDeviceGetPdi\n"));
  const json all = parsed(1, {"compare", older, newer});
  EXPECT_EQ(all["level"], "call");
  EXPECT_EQ(difference(all, "nvmlDeviceGetMaxClockInfo(type=NVML_CLOCK_SM)")["b"]["value"], 1980);
  ends(0, {"compare", older, older});
  EXPECT_THAT(ends(1, {"compare", older, newer, "--fields"}), HasSubstr("max_sm_mhz"));
  EXPECT_THAT(ends(1, {"compare", older, before()}), HasSubstr("Compared field by field"));
  troubled({"compare", older + "#2", newer}, "holds no logs");
  troubled({"compare", with("cut.rec", recording("570.1.2", "").substr(0, 300)), newer}, "cut.rec");
}

TEST_F(Compare, LiveLibraries) {
  const Outcome same =
      nvmlab({"run", "--profile", "t4", "--", program(), "compare", "library:", "t4", "--only", "value,code"});
  EXPECT_THAT(same.out, HasSubstr("live library "));
  EXPECT_THAT(same.out, HasSubstr("1 x Tesla T4"));
  EXPECT_THAT(same.out, HasSubstr("Compared field by field"));
  const auto kept = file("t4.gz");
  good({"run", "--profile", "t4", "--", program(), "record", "--identifiers", "-o", kept});
  const auto library = (binary_folder() / "lib/drivers/595/libnvidia-ml.so.1").string();  // that of the recording
  const Outcome calls = nvmlab({"run", "--profile", "t4", "--", program(), "compare", kept, library});
  EXPECT_EQ(calls.exit_code, 0) << calls.story();
  EXPECT_THAT(calls.out, HasSubstr("Compared call by call"));
  const Outcome other =
      nvmlab({"run", "--profile", "t4", "--driver", "535", "--", program(), "compare", kept, "library:"});
  EXPECT_EQ(other.exit_code, 1) << other.story();
  EXPECT_THAT(other.out, HasSubstr("Only A exports ("));
  troubled({"compare", "library:" + file("nowhere.so"), kept}, "nowhere.so");
  troubled({"compare",
            with("text.so",
                 "\x7f"
                 "ELF, it says\n"),
            kept},
           "could not be recorded");
}

TEST_F(Compare, SaysWhatItTakes) {
  troubled({"compare", before(), file("nowhere.xml")}, "is no file, no shipped profile and no machine that is up");
  troubled({"compare", before(), file("nowhere.xml")}, "a capture (");
  troubled({"compare", "dgx-h10", before()}, "did you mean 'dgx-h100'?");
  troubled({"compare", with("hello.txt", "hello\n"), before()}, "hello.txt:1:");
  troubled({"compare", with("hello.txt", "hello\n"), before()}, "machine:NAME");
  troubled({"compare", with("wrong.yaml", "profile: wrong\nfoo: 1\n"), before()}, "wrong.yaml:2:");
  troubled({"compare", "machine:nope", before()}, "no machine 'nope' is up");
  troubled({"compare", std::filesystem::path(before()).parent_path().string(), before()}, "is a folder");
  troubled({"compare", before(), before(), "--only", "valeu"}, "did you mean 'value'?");
  troubled({"compare", before(), before(), "--only", "value", "--all"}, "contradict");
  EXPECT_EQ(shell("\"$nvmlab\" compare t4 t4 > /dev/full").exit_code, 2) << "1 would mean that they differ";
  troubled({"compare", before()}, "needs B");
  troubled({"compare", before(), before(), before()}, "unexpected argument");
}

TEST_F(Compare, ProfilesDiffTellsTheAgreement) {
  const auto board = with("x100.yaml",
                          "profile: x100\ninherits: hopper\nsources:\n  us: {kind: assumed, why: a guess}\n"
                          "source: us\nsystem: {driver_version: 550.90.07}\nidentity: {name: NVIDIA X100}\n"
                          "thermal: {gpu_c: 30}\npower: {limit_mw: 500000}\n");
  const auto capture =
      with("two.xml", log(gpu("01", state("41 C", "700.00 W")) + gpu("02", state("42 C", "500.00 W"))));
  const std::string text = ends(1, {"profiles", "diff", board, capture});
  EXPECT_THAT(text, HasSubstr("the board of A with each of B"));
  EXPECT_THAT(text, HasSubstr("  limit_mw  0    value  500000 mW  700000 mW  assumed\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpu_c")));
  const json all = parsed(1, {"profiles", "diff", board, capture});
  EXPECT_EQ(all["counts"]["value"], 1);
  EXPECT_EQ(all["agreement"]["compared"].get<int>() - all["agreement"]["equal"].get<int>(), 1);
  EXPECT_EQ(difference(all, "power.limit_mw")["a"]["source"], json::parse(R"({"kind": "assumed", "text": "a guess"})"));
  EXPECT_EQ(difference(all, "power.limit_mw")["gpus"], json::parse("[[0, 0]]"));
  troubled({"profiles", "diff", capture, board}, "a profile comes first");
  troubled({"profiles", "diff", board, "t4"}, "a capture comes second");
}

// Whoever names the captures sees that the shipped profiles agree with what they are made from.
TEST_F(Compare, ShippedProfilesWithTheirCaptures) {
  NVMLAB_REQUIRE_CAPTURES(captures);
  const auto h100 = (captures / "NVIDIA+k8s-test-infra/qx-h100.xml").string();
  const json all = parsed(1, {"profiles", "diff", "dgx-h100", h100, "--only", "value,code,missing"});
  EXPECT_GE(all["agreement"]["percent"].get<double>(), 97.0);
  EXPECT_GT(all["agreement"]["compared"], 500);
  EXPECT_EQ(all["matching"]["pairs"].size(), 8u);
}

}  // namespace
}  // namespace nvmlab::test
