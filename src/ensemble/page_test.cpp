// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <gtest/gtest.h>

#include "ensemble/database.hpp"

namespace lq::ensemble {
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

// A mismatch is of all data; where a byte is known to be wrong, the map shows that.
TEST(ReportPage, ShowsTheStretchThatIsToldMostExactly) {
  const Database database = make_in_memory();
  database.run(
      "INSERT INTO files (id, path, size, modified_ns, settled, modified, device, inode, fields, series, state, "
      "indexed_at) VALUES (1, '/x/a.lime', 9000, 0, 1, '', 0, 0, 1, 's', 'damaged', '')");
  database.run(
      "INSERT INTO findings VALUES (1, 'verify', 'error', 'checksum', 'all', 1000, 8000), (1, 'verify', 'error', "
      "'byte', "
      "'one', 2000, 8), (1, 'verify', 'error', 'links', 'all again', 1000, 8000), (1, 'verify', 'error', 'edge', "
      "'over', 8990, 9223372036854775807), (1, 'verify', 'error', 'nowhere', 'no place', NULL, NULL)");
  const std::string page = page_text(database, {}, "title");
  EXPECT_NE(page.find("\"hurt\":[[8990,9223372036854775807],[2000,8]]"), std::string::npos)
      << page.substr(page.find("\"hurt\""), 80);
}

TEST(ReportPage, HasObservablesOfFilesAsTheyAre) {
  const Database database = make_in_memory();
  database.run(
      "INSERT INTO files (id, path, size, modified_ns, settled, modified, device, inode, fields, series, state, "
      "indexed_at) VALUES (1, '/x/a.lime', 1, 0, 1, '', 0, 0, 1, 's', 'sound', ''), (2, '/x/b.lime', 1, 7, 1, '', 0, "
      "0, "
      "1, 's', 'sound', '')");
  database.run(
      "DROP TABLE temp.observables; CREATE TABLE observables (file_id, name, value, size, modified_ns); INSERT INTO "
      "observables VALUES (1, "
      "'charge', "
      "0.5, 1, 6), (2, 'charge', 1.5, 1, 7), (2, 'flow_steps', 3, 1, 7)");
  const std::string page = page_text(database, {}, "title");
  EXPECT_NE(page.find(R"("files":[[1,null,null,null,null,null,1.5,null,null,null,null,null,null]]})"),
            std::string::npos)
      << page.substr(page.find("\"observables\""), 400);
}

TEST(ReportPage, AsksNobodyForAnything) {
  const std::string page = page_text(make_in_memory(), {}, "empty");
  for (const char* asks : {"src=", "<link", "@import", "url(", "fetch(", "XMLHttp", "https:"}) {
    EXPECT_EQ(page.find(asks), std::string::npos) << asks;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace lq::ensemble
