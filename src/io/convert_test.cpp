// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion and comparison: the numbers and the texts arrive, on any number of ranks, and nothing else does.
#include <gtest/gtest.h>

#include <filesystem>

#include <limequat/limequat.hpp>

#include "io/verify.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;

class Conversion : public ::testing::Test {
 protected:
  void write(const std::string& path, const WriteOptions& options, double shift = 0) {
    std::vector<double> links = testing::formula_sites<double>(grid_, 72);
    links.back() += shift;
    lq::write(path, grid_, gauge(links), options);
  }
  std::vector<std::string> texts(const std::string& path, const std::string& wanted) {
    std::vector<std::string> found;
    const Catalog catalog = inspect(path);
    for (const auto& [name, text] : catalog.field().metadata) {
      if (name == wanted) found.push_back(text);
    }
    return found;
  }

  testing::ScratchDirectory directory_;
  std::string from_ = directory_ / "from.scidac", to_ = directory_ / "to.ildg";
  Grid grid_{Extents{4, 3, 2, 5}};
};

TEST_F(Conversion, KeepsNumbersChecksumAndTexts) {
  write(from_, {.metadata = {{"xlf-info", "beta = 6.0"}, {"note", "one"}, {"note", "two"}}});
  const Report report = convert(from_, to_);
  EXPECT_EQ(report.format, "ildg");
  EXPECT_EQ(report.checksum, inspect(from_).field().sums.checksum());
  EXPECT_TRUE(diff(from_, to_).same);
  EXPECT_EQ(texts(to_, "xlf-info"), (std::vector<std::string>{"beta = 6.0"}));
  EXPECT_EQ(texts(to_, "note"), (std::vector<std::string>{"one", "two"}));
}

TEST_F(Conversion, ReplacesTextsOfTheSameName) {
  write(from_, {.metadata = {{"note", "one"}}});
  convert(from_, to_, {}, {.write = {.metadata = {{"note", "three"}}}});
  EXPECT_EQ(texts(to_, "note"), (std::vector<std::string>{"three"}));
}

TEST_F(Conversion, ReplacesWhatATextGivesUnderThatName) {
  write(from_, {.metadata = {{"xlf-info", "plaquette = 0.5\n trajectory nr = 7\n beta = 6.0, kappa = 0.125\n"},
                             {"scidac-record-xml", "<usqcdInfo><plaq>0.5</plaq></usqcdInfo>"}}});
  convert(from_, to_, {}, {.write = {.metadata = {{"beta", "5.9"}, {"trajectory", "8"}, {"plaquette", "0.25"}}}});
  EXPECT_EQ(texts(to_, "xlf-info"),
            (std::vector<std::string>{"plaquette = 0.25\n trajectory nr = 8\n beta = 5.9, kappa = 0.125\n"}));
  EXPECT_EQ(texts(to_, "scidac-record-xml"), (std::vector<std::string>{"<usqcdInfo><plaq>0.25</plaq></usqcdInfo>"}));
  EXPECT_TRUE(texts(to_, "beta").empty() && texts(to_, "trajectory").empty());
  EXPECT_EQ(inspect(to_).field().plaquette, 0.25);
}

TEST_F(Conversion, TakesCapitalsInTheNameOfATextForTheSameName) {
  const std::string named = directory_ / "named.ildg";
  write(named, {.metadata = {{"ildg-data-lfn", "lfn://old"}}});
  convert(named, to_, {}, {.write = {.metadata = {{"ildg-data-LFN", "lfn://new"}}}});
  EXPECT_EQ(texts(to_, "ildg-data-lfn"), (std::vector<std::string>{"lfn://new"}));
}

TEST_F(Conversion, LeavesOutTextsAboutTheNumbersWhenTheirPrecisionChanges) {
  write(from_, {.metadata = {{"grid-format", "<FieldMetaData/>"}}});
  convert(from_, to_);
  EXPECT_EQ(texts(to_, "grid-format").size(), 1U);
  convert(from_, to_, {}, {.write = {.precision = Precision::single, .overwrite = true}});
  EXPECT_TRUE(texts(to_, "grid-format").empty());
}

TEST_F(Conversion, OnSeveralRanksGivesTheSameFile) {
  write(from_, {});
  convert(from_, to_);
  const std::string alone = testing::contents(to_);
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    convert(from_, to_, Communicator(std::move(comm)), {.write = {.overwrite = true}});
  });
  EXPECT_EQ(testing::contents(to_), alone);
}

TEST_F(Conversion, DryRunWritesNothing) {
  write(from_, {});
  convert(from_, to_, {}, {.dry_run = true});
  EXPECT_FALSE(std::filesystem::exists(to_));
}

