// SPDX-License-Identifier: Apache-2.0
// Each source as a whole: indexes and archives served on loopback, a play distribution script, a play machine.
#include "codegen/fetch/source.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/fetch/identify.hpp"
#include "codegen/io/process.hpp"
#include "codegen/io/sha256.hpp"
#include "tests/unit/codegen/support/archives.hpp"
#include "tests/unit/codegen/support/http_server.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;
using test::archive_of;
using test::Kind;

std::string header() { return std::string(test::sample_header); }

std::string redistrib(const std::string& version, const std::string& sha256) {
  return fmt::format(
      R"({{"cuda_nvml_dev": {{"version": "{0}", "linux-x86_64": {{"relative_path": "cuda_nvml_dev/{0}.tar.xz", "sha256": "{1}"}}}}}})",
      version, sha256);
}

class Redist : public testing::Test {
 protected:
  void SetUp() override {
    archive_ = archive_of(
        Kind::tar_xz, {{"cuda_nvml_dev-archive/LICENSE", "words"}, {"cuda_nvml_dev-archive/include/nvml.h", header()}});
    server_.serve("/redist/", "<a href=\"redistrib_13.2.0.json\"></a><a href=\"redistrib_13.3.0.json\"></a>");
    server_.serve("/redist/redistrib_13.2.0.json", redistrib("13.2.51", sha256_hex(archive_)));
    server_.serve("/redist/redistrib_13.3.0.json", redistrib("13.3.29", sha256_hex(archive_)));
    server_.serve("/redist/cuda_nvml_dev/13.3.29.tar.xz", archive_);
  }

  test::HttpServer server_;
  std::string archive_;
};

TEST_F(Redist, OffersEveryIndexOfAFolder) {
  const auto offers = redist_source(server_.url("/redist")).list({});
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 2U);
  EXPECT_EQ((*offers)[0].version, "13.2.51");
  EXPECT_EQ((*offers)[1].version, "13.3.29");
}

TEST_F(Redist, TakesOneIndexToo) {
  const Source source = redist_source(server_.url("/redist/redistrib_13.3.0.json"));
  const auto offers = source.list({});
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 1U);
  EXPECT_EQ(source.fetch(offers->front()).value(), header());
}

TEST_F(Redist, RefusesOtherBytesThanTheIndexPromised) {
  server_.serve("/redist/cuda_nvml_dev/13.3.29.tar.xz", archive_of(Kind::tar_xz, {{"nvml.h", "int nvmlEvil(void);"}}));
  const Source source = redist_source(server_.url("/redist/redistrib_13.3.0.json"));
  const auto text = source.fetch(source.list({})->front());
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("its index says " + sha256_hex(archive_)), std::string::npos)
      << text.error().text();
}

TEST_F(Redist, RefusesAnIndexWithoutChecksum) {
  server_.serve("/redist/redistrib_13.3.0.json", redistrib("13.3.29", ""));
  const Source source = redist_source(server_.url("/redist/redistrib_13.3.0.json"));
  EXPECT_NE(source.fetch(source.list({})->front()).error().message.find("no SHA-256"), std::string::npos);
}

TEST_F(Redist, RefusesATruncatedArchive) {
  const std::string half = archive_.substr(0, archive_.size() / 2);
  server_.serve("/redist/cuda_nvml_dev/13.3.29.tar.xz", half);
  server_.serve("/redist/redistrib_13.3.0.json", redistrib("13.3.29", sha256_hex(half)));
  const Source source = redist_source(server_.url("/redist/redistrib_13.3.0.json"));
  EXPECT_NE(source.fetch(source.list({})->front()).error().message.find("damaged"), std::string::npos);
}

TEST_F(Redist, AFolderWithoutIndexIsAnError) {
  server_.serve("/empty/", "<html></html>");
  EXPECT_NE(redist_source(server_.url("/empty")).list({}).error().message.find("names no redistrib_*.json"),
            std::string::npos);
  server_.serve("/redist/redistrib_13.2.0.json", "{ broken");
  EXPECT_FALSE(redist_source(server_.url("/redist")).list({}));
  EXPECT_FALSE(redist_source(server_.url("/absent")).list({}));
}

