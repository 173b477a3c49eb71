// SPDX-License-Identifier: Apache-2.0
// nvmlgen fetch from outside, against an index on loopback.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/io/process.hpp"
#include "codegen/io/sha256.hpp"
#include "tests/unit/codegen/support/archives.hpp"
#include "tests/unit/codegen/support/http_server.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

class FetchCommand : public testing::Test {
 protected:
  void SetUp() override {
    root_.write("model/facts/.keep", "");
    const std::string archive =
        test::archive_of(test::Kind::tar_xz, {{"include/nvml.h", std::string(test::sample_header)}});
    for (const char* version : {"13.3.29", "13.3.40"}) {
      server_.serve(
          fmt::format("/r/redistrib_{}.json", version),
          fmt::format(
              R"({{"cuda_nvml_dev": {{"version": "{}", "linux-x86_64": {{"relative_path": "n.tar.xz", "sha256": "{}"}}}}}})",
              version, sha256_hex(archive)));
    }
    server_.serve("/r/", "redistrib_13.3.29.json redistrib_13.3.40.json");
    server_.serve("/r/n.tar.xz", archive);
  }

  Finished fetch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {test::environment("NVMLAB_TEST_NVMLGEN"), "--root", root_.path().string(), "fetch"});
    auto done = run_program(arguments);
    EXPECT_TRUE(done);
    return done ? *done : Finished{};
  }

  static bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

  test::TemporaryFolder root_;
  test::HttpServer server_;
};

TEST_F(FetchCommand, GetsAReleaseIntoTheCache) {
  Finished done = fetch({"13.3.29", "--from", "redist", "--redist", server_.url("/r/")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(root_.read("build/headers/13.3.29/nvml.h"), test::sample_header);
  EXPECT_TRUE(holds(done.out, "the registry does not know this release")) << done.out;
  done = fetch({"13.3", "--from", "redist", "--redist", server_.url("/r/")});
  EXPECT_TRUE(done.out.starts_with("13.3.40 from ")) << "the newest of 13.3: " << done.out << done.err;
}

TEST_F(FetchCommand, ListsWhatCanBeHad) {
  const Finished done = fetch({"--from", "redist", "--redist", server_.url("/r/")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(holds(done.out, "  empty\n")) << done.out;
  EXPECT_TRUE(holds(done.out, "13.3.29")) << done.out;
  EXPECT_TRUE(holds(done.out, "13.3.40")) << done.out;
}

TEST_F(FetchCommand, AnUnreachableSourceDoesNotStopTheList) {
  const Finished done = fetch({"--from", "conda", "--conda", server_.url("/nobody")});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_TRUE(holds(done.out, "cannot be asked: ")) << done.out;
  EXPECT_TRUE(holds(done.out, "404")) << done.out;
}

TEST_F(FetchCommand, SaysWhatEachSourceSaid) {
  const Finished done = fetch({"12.0", "--from", "redist", "--redist", server_.url("/r/")});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "no source has a header of release 12.0")) << done.err;
  EXPECT_TRUE(holds(done.err, "redist: unknown release '12.0'; the nearest known: 13.3.29")) << done.err;
}

TEST_F(FetchCommand, TakesFilesAndIdentifiesThem) {
  root_.write("x/nvml.h", test::sample_header);
  const std::string file = (root_.path() / "x/nvml.h").string();
  EXPECT_TRUE(holds(fetch({file}).err, "add --version"));
  EXPECT_EQ(fetch({file, "--version", "1.0"}).exit_code, 0);
  const std::string nvmlgen = test::environment("NVMLAB_TEST_NVMLGEN");
  ASSERT_EQ(run_program({nvmlgen, "--root", root_.path().string(), "extract"})->exit_code, 0);
  const Finished known = fetch({file});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_TRUE(known.out.starts_with("1.0 from ")) << known.out;
  EXPECT_TRUE(holds(known.out, "its facts are those of the registry")) << known.out;
  EXPECT_FALSE(fetch({file, "--version", "../../evil"}).exit_code == 0);
}

TEST_F(FetchCommand, StoresNoRubbish) {
  root_.write("page.html", "<html></html>");
  const Finished done = fetch({(root_.path() / "page.html").string(), "--version", "1.0"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_TRUE(holds(done.err, "page.html:1:1: not valid C")) << done.err;
  EXPECT_EQ(root_.read("build/headers/1.0/nvml.h"), "(absent)");
}

TEST_F(FetchCommand, RefusesUnknownSources) {
  EXPECT_TRUE(holds(fetch({"1.0", "--from", "nowhere"}).err,
                    "no source 'nowhere'; there are installed, wheel, redist, distribution"));
  EXPECT_TRUE(holds(fetch({"1.0", "--from", "conda"}).err, "needs a channel"));
}

}  // namespace
}  // namespace nvmlab::codegen
