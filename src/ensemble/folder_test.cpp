// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folder.hpp"

#include <gtest/gtest.h>

#include "io/journal.hpp"

namespace lq::ensemble {
namespace {

constexpr std::int64_t day = longest_writing;
constexpr std::int64_t now = 100 * day;

FileInspection inspection(std::string path, std::uint64_t size = 19712) {
  FileInspection made;
  made.path = std::move(path);
  made.size = size;
  made.modified = now - 3 * day;
  return made;
}

FileInspection recognised(std::string path, std::uint64_t size = 19712) {
  FileInspection made = inspection(std::move(path), size);
  made.is_recognised = true;
  return made;
}

// An ensemble of three, and what else lies there.
class Folder : public ::testing::Test {
 protected:
  Folder() {
    for (const char* path : {"/run/conf.100", "/run/conf.110", "/run/conf.120"}) neighbours_.add(recognised(path));
    neighbours_.add(recognised("/other/7/lattice"));
  }

  FileRole role(const FileInspection& one) {
    neighbours_.add(one);
    return neighbours_.place_of(one, now).role;
  }

  Neighbours neighbours_;
};

TEST_F(Folder, HoldsEntriesAndStrangers) {
  EXPECT_EQ(role(recognised("/run/conf.130")), FileRole::entry);
  for (const char* path : {"/run/README", "/run/job.log", "/run/conf.100.xml", "/run/conf.log.17", "/run/conf",
                           "/run/more/conf.140", "/run/conf.100.md5"}) {
    EXPECT_EQ(role(inspection(path, 77)), FileRole::stranger) << path;
  }
}

TEST_F(Folder, MissesWhatOughtToBeAnEntry) {
  EXPECT_EQ(role(inspection("/run/conf.140", 77)), FileRole::lost);         // the series
  EXPECT_EQ(role(inspection("/run/conf.150.gz", 77)), FileRole::lost);      // the same, compressed
  EXPECT_EQ(role(inspection("/run/anything", 19712)), FileRole::lost);      // the size
  EXPECT_EQ(role(inspection("/run/anything", 19711)), FileRole::stranger);  //
  EXPECT_EQ(role(inspection("/far/x.ildg", 77)), FileRole::lost);           // the suffix
  EXPECT_EQ(role(inspection("/far/x.h5.xz", 77)), FileRole::lost);          //
  EXPECT_EQ(role(inspection("/far/x.LIME", 77)), FileRole::lost);           //
  EXPECT_EQ(role(inspection("/other/8/lattice", 77)), FileRole::lost);      // the name, in the folder beside
  EXPECT_EQ(role(inspection("/elsewhere/8/lattice", 77)), FileRole::stranger);
  FileInspection catalogued = inspection("/far/anything", 77);
  catalogued.was_entry = true;
  EXPECT_EQ(role(catalogued), FileRole::lost);
  FileInspection remains = inspection("/far/another", 0);
  remains.has_remains = true;
  EXPECT_EQ(role(remains), FileRole::lost);
  remains.path = "/far/job.err";  // nothing was to be told
  EXPECT_EQ(role(remains), FileRole::stranger);
}

TEST_F(Folder, NamesTheReason) {
  EXPECT_EQ(neighbours_.place_of(inspection("/run/conf.140", 0), now).reason, "its name is one of conf.*");
  EXPECT_EQ(neighbours_.place_of(inspection("/run/x.nersc", 0), now).reason, "its name has the suffix .nersc");
}

TEST_F(Folder, KnowsWritersAndWhatTheyLeftBehind) {
  for (const char* path :
       {"/run/.conf.130.1a2b3c4d", "/run/conf.130.1a2b3c4d.part", "/run/.conf.130.lq-copy", "/run/.conf.130.lq-copied",
        "/run/conf.130.h5.lq-journal", "/run/.conf.130.h5.lq-journal", "/run/conf.130.ildg.part",
        "/run/.conf.130.ildg.Ab12Cd", "/run/.nfs000000000012ab3400000001"}) {
    FileInspection temporary = recognised(path);
    EXPECT_EQ(role(temporary), FileRole::leftover) << path;
    temporary.modified = now - day / 2;
    EXPECT_EQ(role(temporary), FileRole::being_written) << path;
    EXPECT_EQ(verdict_of(role(temporary)), Verdict::being_written);
  }
}

TEST_F(Folder, LetsEntriesAnswerForTheirParts) {
  FileInspection set = recognised("/run/set");
  set.parts = {"/run/set.1.0000", "/run/set.1.0001", "/run/.set.fields.1a2b3c4d"};
  EXPECT_EQ(role(set), FileRole::entry);
  EXPECT_EQ(role(recognised("/run/set.1.0000")), FileRole::part);
  EXPECT_EQ(role(inspection("/run/set.1.0001", 77)), FileRole::part);
  EXPECT_EQ(role(inspection("/run/.set.fields.1a2b3c4d", 77)), FileRole::part);  // under its temporary name
  EXPECT_EQ(role(inspection("/run/set.1.0002", 77)), FileRole::lost);            // which the set knows nothing of
  EXPECT_EQ(role(inspection("/run/set.lq-journal", 77)), FileRole::part);
  EXPECT_EQ(role(inspection("/run/.set.lq-journal", 77)), FileRole::part);
  const FileInspection longest = recognised("/run/" + std::string(255, 'n'));
  const FileInspection journal = inspection(io::journal_path(longest.path), 77);
  EXPECT_EQ(role(journal), FileRole::leftover);
  EXPECT_EQ(role(longest), FileRole::entry);
  EXPECT_EQ(role(journal), FileRole::part);
  FileInspection volume = recognised("/run/v.vol0001");
  volume.part_of = "/run/v.vol0000";
  EXPECT_EQ(role(volume), FileRole::entry);  // which nobody has told of
  EXPECT_EQ(role(recognised("/run/v.vol0000")), FileRole::entry);
  EXPECT_EQ(role(volume), FileRole::part);
}

}  // namespace
}  // namespace lq::ensemble