TEST(CondaSource, TakesBothFormsOfPackages) {
  test::HttpServer server;
  const std::string old_form = archive_of(Kind::tar_bz2, {{"info/index.json", "{}"}, {"include/nvml.h", header()}});
  const std::string new_form = archive_of(
      Kind::zip,
      {{"metadata.json", "{}"},
       {"pkg-cuda-nvml-dev.tar.zst", archive_of(Kind::tar_zst, {{"targets/x86_64-linux/include/nvml.h", header()}})}});
  server.serve(
      "/nvidia/linux-64/repodata.json",
      fmt::format(
          R"({{"packages": {{"a-11.8.86-0.tar.bz2": {{"name": "cuda-nvml-dev", "version": "11.8.86", "sha256": "{}"}}}},
                              "packages.conda": {{"a-12.9.79-0.conda": {{"name": "cuda-nvml-dev", "version": "12.9.79", "sha256": "{}"}}}}}})",
          sha256_hex(old_form), sha256_hex(new_form)));
  server.serve("/nvidia/linux-64/a-11.8.86-0.tar.bz2", old_form);
  server.serve("/nvidia/linux-64/a-12.9.79-0.conda", new_form);
  const Source source = conda_source(server.url("/nvidia"));
  const auto offers = source.list({});
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 2U);
  for (const Offer& offer : *offers)
    EXPECT_EQ(source.fetch(offer).value(), header()) << offer.where;
}

TEST(InstalledSource, FindsToolkitsAndTheSystemsHeaderOnce) {
  const test::TemporaryFolder machine;
  machine.write("usr/include/nvml.h", header());
  machine.write("usr/local/cuda-13.3/targets/x86_64-linux/include/nvml.h",
                "/*** NVML VERSION: 13.3.29 ***/\n" + header());
  fs::create_directory_symlink("targets/x86_64-linux/include", machine.path() / "usr/local/cuda-13.3/include");
  fs::create_directory_symlink("cuda-13.3", machine.path() / "usr/local/cuda");
  const Source source = installed_source(machine.path());
  const auto offers = source.list({});
  ASSERT_TRUE(offers);
  ASSERT_EQ(offers->size(), 2U);
  EXPECT_EQ((*offers)[0].version, "") << "NVIDIA's header does not say it";
  EXPECT_EQ((*offers)[1].version, "13.3.29");
  EXPECT_EQ(source.fetch((*offers)[0]).value(), header());
  const test::TemporaryFolder bare;
  EXPECT_TRUE(installed_source(bare.path()).list({})->empty());
}

class Distribution : public testing::Test {
 protected:
  void play(std::string_view script) {
    root_.write("scripts/fetch-deb", script);
    fs::permissions(root_.path() / "scripts/fetch-deb", fs::perms::owner_all);
  }

  test::TemporaryFolder root_;
};

TEST_F(Distribution, ListsAndUnpacksThroughTheScript) {
  root_.write("payload/nvml.h", header());
  play(
      "#!/bin/sh\nif [ \"$1\" = --list ]; then printf '12.2.140~12.2.2-2\\n1:11.8.86~11.8.0-5\\n'; exit; fi\n"
      "[ \"$1\" = 'libnvidia-ml-dev=12.2.140~12.2.2-2' ] || exit 3\n"
      "mkdir -p \"$2/usr/include\" && cp \"$(dirname \"$0\")/../payload/nvml.h\" \"$2/usr/include\"\n");
  const Source source = distribution_source(root_.path());
  const auto offers = source.list({});
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 2U);
  EXPECT_EQ((*offers)[0].version, "12.2.140");
  EXPECT_EQ((*offers)[1].version, "11.8.86");
  const auto text = source.fetch(offers->front());
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(*text, header());
}

TEST_F(Distribution, PassesTheScriptsSentenceOn) {
  play("#!/bin/sh\necho progress >&2\necho 'fetch-deb: libnvidia-ml-dev cannot be had: offline' >&2\nexit 2\n");
  EXPECT_EQ(distribution_source(root_.path()).list({}).error().message,
            "fetch-deb: libnvidia-ml-dev cannot be had: offline");
}

TEST_F(Distribution, WithoutScriptIsAnError) { EXPECT_FALSE(distribution_source(root_.path()).list({})); }

