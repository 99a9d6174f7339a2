// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lattice fields in sessions, by several ranks, beside small objects; read by the general reader of fields, too.
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include <limequat/limequat.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::hdf5 {
namespace {

using testing::error_of;

class FieldSession : public ::testing::Test {
 protected:
  static std::vector<double> source(const Grid& grid, double factor) {
    std::vector<double> values = testing::formula_sites<double>(grid, 24);
    for (double& value : values) value *= factor;
    return values;
  }
  // As any reader of the library sees it, on one rank.
  void expect(const std::string& name, double factor) const {
    const Grid alone(lattice_);
    std::vector<double> values(source(alone, 1).size());
    EXPECT_EQ(read(path_, alone, spinor(values), {.field = name}).status, ChecksumStatus::ok);
    EXPECT_EQ(values, source(alone, factor));
  }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "data.h5";
  const Extents lattice_{4, 2, 2, 6};
};

TEST_F(FieldSession, WritesAndReadsByFourRanks) {
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    const Grid grid(all, lattice_, {.processes = Extents{2, 1, 1, 2}});
    File file(path_, Mode::create, all);
    const std::vector<double> one = source(grid, 1), two = source(grid, 2);
    file.push("props");
    const Report report = file.write("one", grid, spinor(one));
    EXPECT_EQ(report.field, "/props/one");
    file.write("note", "beside it");
    file.write("two", grid, spinor(two));
    std::vector<double> back(one.size());
    EXPECT_EQ(file.read("one", grid, spinor(back)).status, ChecksumStatus::ok);
    EXPECT_EQ(back, one);
    EXPECT_EQ(file.stat("one").layout, "native");
    EXPECT_EQ(file.stat("one").object, "spinor");
    EXPECT_EQ(file.catalog().fields.size(), 2U);
    EXPECT_EQ(error_of([&] { file.write("one", grid, spinor(one)); }).code(), Code::exists);
    EXPECT_EQ(error_of([&] { file.read("three", grid, spinor(back)); }).code(), Code::no_such_record);
    EXPECT_EQ(error_of([&] { file.read("note", grid, spinor(back)); }).code(), Code::no_such_record);
    file.close();
  });
  expect("props/one", 1);
  expect("props/two", 2);
  EXPECT_EQ(File(path_).read("/props/note").text(), "beside it");
}

TEST_F(FieldSession, AppendsInPlace) {
  {
    File file(path_, Mode::create);
    file.write("first", 1);
    file.close();
  }
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    const Grid grid(all, lattice_, {.processes = Extents{1, 1, 1, 3}});
    File file(path_, Mode::append, all);
    file.write("second", 2);
    const std::vector<double> values = source(grid, 3);
    file.write("field", grid, spinor(values));
    EXPECT_TRUE(File(path_, Mode::read, all).exists("field"));
    file.write("third", 3);
    file.close();
  });
  expect("field", 3);
  File file(path_);
  EXPECT_EQ(file.read("first").integer() + file.read("second").integer() + file.read("third").integer(), 6);
  EXPECT_EQ(testing::files_in(directory_.path()), std::vector<std::string>{"data.h5"});
}

// The very file is gone on with, or none: a field goes into it without a look at the rest.
TEST_F(FieldSession, DoesNotAppendToAFileThatHasReplacedIt) {
  const std::string other = directory_ / "other.h5";
  for (const std::string& path : {path_, other}) {
    File file(path, Mode::create);
    file.write("first", 1);
    file.close();
  }
  const std::vector<std::exception_ptr> errors = testing::outcomes_of_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    const Grid grid(all, lattice_, {.processes = Extents{1, 1, 1, 3}});
    File file(path_, Mode::append, all);
    const std::vector<double> values = source(grid, 3);
    if (all.is_root()) std::filesystem::rename(other, path_);
    file.write("second", grid, spinor(values));
  });
  for (const std::exception_ptr& one : errors) {
    ASSERT_NE(one, nullptr);
    const Error error = error_of([&] { std::rethrow_exception(one); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_NE(std::string(error.what()).find("another program has replaced it"), std::string::npos) << error.what();
  }
  EXPECT_EQ(testing::files_in(directory_.path()), std::vector<std::string>{"data.h5"});
  EXPECT_EQ(inspect(path_).fields.size(), 0U);
}

TEST_F(FieldSession, ReplacesAField) {
  const Grid grid(lattice_);
  for (const Mode mode : {Mode::create, Mode::append}) {
    File file(path_, mode, {}, {.overwrite = true});
    for (const double factor : {1.0, 2.0, 5.0}) {
      const std::vector<double> values = source(grid, factor);
      file.write("field", grid, spinor(values), {.overwrite = true});
    }
    file.close();
    expect("field", 5);
    EXPECT_EQ(inspect(path_).fields.size(), 1U);
  }
}

TEST_F(FieldSession, TheRanksAreThoseOfTheFile) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    File file(path_, Mode::create, Communicator(std::move(comm)));
    const Grid alone(lattice_);
    const std::vector<double> values = source(alone, 1);
    EXPECT_EQ(error_of([&] { file.write("field", alone, spinor(values)); }).code(), Code::invalid_argument);
  });
}

// Staggered fermions have one.
TEST(FieldsOfOneSpin, KeepTheirKind) {
  const testing::ScratchDirectory scratch;
  const Grid grid(Extents{4, 2, 2, 4});
  for (const FieldSpec& spec : {spinor_spec(Precision::double_, 3, 1), propagator_spec(Precision::double_, 3, 1)}) {
    std::vector<double> numbers(static_cast<std::size_t>(grid.volume() * spec.numbers));
    std::iota(numbers.begin(), numbers.end(), 0.5);
    const std::string path = scratch / "one.h5";
    lq::write(path, grid, Field{spec, numbers.data(), numbers.size(), {}, {}}, {.overwrite = true});
    const Catalog catalog = inspect(path);
    ASSERT_EQ(catalog.fields.size(), 1U);
    EXPECT_EQ(catalog.fields[0].payload.spec, spec);
    std::vector<double> back(numbers.size());
    lq::read(path, grid, MutableField{spec, back.data(), back.size(), {}, {}});
    EXPECT_EQ(back, numbers);
  }
}

}  // namespace
}  // namespace lq::hdf5
