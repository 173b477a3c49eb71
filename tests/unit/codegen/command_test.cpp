// SPDX-License-Identifier: Apache-2.0
// nvmlgen from outside: exit codes, what it prints, and that `check` notices every way of tampering.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "codegen/io/process.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

Finished nvmlgen(const fs::path& root, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {test::environment("NVMLAB_TEST_NVMLGEN"), "--root", root.string()});
  auto done = run_program(arguments);
  EXPECT_TRUE(done) << done.error().text();
  return done ? *done : Finished{};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A root with what nvmlgen reads as committed, the model and the binding's own headers, and freshly written generated
// code. Written once and copied for each test: generating takes seconds under a sanitizer.
class Tree : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    written_ = std::make_unique<test::TemporaryFolder>();
    const fs::path& root = written_->path();
    for (const char* folder : {"model", "tests/drivers/oracle", "examples/cookbook"}) {
      fs::create_directories(root / folder);
      fs::copy(test::source_folder() / folder, root / folder, fs::copy_options::recursive);
    }
    const fs::path binding = "binding/nvmlab/nvml";
    fs::create_directories(root / binding);
    fs::copy(test::source_folder() / binding, root / binding);
    first_ = nvmlgen(root, {"write"});
  }
  static void TearDownTestSuite() { written_.reset(); }

  void SetUp() override {
    ASSERT_EQ(first_.exit_code, 0) << first_.err;
    fs::copy(written_->path(), root(), fs::copy_options::recursive);
  }

  const fs::path& root() const { return folder_.path(); }
  Finished check() const { return nvmlgen(root(), {"check"}); }

  inline static std::unique_ptr<test::TemporaryFolder> written_;
  inline static Finished first_;
  test::TemporaryFolder folder_;
  const std::string some_file_ = "binding/nvmlab/abi/generated/enums.hpp";
};

TEST_F(Tree, CheckIsCleanAfterWrite) {
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  const Finished again = nvmlgen(root(), {"write"});
  EXPECT_TRUE(again.out.starts_with("0 written, 0 deleted, ")) << again.out;
}

TEST_F(Tree, CheckFindsAnEditedFile) {
  std::string text = folder_.read(some_file_);
  text.replace(text.find("NVML_SUCCESS = 0"), 16, "NVML_SUCCESS = 1");
  folder_.write(some_file_, text);
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(holds(done.out, "different " + some_file_)) << done.out;
  EXPECT_TRUE(holds(done.out, "-   NVML_SUCCESS = 1,\n    +   NVML_SUCCESS = 0,")) << done.out;
}

TEST_F(Tree, CheckFindsARemovedFile) {
  fs::remove(root() / some_file_);
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(holds(done.out, "missing   " + some_file_)) << done.out;
}

TEST_F(Tree, CheckFindsAnAddedFile) {
  folder_.write("binding/nvmlab/abi/generated/mine.hpp", "");
  folder_.write("engine/new/generated/other.hpp", "");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(holds(done.out, "extra     binding/nvmlab/abi/generated/mine.hpp")) << done.out;
  EXPECT_TRUE(holds(done.out, "extra     engine/new/generated/other.hpp")) << done.out;
  EXPECT_TRUE(holds(nvmlgen(root(), {"write"}).out, "deleted binding/nvmlab/abi/generated/mine.hpp"));
  EXPECT_EQ(check().exit_code, 0);
}

TEST_F(Tree, CheckFindsAChangedFact) {
  std::string facts = folder_.read("model/facts/nvml.json");
  const std::string from = R"("NVML_ERROR_UNINITIALIZED": [{"since":"11.0","enum":"nvmlReturn_t","value":1}])";
  ASSERT_NE(facts.find(from), std::string::npos);
  facts.replace(facts.find(from) + from.size() - 3, 1, "7");
  folder_.write("model/facts/nvml.json", facts);
  EXPECT_EQ(check().exit_code, 1);
}

TEST_F(Tree, ABrokenModelIsAnErrorWithItsPlace) {
  folder_.write("model/facts/nvml.json", "{ \"format\": 1,\n oops }");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "nvml.json:2:2: not valid JSON")) << done.err;
}

TEST_F(Tree, WithoutTheBindingsHeadersTheErrorNamesTheirPlace) {
  fs::remove_all(root() / "binding/nvmlab/nvml");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "binding/nvmlab/nvml: No such file or directory")) << done.err;
}

