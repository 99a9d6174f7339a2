// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/page.hpp"

#include <gtest/gtest.h>

#include "catalogue/schema.hpp"

namespace lq::catalogue {
namespace {

TEST(ReportPage, MakesNothingOfMetadataMarkup) {
  EXPECT_EQ(inside_html("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(inside_html("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(inside_script(R"(["</script><script>"])"), R"(["\u003c/script>\u003cscript>"])");

  const Database database = make_in_memory();
  database.run(
      "INSERT INTO files (path, size, modified_ns, settled, modified, device, inode, fields, series, state, "
      "indexed_at, "
      "checksum) VALUES ('/x/</script><img src=x onerror=alert(1)>', 1, 0, 1, '', 0, 0, 0, 's', 'damaged', '', "
      "'{{script}}')");
  const std::string page = page_text(database, {}, "<script>title</script>");
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<script>title"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;title"), std::string::npos);
  // What is filled in is not filled again.
  EXPECT_NE(page.find("\"{{script}}\""), std::string::npos);
}

TEST(ReportPage, AsksNobodyForAnything) {
  const std::string page = page_text(make_in_memory(), {}, "empty");
  for (const char* asks : {"src=", "<link", "@import", "url(", "fetch(", "XMLHttp", "https:"}) {
    EXPECT_EQ(page.find(asks), std::string::npos) << asks;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace lq::catalogue
