// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folder.hpp"

#include <gtest/gtest.h>

#include "io/journal.hpp"

namespace lq::ensemble {
namespace {

constexpr std::int64_t day = longest_writing;
constexpr std::int64_t now = 100 * day;

Sighting sighting(std::string path, std::uint64_t size = 19712) {
  Sighting made;
  made.path = std::move(path);
  made.size = size;
  made.modified = now - 3 * day;
  return made;
}

Sighting recognised(std::string path, std::uint64_t size = 19712) {
  Sighting made = sighting(std::move(path), size);
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

  Standing standing(const Sighting& one) {
    neighbours_.add(one);
    return neighbours_.place_of(one, now).standing;
  }

  Neighbours neighbours_;
};

TEST_F(Folder, HoldsEntriesAndStrangers) {
  EXPECT_EQ(standing(recognised("/run/conf.130")), Standing::entry);
  for (const char* path : {"/run/README", "/run/job.log", "/run/conf.100.xml", "/run/conf.log.17", "/run/conf",
                           "/run/more/conf.140", "/run/conf.100.md5"}) {
    EXPECT_EQ(standing(sighting(path, 77)), Standing::stranger) << path;
  }
}

TEST_F(Folder, MissesWhatOughtToBeAnEntry) {
  EXPECT_EQ(standing(sighting("/run/conf.140", 77)), Standing::lost);         // the series
  EXPECT_EQ(standing(sighting("/run/conf.150.gz", 77)), Standing::lost);      // the same, compressed
  EXPECT_EQ(standing(sighting("/run/anything", 19712)), Standing::lost);      // the size
  EXPECT_EQ(standing(sighting("/run/anything", 19711)), Standing::stranger);  //
  EXPECT_EQ(standing(sighting("/far/x.ildg", 77)), Standing::lost);           // the suffix
  EXPECT_EQ(standing(sighting("/far/x.h5.xz", 77)), Standing::lost);          //
  EXPECT_EQ(standing(sighting("/far/x.LIME", 77)), Standing::lost);           //
  EXPECT_EQ(standing(sighting("/other/8/lattice", 77)), Standing::lost);      // the name, in the folder beside
  EXPECT_EQ(standing(sighting("/elsewhere/8/lattice", 77)), Standing::stranger);
  Sighting catalogued = sighting("/far/anything", 77);
  catalogued.was_entry = true;
  EXPECT_EQ(standing(catalogued), Standing::lost);
  Sighting remains = sighting("/far/another", 0);
  remains.has_remains = true;
  EXPECT_EQ(standing(remains), Standing::lost);
  remains.path = "/far/job.err";  // nothing was to be told
  EXPECT_EQ(standing(remains), Standing::stranger);
}

TEST_F(Folder, NamesTheReason) {
  EXPECT_EQ(neighbours_.place_of(sighting("/run/conf.140", 0), now).reason, "its name is one of conf.*");
  EXPECT_EQ(neighbours_.place_of(sighting("/run/x.nersc", 0), now).reason, "its name has the suffix .nersc");
}

TEST_F(Folder, KnowsWritersAndWhatTheyLeftBehind) {
  for (const char* path :
       {"/run/.conf.130.1a2b3c4d", "/run/conf.130.1a2b3c4d.part", "/run/.conf.130.lq-copy", "/run/.conf.130.lq-copied",
        "/run/conf.130.h5.lq-journal", "/run/.conf.130.h5.lq-journal", "/run/conf.130.ildg.part",
        "/run/.conf.130.ildg.Ab12Cd", "/run/.nfs000000000012ab3400000001"}) {
    Sighting temporary = recognised(path);
    EXPECT_EQ(standing(temporary), Standing::leftover) << path;
    temporary.modified = now - day / 2;
    EXPECT_EQ(standing(temporary), Standing::being_written) << path;
    EXPECT_EQ(verdict_of(standing(temporary)), Verdict::being_written);
  }
}

TEST_F(Folder, LetsEntriesAnswerForTheirParts) {
  Sighting set = recognised("/run/set");
  set.parts = {"/run/set.1.0000", "/run/set.1.0001", "/run/.set.fields.1a2b3c4d"};
  EXPECT_EQ(standing(set), Standing::entry);
  EXPECT_EQ(standing(recognised("/run/set.1.0000")), Standing::part);
  EXPECT_EQ(standing(sighting("/run/set.1.0001", 77)), Standing::part);
  EXPECT_EQ(standing(sighting("/run/.set.fields.1a2b3c4d", 77)), Standing::part);  // under its temporary name
  EXPECT_EQ(standing(sighting("/run/set.1.0002", 77)), Standing::lost);            // which the set knows nothing of
  EXPECT_EQ(standing(sighting("/run/set.lq-journal", 77)), Standing::part);
  EXPECT_EQ(standing(sighting("/run/.set.lq-journal", 77)), Standing::part);
  const Sighting longest = recognised("/run/" + std::string(255, 'n'));
  const Sighting journal = sighting(io::journal_path(longest.path), 77);
  EXPECT_EQ(standing(journal), Standing::leftover);
  EXPECT_EQ(standing(longest), Standing::entry);
  EXPECT_EQ(standing(journal), Standing::part);
  Sighting volume = recognised("/run/v.vol0001");
  volume.part_of = "/run/v.vol0000";
  EXPECT_EQ(standing(volume), Standing::entry);  // which nobody has told of
  EXPECT_EQ(standing(recognised("/run/v.vol0000")), Standing::entry);
  EXPECT_EQ(standing(volume), Standing::part);
}

}  // namespace
}  // namespace lq::ensemble
