// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/changes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace lq::ensemble {
namespace {

using PathList = std::vector<std::string>;

// Rows as a page has them: folder, name, four words, size, trajectory, plaquette, state, verified, checksum.
const std::string old_data = R"({"made":"2026-11-01T00:00:00Z","folders":["/x"],"files":[
  [0,"a.ildg",-1,-1,-1,-1,100,1,null,1,null,"aa/bb"],
  [0,"b.ildg",-1,-1,-1,-1,100,2,null,2,null,"cc/dd"],
  [0,"gone.ildg",-1,-1,-1,-1,100,3,null,2,null,null],
  [0,"d\u003cb>.ildg",-1,-1,-1,-1,100,4,null,1,null,null]],
  "words":["/x","indexed","sound"]})";
const std::string new_data = R"({"made":"2026-11-02T00:00:00Z","folders":["/x"],"files":[
  [2,"a.ildg",-1,-1,-1,-1,100,1,null,0,null,"aa/bb"],
  [2,"b.ildg",-1,-1,-1,-1,100,2,null,1,null,"ee/ff"],
  [2,"d\u003cb>.ildg",-1,-1,-1,-1,100,4,null,1,null,null],
  [2,"new.ildg",-1,-1,-1,-1,100,5,null,1,null,null]],
  "words":["sound","damaged","/x"]})";

TEST(Changes, AreToldByKind) {
  const auto changes = changes_between(old_data, new_data);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->since, "2026-11-01T00:00:00Z");
  EXPECT_EQ(changes->added.paths, PathList{"/x/new.ildg"});
  EXPECT_EQ(changes->gone.paths, PathList{"/x/gone.ildg"});
  EXPECT_EQ(changes->rewritten.paths, PathList{"/x/b.ildg"});
  EXPECT_EQ(changes->failed.paths, (PathList{"/x/b.ildg", "/x/d<b>.ildg"}));
  EXPECT_EQ(changes->verified.paths, PathList{"/x/a.ildg"});
  const auto none = changes_between(new_data, new_data);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->added.count + none->gone.count + none->rewritten.count + none->failed.count + none->verified.count,
            0U);
}

TEST(Changes, AreOfPagesAboutTheSameFoldersOnly) {
  std::string other = old_data;
  other.replace(other.find("[\"/x\"]"), 6, "[\"/y\"]");
  EXPECT_FALSE(changes_between(other, new_data));
  for (const char* text :
       {"", "{", "[]", "{}", "7", R"({"made":"today"})", R"({"made":["x"],"folders":["/x"],"files":3})",
        R"({"made":"x","folders":["/x"],"files":[[9,7],3,null,{}],"words":7})"}) {
    (void)changes_between(text, new_data);  // whatever was in the file, the page is made
  }
}

TEST(Changes, ListTheFirstHundredAndCountAll) {
  ChangedFiles files;
  for (int k = 0; k < 250; ++k) files.add(std::to_string(k));
  EXPECT_EQ(files.count, 250U);
  EXPECT_EQ(files.paths.size(), ChangedFiles::most_listed);
}

TEST(Changes, AreReadFromThePage) {
  EXPECT_EQ(data_of_page(R"(<p><script type="application/json" id="data">{"a":1}</script><script>x</script>)"),
            "{\"a\":1}");
  EXPECT_EQ(data_of_page("a text"), "");
  EXPECT_EQ(data_of_page(R"(<script type="application/json" id="data">{"a":1})"), "");
}

// Pages of very many files have a part of them, not each time the same: others are neither new nor gone.
TEST(Changes, OfPagesThatLeaveFilesOutAreThoseOfFilesInBoth) {
  std::string partial = new_data;
  partial.insert(1, R"("totals":{"files":9,"left_out":5},)");
  for (const auto& [before, now] : {std::pair{old_data, partial}, std::pair{partial, old_data}}) {
    const auto changes = changes_between(before, now);
    ASSERT_TRUE(changes);
    EXPECT_TRUE(changes->is_partial);
    EXPECT_EQ(changes->added.count + changes->gone.count, 0U);
    EXPECT_EQ(changes->rewritten.paths, PathList{"/x/b.ildg"});
  }
}

}  // namespace
}  // namespace lq::ensemble
