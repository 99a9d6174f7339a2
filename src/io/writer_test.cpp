// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several fields and records in one file, and the questions that are asked of it afterwards.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <limequat/limequat.hpp>

#include "io/verify.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;

class ManyFields : public ::testing::Test {
 protected:
  std::vector<double> source(double factor) const {
    std::vector<double> values = testing::formula_sites<double>(grid_, 24);
    for (double& value : values) value *= factor;
    return values;
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "props.scidac";
  Grid grid_{Extents{2, 4, 2, 6}};
};

TEST_F(ManyFields, AreReadBackByNameAndNumber) {
  Writer writer = create(path_, grid_);
  for (double s : {1.0, 2.0, 3.0}) writer.write("source", spinor(source(s)), {{"note", std::to_string(s)}});
  EXPECT_FALSE(std::filesystem::exists(path_));  // nothing has its name before close
  writer.close();

  EXPECT_EQ(inspect(path_).fields.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::vector<double> values(static_cast<std::size_t>(grid_.volume() * 24));
    const Report report = read(path_, grid_, spinor(values), {.field = "source", .index = i});
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(values, source(static_cast<double>(i) + 1));
  }
  EXPECT_EQ(error_of([&] { (void)inspect(path_).field("source", 3); }).code(), Code::no_such_record);
  EXPECT_TRUE(io::verify(path_).ok);
}

// The first goes by two of the four ranks, the second by all of them.
TEST_F(ManyFields, NeedNotBeWrittenByTheSameRanks) {
  const Extents lattice{8, 8, 8, 16};
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{4, 1, 1, 1}});
    std::vector<double> large = testing::formula_sites<double>(grid, 24),
                        small = testing::formula_sites<double>(grid, 2);
    Writer writer = create(path_, grid);
    EXPECT_NE(writer.write("large", spinor(large)).strategy, Strategy::direct);
    const FieldSpec two = generic_spec(Precision::double_, 2, false);
    EXPECT_EQ(writer.write("small", field_in(std::as_const(small), two)).strategy, Strategy::direct);
    writer.close();
    std::vector<double> values(large.size());
    read(path_, grid, spinor(values), {.field = "large"});
    EXPECT_EQ(values, large);
    values.assign(small.size(), 0);
    read(path_, grid, field_in(values, two), {.field = "small"});
    EXPECT_EQ(values, small);
  });
}

TEST_F(ManyFields, LeaveNoFileWhenTheWriterIsAbandoned) {
  {
    Writer writer = create(path_, grid_);
    writer.write("source", spinor(source(1)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(ManyFields, AWriterThatFailedOnceNeverPublishes) {
  Writer writer = create(path_, grid_);
  writer.write("source", spinor(source(1)));
  EXPECT_EQ(error_of([&] { writer.write("source", spinor(std::vector<double>(5))); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { writer.close(); }).code(), Code::wrong_state);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ManyFields, ClosingTwiceIsAnError) {
  Writer writer = create(path_, grid_);
  writer.write("source", spinor(source(1)));
  writer.close();
  EXPECT_EQ(error_of([&] { writer.close(); }).code(), Code::wrong_state);
}

TEST_F(ManyFields, TheNumbersOfOneSiteAreThoseWritten) {
  lq::write(path_, grid_, spinor(source(1)));
  const Coord site{1, 3, 0, 5};
  const std::vector<double> numbers = read_site(path_, site);
  ASSERT_EQ(numbers.size(), 24U);
  for (std::size_t n = 0; n < 24; ++n) {
    EXPECT_EQ(numbers[n], testing::formula(lattice::site_rank(site, grid_.extents()), n));
  }
  EXPECT_EQ(error_of([&] { read_site(path_, {2, 0, 0, 0}); }).code(), Code::invalid_argument);
}

TEST_F(ManyFields, ReportsSumUpWhatWasDone) {
  const Report report = lq::write(path_, grid_, spinor(source(1)), {.verify = Verify::read_back});
  EXPECT_EQ(report.bytes, grid_.volume() * 24 * 8);
  EXPECT_TRUE(report.read_back);
  EXPECT_NE(report.summary().find("2x4x2x6"), std::string::npos);
  EXPECT_NE(report.summary().find(to_string(report.checksum)), std::string::npos);
}

TEST_F(ManyFields, AreWrittenWithAWarningWhereTheSiteProfileCannotBeRead) {
  ASSERT_EQ(::setenv("LQ_PROFILE", (directory_ / "none.toml").c_str(), 1), 0);
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), Extents{2, 4, 2, 6});
    const std::vector<double> values = testing::formula_sites<double>(grid, 24);
    const Report report = write(path_, grid, spinor(values));
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings.front().find("none.toml"), std::string::npos);
  });
  ::unsetenv("LQ_PROFILE");
  EXPECT_TRUE(io::verify(path_).ok);
}

// What the profile forbids is not chosen; one that is not there is an error of all ranks.
TEST_F(ManyFields, TravelAsTheProfileThatIsNamedSays) {
  Machine machine;
  machine.pull_permitted = machine.shared_memory_permitted = false;
  const std::string profile = directory_ / "site.toml";
  save_machine(profile, machine);
  try {
    load_machine(profile);
  } catch (const Error&) {
    GTEST_SKIP() << "built without toml++";
  }
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), Extents{16, 8, 8, 16}, {.processes = Extents{4, 1, 1, 1}});
    const std::vector<double> values = testing::formula_sites<double>(grid, 24);
    const Field field = spinor(values);
    EXPECT_EQ(error_of([&] { write(path_, grid, field, {.route = {.profile = directory_ / "none.toml"}}); }).code(),
              Code::not_found);
    EXPECT_NE(write(path_, grid, field).strategy, Strategy::messages);
    const WriteOptions options{.overwrite = true, .route = {.profile = profile}};
    EXPECT_EQ(write(path_, grid, field, options).strategy, Strategy::messages);
  });
}

}  // namespace
}  // namespace lq::io