TEST(Command, ExtractBuildsARegistryReleaseByRelease) {
  const test::TemporaryFolder root;
  root.write("model/facts/.keep", "");
  root.write("build/headers/1.0/nvml.h", test::sample_header);
  Finished done = nvmlgen(root.path(), {"extract"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(holds(done.out, "1 releases, 1.0 to 1.0")) << done.out;
  root.write("other.h", "void nvmlInit(void);\n");
  EXPECT_TRUE(holds(nvmlgen(root.path(), {"extract", (root.path() / "other.h").string()}).err, "add --version"));
  done = nvmlgen(root.path(), {"extract", (root.path() / "other.h").string(), "--version", "1.1"});
  EXPECT_TRUE(holds(done.out, "2 releases, 1.0 to 1.1")) << done.out << done.err;
  done = nvmlgen(root.path(), {"extract", "--rebuild"});
  EXPECT_TRUE(holds(done.out, "1 releases, 1.0 to 1.0")) << done.out << done.err;
}

TEST(Command, ExtractLeavesTheRegistryAloneOnError) {
  const test::TemporaryFolder root;
  root.write("model/facts/.keep", "");
  root.write("build/headers/1.0/nvml.h", test::sample_header);
  ASSERT_EQ(nvmlgen(root.path(), {"extract"}).exit_code, 0);
  const std::string before = root.read("model/facts/nvml.json");
  root.write("build/headers/1.1/nvml.h", "struct {");
  const Finished done = nvmlgen(root.path(), {"extract"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "build/headers/1.1/nvml.h:1:")) << done.err;
  EXPECT_EQ(root.read("model/facts/nvml.json"), before);
}

TEST(Command, ExtractReadsSymbols) {
  const test::TemporaryFolder root;
  root.write("model/facts/.keep", "");
  const std::string library = test::environment("NVMLAB_TEST_SYMBOLS_SAMPLE");
  EXPECT_TRUE(holds(nvmlgen(root.path(), {"extract", "--symbols", library}).err, "--driver"));
  ASSERT_EQ(nvmlgen(root.path(), {"extract", "--symbols", library, "--driver", "550.1"}).exit_code, 0);
  EXPECT_TRUE(holds(root.read("model/facts/drivers.json"), R"("nvmlSampleOne": ["550.1"])"));
}

TEST(Command, WithoutHeadersSaysHowToGetThem) {
  const test::TemporaryFolder root;
  root.write("model/facts/.keep", "");
  const Finished done = nvmlgen(root.path(), {"extract"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "nvmlgen fetch")) << done.err;
}

TEST(Command, ValidateHoldsFactsAgainstTheHeader) {
  const test::TemporaryFolder root;
  root.write("model/facts/.keep", "");
  root.write("build/headers/1.0/nvml.h", test::sample_header);
  ASSERT_EQ(nvmlgen(root.path(), {"extract"}).exit_code, 0);
  Finished done = nvmlgen(root.path(), {"validate"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_TRUE(holds(done.out, "holds: ")) << done.out;
  std::string facts = root.read("model/facts/nvml.json");
  const std::string offset = R"("offset":24,"size":16)";
  ASSERT_NE(facts.find(offset), std::string::npos);
  root.write("model/facts/nvml.json", facts.replace(facts.find(offset), offset.size(), R"("offset":32,"size":16)"));
  done = nvmlgen(root.path(), {"validate"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(holds(done.out, "record nvmlRoom_v1_t is another in the header")) << done.out;
  EXPECT_TRUE(holds(done.out, "offset of nvmlRoom_v1_t.lamp: 32 in the facts")) << done.out;
  root.write("build/headers/1.1/nvml.h", test::sample_header);
  EXPECT_TRUE(holds(nvmlgen(root.path(), {"validate"}).err, "release 1.1 is not in the registry"));
}

TEST(Command, DiffStatsAndExplainAnswer) {
  const fs::path root = test::source_folder();
  const Finished diff = nvmlgen(root, {"diff", "13.2", "13.3"});
  EXPECT_EQ(diff.exit_code, 0) << diff.err;
  EXPECT_TRUE(diff.out.starts_with("NVML 13.2.82 (410 functions) to 13.3.29 (413 functions)\n\nFunctions added (2)\n"))
      << diff.out.substr(0, 300);
  EXPECT_TRUE(holds(nvmlgen(root, {"diff", "13.3", "13.3"}).out, "No difference."));
  EXPECT_TRUE(holds(nvmlgen(root, {"diff", "9.0", "13.3"}).err, "unknown release '9.0'; the nearest known: 11.0"));
  EXPECT_TRUE(holds(nvmlgen(root, {"stats"}).out, "13.3.29"));
  EXPECT_TRUE(nvmlgen(root, {"stats", "12.9"}).out.starts_with("NVML 12.9.40\n"));
  EXPECT_TRUE(holds(nvmlgen(root, {"explain", "nvmlInit_v2"}).out, "nvmlReturn_t nvmlInit_v2(void)"));
  const Finished typo = nvmlgen(root, {"explain", "nvmlInit_w2"});
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_TRUE(holds(typo.err, "did you mean 'nvmlInit_v2'?")) << typo.err;
}

TEST(Command, UnknownWordsAreRefused) {
  const test::TemporaryFolder root;
  EXPECT_NE(nvmlgen(root.path(), {"chekc"}).exit_code, 0);
  EXPECT_NE(nvmlgen(root.path(), {"check", "--nothing"}).exit_code, 0);
  EXPECT_NE(nvmlgen(root.path(), {}).exit_code, 0);
  const Finished help = nvmlgen(root.path(), {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"extract", "write", "check"})
    EXPECT_TRUE(holds(help.out, command)) << command;
}

}  // namespace
}  // namespace nvmlab::codegen
