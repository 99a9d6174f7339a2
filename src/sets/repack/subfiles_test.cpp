// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of subfiles of which some are lost: what is left comes back in its place, bytes and slices that are not are
// told.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>

#include "base/path.hpp"
#include "io/journal.hpp"
#include "io/verify.hpp"
#include "storage/owners.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/plain_set.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::put_contents;

const Extents sites{4, 2, 4, 8};

class RepairedSubfiles : public ::testing::Test {
 protected:
  RepairedSubfiles() {
    const std::vector<double> links = testing::formula_sites<double>(Grid(sites), 72);
    write(file_, Grid(sites), gauge(links));
    bytes_ = contents(file_);
  }
  Partition partition(const std::string& cuts) const {
    const Payload payload = inspect(file_).fields.front().payload;
    return Partition::parse(
        {.begin = payload.offset, .element_bytes = payload.site_bytes(), .extents = {sites.begin(), sites.end()}},
        cuts);
  }
  std::string make_set(const std::string& cuts) { return testing::put_set(set_, bytes_, partition(cuts)); }
  // The file with zeros where these parts have its bytes, from byte `from` of a part on.
  std::string without(const std::string& cuts, std::uint64_t part, std::uint64_t from = 0) const {
    const Partition dealt = partition(cuts);
    const FileArray& array = dealt.array();
    std::string rest = bytes_;
    const auto places = testing::places_by_dealing(array, dealt.cuts());
    for (std::uint64_t e = 0; e < array.elements(); ++e) {
      const PartPlace& place = places[e];
      if (place.part != part || (place.position + 1) * array.element_bytes <= from) continue;
      const std::uint64_t kept =
          from > place.position * array.element_bytes ? from - place.position * array.element_bytes : 0;
      rest.replace(array.begin + e * array.element_bytes + kept, array.element_bytes - kept, array.element_bytes - kept,
                   '\0');
    }
    return rest;
  }
  testing::ScratchDirectory folder_;
  std::string file_ = folder_ / "conf.ildg", set_ = folder_ / "conf.set", to_ = folder_ / "rescued.ildg", bytes_;
};

TEST_F(RepairedSubfiles, AreNamedAndTheOthersRescued) {
  make_set("t=block:4");
  fs::remove(set_ + ".1");
  fs::resize_file(set_ + ".3", 576 * 32 + 100);  // a time slice and a bit
  const Error refused = error_of([&] { repair(set_, ""); });
  EXPECT_EQ(refused.code(), Code::not_found);
  EXPECT_EQ(refused.facts().path, set_ + ".1");
  EXPECT_NE(std::string(refused.what()).find("conf.set.3"), std::string::npos) << refused.what();
  const RepackReport report = repair(set_, to_);
  EXPECT_EQ(report.format, "ildg");
  EXPECT_EQ(report.fields, 1U);
  ASSERT_GE(report.findings.size(), 2U);  // and what an examination of the result says
  EXPECT_EQ(report.verdict, Verdict::damaged);
  const Finding &missing = report.findings[0], &cut = report.findings[1];
  EXPECT_EQ(missing.severity, Severity::error);
  EXPECT_EQ(missing.code, Code::not_found);
  EXPECT_EQ(missing.length, 2 * 576 * 32U);
  EXPECT_NE(missing.message.find("slices 2 to 3 of 8"), std::string::npos) << missing.message;
  EXPECT_EQ(cut.code, Code::truncated);
  EXPECT_EQ(cut.length, 576 * 32 - 100U);
  EXPECT_NE(cut.message.find("slices 7 of 8"), std::string::npos) << cut.message;
  std::string expected = without("t=block:4", 1);
  const std::uint64_t tail = partition("whole").array().end() - (576 * 32 - 100);
  expected.replace(tail, 576 * 32 - 100, 576 * 32 - 100, '\0');
  EXPECT_TRUE(contents(to_) == expected);
  EXPECT_EQ(io::verify(to_).fields.at(0).damaged_slices, (std::vector<std::int64_t>{2, 3, 7}));
  EXPECT_FALSE(fs::exists(set_ + ".1"));
}

TEST_F(RepairedSubfiles, ThatAreShortKeepWhatTheyHave) {
  const std::string cuts = "x=cyclic:2,z=block:2";
  make_set(cuts);
  fs::resize_file(set_ + ".2", 1000);
  const RepackReport report = repair(set_, to_);
  EXPECT_TRUE(contents(to_) == without(cuts, 2, 1000));
  EXPECT_EQ(report.findings.at(0).length, 576 * 64 - 1000U);
}

