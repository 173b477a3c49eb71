// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own headers, where this machine has some in build/headers: what extract() reads is what the committed
// registry gives back.
#include <gtest/gtest.h>

#include "codegen/parser/header_parser.hpp"
#include "codegen/validate/probe.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

TEST(CachedHeaders, ReadAsTheRegistrySays) {
  const auto headers = test::cached_headers();
  if (headers.empty()) GTEST_SKIP() << "no header of NVIDIA's here; get some with `nvmlgen fetch RELEASE`";
  const std::vector<std::string> known = test::committed_registry().versions();
  std::size_t compared = 0;
  for (const test::CachedHeader& header : headers) {
    if (std::ranges::find(known, header.version) == known.end()) continue;
    auto read = extract_file(header.path, header.version);
    ASSERT_TRUE(read) << read.error().text();
    const Release stored = view(test::committed_registry(), header.version).value();
    read->sha256 = stored.sha256;  // the same facts come in differently wrapped files
    EXPECT_TRUE(*read == stored) << header.version << " reads differently than model/facts/nvml.json says";
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

TEST(CachedHeaders, AnotherCompilerAgreesAboutTheNewest) {
  std::vector<test::CachedHeader> headers = test::cached_headers();
  if (headers.empty()) GTEST_SKIP() << "no header of NVIDIA's here; get some with `nvmlgen fetch RELEASE`";
  const std::vector<std::string> known = test::committed_registry().versions();
  std::erase_if(headers, [&](const auto& header) { return std::ranges::find(known, header.version) == known.end(); });
  const auto newest = std::ranges::max_element(headers, VersionLess{}, &test::CachedHeader::version);
  ASSERT_NE(newest, headers.end());
  const auto wrong = wrong_answers(view(test::committed_registry(), newest->version).value(), newest->path, "cc");
  ASSERT_TRUE(wrong) << wrong.error().text();
  EXPECT_EQ(*wrong, std::vector<std::string>{});
}

}  // namespace
}  // namespace nvmlab::codegen