TEST_F(Conversion, DryRunTellsWhatWouldBeWritten) {
  write(from_, {});
  const WriteOptions single{.precision = Precision::single};
  const Report said = convert(from_, to_, {}, {.write = single, .dry_run = true});
  const Report done = convert(from_, to_, {}, {.write = single});
  EXPECT_EQ(said.format, done.format);
  EXPECT_EQ(said.spec, done.spec);
  EXPECT_EQ(said.bytes, done.bytes);
}

TEST_F(Conversion, DryRunMeetsEveryComplaintOfTheConversion) {
  write(from_, {});
  for (const WriteOptions& refused : {WriteOptions{.format = "lime"}, WriteOptions{.format = "no such format"},
                                      WriteOptions{.metadata = {{"scidac-checksum", "mine"}}}}) {
    const Error expected = error_of([&] { convert(from_, to_, {}, {.write = refused}); });
    const Error found = error_of([&] { convert(from_, to_, {}, {.write = refused, .dry_run = true}); });
    EXPECT_STREQ(found.what(), expected.what());
  }
}

TEST_F(Conversion, RanksThatAskForDifferentThingsAreTold) {
  write(from_, {});
  write(to_, {});
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const bool odd = comm->rank() == 1;
    const Communicator ranks(std::move(comm));
    const ConvertOptions asked{.write = {.overwrite = true}, .dry_run = odd};
    EXPECT_EQ(error_of([&] { convert(from_, to_, ranks, asked); }).code(), Code::ranks_disagree);
    EXPECT_EQ(error_of([&] { diff(from_, to_, ranks, {.tolerance = odd ? 1.0 : 0.0}); }).code(), Code::ranks_disagree);
    const VerifyOptions how{.physics = odd ? Measure::never : Measure::always};
    EXPECT_EQ(error_of([&] { io::verify(from_, ranks, how); }).code(), Code::ranks_disagree);
  });
}

TEST_F(Conversion, OfSeveralFieldsCountsTheBytesOfAll) {
  Writer writer(from_, grid_);
  const std::vector<double> links = testing::formula_sites<double>(grid_, 72);
  for (const char* name : {"first", "second"}) writer.write(name, gauge(links));
  writer.close();
  EXPECT_EQ(convert(from_, directory_ / "to.scidac").bytes, 2 * grid_.volume() * 72 * sizeof(double));
  EXPECT_EQ(inspect(directory_ / "to.scidac").fields.size(), 2U);
}

TEST_F(Conversion, RefusesToReplaceUnlessAsked) {
  write(from_, {});
  write(to_, {}, 1);
  const std::string before = testing::contents(to_);
  EXPECT_EQ(error_of([&] { convert(from_, to_); }).code(), Code::exists);
  EXPECT_EQ(testing::contents(to_), before);
}

TEST_F(Conversion, OfAPlainContainerSaysWhatThereIs) {
  Writer writer(directory_ / "texts.lime", grid_, {.format = "lime"});
  writer.write_record("note", "no field here");
  writer.close();
  const Error error = error_of([&] { convert(directory_ / "texts.lime", to_); });
  EXPECT_EQ(error.code(), Code::no_such_record);
}

TEST_F(Conversion, DiffNamesTheSiteAndTheNumbersThatDiffer) {
  write(from_, {});
  write(to_, {}, 0.25);
  const Difference difference = diff(from_, to_);
  EXPECT_FALSE(difference.same);
  EXPECT_EQ(difference.largest_absolute, 0.25);
  EXPECT_EQ(difference.site, (Coord{3, 2, 1, 4}));
  EXPECT_EQ(difference.number, 71U);
  EXPECT_EQ(difference.b - difference.a, 0.25);
  EXPECT_EQ(difference.differing_numbers, 1U);
  EXPECT_EQ(difference.compared_numbers, grid_.volume() * 72);
  EXPECT_TRUE(diff(from_, to_, {}, {.tolerance = 0.3}).same);
}

TEST_F(Conversion, DiffSeesEveryTextOfAName) {
  write(from_, {.metadata = {{"note", "one"}, {"note", "two"}}});
  write(to_, {.metadata = {{"note", "another"}, {"note", "two"}}});
  EXPECT_EQ(diff(from_, to_).metadata,
            (std::vector<std::string>{"\"ildg-data-lfn\" is only in the second file", "\"note\" differs"}));
}

TEST_F(Conversion, DiffIsTheSameOnSeveralRanks) {
  write(from_, {});
  write(to_, {}, 0.25);
  const std::string alone = to_json(diff(from_, to_));
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    EXPECT_EQ(to_json(diff(from_, to_, Communicator(std::move(comm)))), alone);
  });
}

}  // namespace
}  // namespace lq::io
