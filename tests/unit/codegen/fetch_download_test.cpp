// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/download.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/http_server.hpp"

namespace nvmlab::codegen {
namespace {

std::string error_of(const std::string& url, std::size_t limit = largest_download) {
  const auto bytes = download(url, limit);
  return bytes ? "(got " + *bytes + ")" : bytes.error().message;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Download, GivesBytesAsTheyAre) {
  test::HttpServer server;
  const std::string bytes("a\0b\r\n\xff", 6);
  server.serve("/file", bytes);
  EXPECT_EQ(download(server.url("/file")).value(), bytes);
  server.serve("/empty", "");
  EXPECT_EQ(download(server.url("/empty")).value(), "");
}

TEST(Download, FollowsRedirectsButNotForEver) {
  test::HttpServer server;
  server.serve("/old", {"", "302 Found", "Location: /new\r\n", 0});
  server.serve("/new", "here");
  EXPECT_EQ(download(server.url("/old")).value(), "here");
  server.serve("/ring", {"", "302 Found", "Location: /ring\r\n", 0});
  EXPECT_TRUE(holds(error_of(server.url("/ring")), "redirects")) << error_of(server.url("/ring"));
  server.serve("/file", {"", "302 Found", "Location: file:///etc/passwd\r\n", 0});
  EXPECT_FALSE(download(server.url("/file"))) << "never from a server to this machine's files";
}

TEST(Download, ErrorsNameTheAddressAndTheReason) {
  test::HttpServer server;
  EXPECT_TRUE(holds(error_of(server.url("/absent")), "/absent")) << error_of(server.url("/absent"));
  EXPECT_TRUE(holds(error_of(server.url("/absent")), "404"));
  server.serve("/short", {"half", "200 OK", "", 100});
  EXPECT_FALSE(download(server.url("/short"))) << "a broken-off answer is not the file";
  std::string nobody;
  {
    const test::HttpServer gone;
    nobody = gone.url("/x");
  }
  EXPECT_TRUE(holds(error_of(nobody), "onnect")) << error_of(nobody);
}

TEST(Download, IsBoundedInSize) {
  test::HttpServer server;
  server.serve("/large", std::string(std::size_t{3} << 20U, 'x'));
  EXPECT_TRUE(holds(error_of(server.url("/large"), std::size_t{1} << 20U), "larger than 1 MiB"));
  EXPECT_TRUE(download(server.url("/large"), std::size_t{3} << 20U));
}

TEST(Download, OnlyOverHttp) {
  for (const char* url : {"file:///etc/passwd", "ftp://host/file", "/etc/passwd", "", "javascript:1"})
    EXPECT_FALSE(download(url)) << url;
}

TEST(Url, IsJoined) {
  EXPECT_EQ(join_url("http://a/b", "c/d"), "http://a/b/c/d");
  EXPECT_EQ(join_url("http://a/b/", "/c"), "http://a/b/c");
  EXPECT_EQ(join_url("http://a/b/", "https://x/y"), "https://x/y");
}

}  // namespace
}  // namespace nvmlab::codegen