TEST_F(RepairedSubfiles, WithTheHeadersLeaveBytesInTheirPlaces) {
  make_set("t=block:2");
  fs::remove(set_ + ".0");
  const RepackReport report = repair(set_, to_);
  EXPECT_EQ(report.format, "");
  const std::uint64_t half = partition("whole").array().begin + 4 * 576 * 32;
  EXPECT_TRUE(contents(to_) == std::string(half, '\0') + bytes_.substr(half, 4 * 576 * 32) +
                                   std::string(bytes_.size() - half - 4 * 576 * 32, '\0'));
}

TEST_F(RepairedSubfiles, ThatAreAllThereAreMendedAsTheFileThatTheyWere) {
  make_set("t=block:4");
  EXPECT_FALSE(repair(set_, "").needed);
  EXPECT_FALSE(repair(set_, to_).needed);
  EXPECT_FALSE(fs::exists(to_));
  {
    std::fstream subfile(set_ + ".2", std::ios::binary | std::ios::in | std::ios::out);
    subfile.seekp(1000);
    subfile.put(static_cast<char>(~contents(set_ + ".2")[1000]));
  }
  EXPECT_EQ(error_of([&] { repair(set_, ""); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { repair(set_, set_, {.overwrite = true}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { repair(set_, set_ + ".2", {.overwrite = true}); }).code(), Code::invalid_argument);
  repair(set_, to_);  // a single byte, which the checksums locate
  EXPECT_TRUE(contents(to_) == bytes_);
}

// Whichever byte of the description it is, its checksum tells.
TEST_F(RepairedSubfiles, AreFoundThroughADescriptionWithOneDamagedByte) {
  make_set("t=block:4");
  const std::string description = contents(set_);
  for (std::size_t at = 0; at < description.size(); at += at < 40 ? 1 : 7) {
    SCOPED_TRACE(at);
    std::string damaged = description;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x09);
    put_contents(set_, damaged);
    const RepackReport report = repair(set_, to_, {.overwrite = true});
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings.front().rule, "repair-description");
    EXPECT_EQ(report.findings.front().offset, at);
    ASSERT_TRUE(contents(to_) == bytes_);
    EXPECT_TRUE(contents(set_) == damaged);
  }
  // Two of them do not.
  put_contents(set_, "Limequat Partitioned" + description.substr(20));
  EXPECT_NE(error_of([&] { repair(set_, to_, {.overwrite = true}); }).code(), Code::ok);
}

TEST_F(RepairedSubfiles, AreRidOfWhatWasLeftBesideThem) {
  make_set("t=block:4");
  const std::string journal = io::journal_path(set_),
                    unfinished = base::hidden_name(set_, base::unfinished_copy_ending),
                    record = base::hidden_name(set_, base::copied_ending), other = folder_ / "conf.set.new";
  put_contents(journal, "of another file");
  put_contents(record, "no record");
  // An unfinished set that shares a subfile with the one that is there, has one of its own, and names a stranger.
  const std::string description = contents(set_);
  PartitionedFile rest = storage::decode_description(base::as_bytes(description), set_);
  rest.files[0].path = set_ + ".1";
  rest.files[1].path = other;
  rest.files[2].path = file_;
  put_contents(other, "half");
  put_contents(unfinished, storage::encode_description(rest));
  const RepackReport planned = repair(set_, "", {.dry_run = true});
  EXPECT_EQ(planned.findings.size(), 3U);
  EXPECT_TRUE(fs::exists(journal) && fs::exists(unfinished) && fs::exists(record) && fs::exists(other));
  const RepackReport report = repair(set_, "");
  EXPECT_EQ(report.findings.size(), 3U);
  EXPECT_EQ(report.files, std::vector<std::string>{set_});
  EXPECT_FALSE(fs::exists(journal) || fs::exists(unfinished) || fs::exists(record) || fs::exists(other));
  EXPECT_TRUE(fs::exists(file_));
  EXPECT_TRUE(diff(set_, file_).same);
}

TEST_F(RepairedSubfiles, KeepWhatIsBeingMade) {
  make_set("t=block:4");
  const std::string unfinished = base::hidden_name(set_, base::unfinished_copy_ending),
                    record = base::hidden_name(set_, base::copied_ending);
  put_contents(record, "no record");
  put_contents(unfinished, "no description");
  {
    const storage::WriterLock making = storage::lock_of_copy(set_);
    const Error refused = error_of([&] { repair(set_, ""); });
    EXPECT_EQ(refused.code(), Code::wrong_state);
    EXPECT_NE(std::string(refused.what()).find(record), std::string::npos) << refused.what();
    EXPECT_TRUE(fs::exists(unfinished) && fs::exists(record));
  }
  EXPECT_EQ(repair(set_, "").findings.size(), 2U);
  EXPECT_FALSE(fs::exists(unfinished) || fs::exists(record));
}

}  // namespace
}  // namespace lq