// Pip itself, asked for an index on loopback in the form that package indexes have.
TEST(WheelSource, ListsAndFetchesThroughPip) {
  const auto there = run_program({"python3", "-m", "pip", "--version"});
  const bool usable = there && there->exit_code == 0;
  if (!usable && test::environment("CI") != "true") GTEST_SKIP() << "python3 -m pip is not here";
  ASSERT_TRUE(usable) << "python3 -m pip is not here";

  test::HttpServer server;
  const std::string name = "nvidia_nvml_dev-13.3.29-py3-none-any.whl";
  const std::string wheel = archive_of(Kind::zip, {{"nvidia/cu13/include/nvml.h", header()},
                                                   {"nvidia_nvml_dev-13.3.29.dist-info/METADATA",
                                                    "Metadata-Version: 2.1\nName: nvidia-nvml-dev\nVersion: 13.3.29\n"},
                                                   {"nvidia_nvml_dev-13.3.29.dist-info/WHEEL",
                                                    "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
                                                   {"nvidia_nvml_dev-13.3.29.dist-info/RECORD", ""}});
  server.serve("/simple/nvidia-nvml-dev/",
               {fmt::format("<!DOCTYPE html><html><body><a href=\"/files/{0}#sha256={1}\">{0}</a></body></html>", name,
                            sha256_hex(wheel)),
                "200 OK", "Content-Type: text/html\r\n", 0});
  server.serve("/files/" + name, wheel);
  ::setenv("PIP_INDEX_URL", server.url("/simple").c_str(), 1);
  ::setenv("PIP_EXTRA_INDEX_URL", "", 1);
  ::setenv("PIP_FIND_LINKS", "", 1);
  ::setenv("PIP_CONFIG_FILE", "/dev/null", 1);
  ::setenv("PIP_NO_CACHE_DIR", "1", 1);
  ::setenv("PIP_RETRIES", "0", 1);
  const Source source = wheel_source();
  const auto offers = source.list("13.3");
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 1U);
  EXPECT_EQ(offers->front().version, "13.3.29");
  const auto text = source.fetch(offers->front());
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(*text, header());
  EXPECT_FALSE(source.list("12.9")) << "that package is not in this index";
  server.serve("/files/" + name, wheel + "damage");
  EXPECT_FALSE(source.fetch(offers->front())) << "pip checks the hash";
  for (const char* variable :
       {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONFIG_FILE", "PIP_NO_CACHE_DIR", "PIP_RETRIES"})
    ::unsetenv(variable);
}

TEST(FetchNamed, TakesFilesArchivesAndAddresses) {
  const test::TemporaryFolder folder;
  folder.write("nvml.h", header());
  folder.write("x.whl", archive_of(Kind::zip, {{"nvml.h", header()}}));
  EXPECT_EQ(fetch_named((folder.path() / "nvml.h").string()).value(), header());
  EXPECT_EQ(fetch_named((folder.path() / "x.whl").string()).value(), header());
  test::HttpServer server;
  server.serve("/nvml.h", header());
  server.serve("/x.tar.xz", archive_of(Kind::tar_xz, {{"nvml.h", header()}}));
  EXPECT_EQ(fetch_named(server.url("/nvml.h")).value(), header());
  EXPECT_EQ(fetch_named(server.url("/x.tar.xz")).value(), header());
  EXPECT_FALSE(fetch_named("/nowhere/nvml.h"));
  EXPECT_FALSE(fetch_named(server.url("/absent")));
}

TEST(Identify, ByFactsAlone) {
  const Registry registry =
      merge({test::extracted("void nvmlA(void);", "1.0"), test::extracted("void nvmlA(void); void nvmlB(void);", "1.1"),
             test::extracted("void nvmlA(void); void nvmlB(void);", "1.2")})
          .value();
  using Names = std::vector<std::string>;
  EXPECT_EQ(releases_with_facts_of(registry, test::extracted("/* wrapped */ void nvmlA(void);", "0")), (Names{"1.0"}));
  EXPECT_EQ(releases_with_facts_of(registry, test::extracted("void nvmlA(void); void nvmlB(void);", "0")),
            (Names{"1.1", "1.2"}));
  EXPECT_EQ(releases_with_facts_of(registry, test::extracted("void nvmlA(int a);", "0")), Names{});
}

}  // namespace
}  // namespace nvmlab::codegen
