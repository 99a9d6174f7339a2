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
  convert(
      from_, to_, {},
      {.write = {.metadata = {{"beta", "5.9"}, {"trajectory", "8"}, {"plaquette", "0.25"}}}, .accept_damage = true});
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

// Some ranks have no site of the part.
TEST_F(Conversion, OfAPartOnSeveralRanksGivesTheSameFile) {
  write(from_, {});
  for (const char* const region : {"t=1:3,x=2:", "t=0:1,x=0:1,z=1:2", "t=-2:"}) {
    convert(from_, to_, {}, {.write = {.overwrite = true}, .region = region});
    const std::string alone = testing::contents(to_);
    for (const int ranks : {2, 5}) {
      testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
        convert(from_, to_, Communicator(std::move(comm)), {.write = {.overwrite = true}, .region = region});
      });
      EXPECT_EQ(testing::contents(to_), alone) << region << " by " << ranks;
    }
  }
}

TEST_F(Conversion, DryRunOfAPartTellsWhatWouldBeWritten) {
  write(from_, {});
  const Report said = convert(from_, to_, {}, {.dry_run = true, .region = "t=1:3"});
  EXPECT_FALSE(std::filesystem::exists(to_));
  const Report done = convert(from_, to_, {}, {.region = "t=1:3"});
  EXPECT_EQ(said.extents, (Extents{4, 3, 2, 2}));
  EXPECT_EQ(said.extents, done.extents);
  EXPECT_EQ(said.bytes, done.bytes);
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

// Two files with the fields "spinor", "other" and "spinor" again, the last of which may differ.
void write_three(const std::string& path, const Grid& grid, double shift) {
  Writer writer(path, grid);
  std::vector<double> numbers = testing::formula_sites<double>(grid, 24);
  for (const char* const name : {"spinor", "other", "spinor"}) {
    writer.write(name, spinor(numbers));
    numbers.front() += 1;
    numbers.back() += shift;
  }
  writer.close();
}

TEST_F(Conversion, TakesOneFieldByNameAndNumber) {
  write_three(from_, grid_, 0);
  const std::string one = directory_ / "one.scidac";
  for (const ConvertOptions& asked : {ConvertOptions{.field = "spinor:1"},
                                      ConvertOptions{.field = "spinor", .index = 1}, ConvertOptions{.index = 2}}) {
    ConvertOptions options = asked;
    options.write.overwrite = true;
    convert(from_, one, {}, options);
    ASSERT_EQ(inspect(one).fields.size(), 1U);
    EXPECT_EQ(inspect(one).field().sums.checksum(), inspect(from_).field("spinor", 1).sums.checksum());
  }
  EXPECT_EQ(error_of([&] { convert(from_, to_, {}, {.field = "spinor:2"}); }).code(), Code::no_such_record);
  EXPECT_EQ(error_of([&] { convert(from_, to_, {}, {.field = "links"}); }).code(), Code::no_such_record);
}

TEST_F(Conversion, CallsTheFieldAsItIsTold) {
  write(from_, {});
  const std::string named = directory_ / "named.scidac";
  EXPECT_EQ(convert(from_, named, {}, {.write = {.name = "links"}}).field, "links");
  EXPECT_EQ(inspect(named).field().name, "links");
}

TEST_F(Conversion, RefusesAMachineThatNobodyKnows) {
  write(from_, {});
  const Error expected =
      error_of([&] { write(to_, {.route = {.strategy = Strategy::automatic, .profile = "nosuch"}}); });
  const Error found = error_of([&] { convert(from_, to_, {}, {.write = {.route = {.profile = "nosuch"}}}); });
  EXPECT_EQ(found.code(), expected.code());
  EXPECT_FALSE(std::filesystem::exists(to_));
}

TEST_F(Conversion, LeavesOutWhatTheGeneratorSaid) {
  const Grid grid(Extents{4, 4, 2, 2});
  std::vector<double> links(static_cast<std::size_t>(grid.local_volume() * 72));
  generate(grid, gauge(links), {.sweeps = 1});
  const std::string said =
      "plaquette = " + std::to_string(measure(grid, gauge(links)).plaquette.average) +
      "\n trajectory nr = 5\n beta = 6.000000000000\n group = su3\n over_relaxation = 3\n seed = 3\n "
      "start = cold\n creator = limequat 0.1.0\n";
  for (const char* const target :
       {"to.milc", "to.openqcd", "to.hirep", "to.fnal", "to.field", "to.raw", "to.ddalphaamg"}) {
    lq::write(from_, grid, gauge(links), {.metadata = {{"xlf-info", said}}, .overwrite = true});
    EXPECT_EQ(convert(from_, directory_ / target, {}, {.write = {.overwrite = true}}).field, "gauge") << target;
    for (const std::string& more : {std::string("remark = mine\n"), std::string("kappa = 0.1\n")}) {
      lq::write(from_, grid, gauge(links), {.metadata = {{"xlf-info", said + more}}, .overwrite = true});
      EXPECT_EQ(error_of([&] { convert(from_, directory_ / target, {}, {.write = {.overwrite = true}}); }).code(),
                Code::unsupported)
          << target;
    }
  }
  lq::write(from_, grid, gauge(links), {.metadata = {{"xlf-info", said}}, .overwrite = true});
  convert(from_, to_);
  EXPECT_EQ(texts(to_, "xlf-info"), std::vector<std::string>{said});
}

TEST_F(Conversion, SaysWhatMilcItselfDoesNotRead) {
  const Grid grid(Extents{4, 4, 2, 2});
  std::vector<double> links(static_cast<std::size_t>(grid.local_volume() * 72));
  generate(grid, gauge(links), {.sweeps = 1});
  lq::write(from_, grid, gauge(links));
  const Report twice = convert(from_, directory_ / "double.milc");
  ASSERT_EQ(twice.warnings.size(), 1U);
  EXPECT_NE(twice.warnings.front().find("single precision only"), std::string::npos);
  EXPECT_NE(twice.warnings.front().find(directory_ / "double.milc"), std::string::npos);
  EXPECT_TRUE(
      convert(from_, directory_ / "single.milc", {}, {.write = {.precision = Precision::single}}).warnings.empty());
}

TEST_F(Conversion, DiffComparesAllFields) {
  const std::string other = directory_ / "other.scidac";
  write_three(from_, grid_, 0);
  write_three(other, grid_, 0.5);
  const Difference all = diff(from_, other);
  EXPECT_EQ(all.fields, (std::vector<std::string>{"spinor", "other", "spinor:1"}));
  EXPECT_FALSE(all.same);
  EXPECT_EQ(all.field, "spinor:1");
  EXPECT_EQ(all.largest_absolute, 1.0);
  EXPECT_EQ(all.differing_numbers, 2U);
  EXPECT_EQ(all.compared_numbers, 3 * 24 * grid_.volume());
  EXPECT_TRUE(diff(from_, other, {}, {.field = "spinor"}).same);
  EXPECT_FALSE(diff(from_, other, {}, {.field = "spinor:1"}).same);
  EXPECT_EQ(diff(from_, other, {}, {.field = "spinor:1"}).fields, std::vector<std::string>{"spinor:1"});
}

TEST_F(Conversion, DiffNamesFieldsThatOneFileLacks) {
  const std::string other = directory_ / "other.scidac";
  write_three(from_, grid_, 0);
  convert(from_, other, {}, {.field = "other"});
  const Difference difference = diff(from_, other);
  EXPECT_FALSE(difference.same);
  EXPECT_EQ(difference.differing_numbers, 0U);
  EXPECT_EQ(difference.fields, std::vector<std::string>{"other"});
  EXPECT_EQ(difference.unpaired.size(), 2U);
  EXPECT_TRUE(diff(from_, other, {}, {.field = "other"}).same);
}

TEST_F(Conversion, DiffComparesTheOnlyFieldsWhateverTheirNames) {
  write(from_, {.name = "one"});
  const std::string other = directory_ / "other.scidac";
  write(other, {.name = "two"});
  EXPECT_TRUE(diff(from_, other).same);
}

}  // namespace
}  // namespace lq::io
