// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <string>

#include <fmt/format.h>
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

// Files 0, 1, 2, ... in a chain; every thousandth is damaged.
Database with_files(int count) {
  Database database = make_in_memory();
  database
      .prepare(
          "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) INSERT INTO files (id, "
          "path, size, modified_ns, settled, modified, device, inode, fields, series, state, indexed_at, trajectory, "
          "plaquette, checksum) SELECT i, '/run/conf.' || substr('0000000' || i, -7) || '.ildg', 100, 0, 1, '', 0, i, "
          "1, '/run/conf.*.ildg', CASE WHEN i % 1000 = 7 THEN 'damaged' ELSE 'sound' END, '', 10 * i, 0.59 + 1e-6 * "
          "(i * 7919 % 101), 'a' || i FROM n")
      .bind(count)
      .run();
  return database;
}

std::size_t times_in(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(ReportPage, OfVeryManyFilesHasApartOfThemAndSaysSo) {
  const std::string page = page_text(with_files(90'000), {}, "title");
  EXPECT_LT(page.size(), 5'000'000U);
  EXPECT_EQ(times_in(page, "\"conf."), 20'000U);
  EXPECT_NE(page.find(R"("totals":{"files":90000,"left_out":70000,"bytes":9000000,"parity":0)"), std::string::npos);
  EXPECT_NE(page.find(R"("states":{"damaged":90,"sound":89910})"), std::string::npos);
  // What is not in order is in it, the means are those of all, and the chain is covered from end to end.
  for (int i = 7; i < 90'000; i += 1000) EXPECT_NE(page.find(fmt::format("\"conf.{:07}", i)), std::string::npos) << i;
  EXPECT_NE(page.find(R"("ensemble":-1,"count":89910,"mean":0.5900)"), std::string::npos);
  for (int i = 0; i < 90'000; i += 100) EXPECT_NE(page.find(fmt::format("\"conf.{:05}", i / 100)), std::string::npos);
}

TEST(ReportPage, OfTenThousandFilesHasAll) {
  const std::string page = page_text(with_files(10'000), {}, "title");
  EXPECT_LT(page.size(), 5'000'000U);
  EXPECT_EQ(times_in(page, "\"conf."), 10'000U);
  EXPECT_NE(page.find(R"("left_out":0)"), std::string::npos);
}

TEST(ReportPage, OfMostlyDamagedFilesLeavesOutDamagedOnesToo) {
  const Database database = with_files(50'000);
  database.run("UPDATE files SET state = 'damaged' WHERE id % 10 <> 3");
  const std::string page = page_text(database, {}, "title");
  EXPECT_EQ(times_in(page, "\"conf."), 20'000U);
  EXPECT_NE(page.find(R"("states":{"damaged":45000,"sound":5000})"), std::string::npos);
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
