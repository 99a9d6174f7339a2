// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every pair of formats that can hold a field, there and back: the numbers are the same bits, whatever the lattice, the
// precision, the ranks that write, convert and read. Formats are those of the table; none is named but where one is
// missed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>
#include <set>

#include <limequat/limequat.hpp>

#include "format/format.hpp"
#include "io/observe.hpp"
#include "io/verify.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;
using testing::run_ranks;

struct Numbers {
  Extents extents;
  FieldSpec spec;
  std::vector<double> values;  // of the whole lattice, x fastest; of single precision, such as it holds
};

// Links that are in the group, for formats without a magic are recognised by them.
Numbers random_links(std::mt19937& random, const Extents& extents, int colors, Precision precision) {
  const Grid grid(extents);
  Numbers numbers{extents, gauge_spec(precision, colors, 4), {}};
  numbers.spec.numbers = 8 * static_cast<std::uint64_t>(colors * colors);
  numbers.values.resize(static_cast<std::size_t>(grid.volume() * numbers.spec.numbers));
  generate(grid, gauge(numbers.values, {.colors = colors}),
           {.sweeps = 1, .over_relaxation = 0, .seed = random(), .hot_start = true});
  return numbers;
}

Numbers random_numbers(std::mt19937& random, const Extents& extents, FieldSpec spec) {
  std::uniform_real_distribution<double> number(-1, 1);
  Numbers numbers{extents, spec, {}};
  numbers.values.resize(static_cast<std::size_t>(volume(extents) * spec.numbers));
  for (double& value : numbers.values) value = number(random);
  return numbers;
}

void round_to_precision(Numbers& numbers) {
  if (numbers.spec.precision == Precision::double_) return;
  for (double& value : numbers.values) value = static_cast<float>(value);
}

// Each rank's part.
std::vector<double> part_of(const Numbers& numbers, const Grid& grid) {
  std::vector<double> part;
  const Box& box = grid.local_box();
  const SiteOrder order = lattice::resolve_order({}, box.extents.size());
  for (std::uint64_t site = 0; site < grid.local_volume(); ++site) {
    const std::uint64_t rank = lattice::site_rank(lattice::site_at(site, box, order), numbers.extents);
    const auto begin = numbers.values.begin() + static_cast<std::ptrdiff_t>(rank * numbers.spec.numbers);
    part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(numbers.spec.numbers));
  }
  return part;
}

FieldSpec in_memory(FieldSpec spec) {
  spec.precision = Precision::double_;
  return spec;
}

void write_numbers(const Numbers& numbers, const std::string& path, std::string_view format, int ranks) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), numbers.extents);
    const std::vector<double> part = part_of(numbers, grid);
    write(path, grid, Field{in_memory(numbers.spec), part.data(), part.size(), {}, {}},
          {.format = std::string(format), .precision = numbers.spec.precision, .sync = Sync::none, .overwrite = true});
  });
}

void convert_file(const std::string& from, const std::string& to, std::string_view format, int ranks) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    convert(from, to, Communicator(std::move(comm)),
            {.write = {.format = std::string(format), .sync = Sync::none, .overwrite = true}});
  });
}

void expect_numbers(const Numbers& numbers, const std::string& path, int ranks) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), numbers.extents);
    std::vector<double> part(static_cast<std::size_t>(grid.local_volume() * numbers.spec.numbers), -7);
    const Report report = read(path, grid, MutableField{in_memory(numbers.spec), part.data(), part.size(), {}, {}}, {});
    EXPECT_NE(report.status, ChecksumStatus::mismatch);
    EXPECT_EQ(part, part_of(numbers, grid));
  });
}

// Formats that hold the field; the others say that they do not.
std::vector<std::string_view> formats_for(const Numbers& numbers, const std::string& path) {
  std::vector<std::string_view> able;
  for (const format::Format* format : format::formats()) {
    if (!format->fields || format->info.contents != Contents::fields) continue;
    // What is known of a set of modes has a place in no other format (modes_test.cpp).
    if (format->name() == "modes") continue;
    const Error refusal = error_of([&] { write_numbers(numbers, path, format->name(), 1); });
    if (refusal.code() == Code::ok) {
      able.push_back(format->name());
    } else {
      EXPECT_EQ(refusal.code(), Code::unsupported) << refusal.what();
    }
  }
  return able;
}

Numbers random_field(std::mt19937& random, int trial) {
  Extents extents = Coord::filled(4, 2);
  for (int d = 0; d < 4; ++d) extents[d] = 2 + static_cast<std::int64_t>(random() % 4);
  if (trial % 2 == 0) {
    for (int d = 0; d < 4; ++d) extents[d] += extents[d] % 2;
  }
  const Precision precision = trial % 3 == 0 ? Precision::single : Precision::double_;
  FieldSpec spinors = spinor_spec(precision);
  spinors.numbers = 24;
  Numbers numbers = trial % 4 == 3   ? random_numbers(random, extents, spinors)
                    : trial % 8 == 6 ? random_numbers(random, extents, generic_spec(precision, 6, true))
                                     : random_links(random, extents, trial % 8 == 5 ? 2 : 3, precision);
  round_to_precision(numbers);
  return numbers;
}

TEST(AllFormats, KeepEveryBitOfAFieldThatTheyCanHold) {
  const testing::ScratchDirectory directory;
  std::mt19937 random(2026);
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (int trial = 0; trial < 16; ++trial) {
    const Numbers numbers = random_field(random, trial);
    SCOPED_TRACE(::testing::Message() << "trial " << trial << " " << to_string(numbers.extents) << " "
                                      << name(numbers.spec.kind) << " " << numbers.spec.numbers << " "
                                      << name(numbers.spec.precision));
    const std::string from = directory / "from", to = directory / "to";
    const auto able = formats_for(numbers, from);
    const auto ranks = [&] { return 1 + static_cast<int>(random() % 3); };
    for (const std::string_view a : able) {
      write_numbers(numbers, from, a, ranks());
      EXPECT_EQ(inspect(from).format, a);
      expect_numbers(numbers, from, ranks());
      for (const std::string_view b : able) {
        SCOPED_TRACE(::testing::Message() << a << " to " << b);
        convert_file(from, to, b, ranks());
        EXPECT_EQ(inspect(to).format, b);
        expect_numbers(numbers, to, ranks());
        EXPECT_TRUE(diff(from, to).same);
        EXPECT_TRUE(io::verify(to, {}, {}).ok);
        pairs.emplace(a, b);
      }
    }
  }
  for (const std::string_view format :
       {"ildg", "scidac", "nersc", "milc", "fnal", "openqcd", "hirep", "ddalphaamg", "qlattice"}) {
    EXPECT_TRUE(pairs.contains({format, "nersc"})) << format;
    EXPECT_TRUE(pairs.contains({"openqcd", format})) << format;
  }
}

// Independent links at a distance of about `width` from 1: their plaquette is far from noise in the order of any
// format.
Numbers links_near_one(std::mt19937& random, const Extents& extents, double width) {
  std::normal_distribution<double> number;
  Numbers numbers{extents, gauge_spec(Precision::double_, 3, 4), {}};
  numbers.spec.numbers = 72;
  using Row = std::array<std::complex<double>, 3>;
  const auto dot = [](const Row& a, const Row& b) {
    return std::conj(a[0]) * b[0] + std::conj(a[1]) * b[1] + std::conj(a[2]) * b[2];
  };
  for (std::uint64_t link = 0; link < 4 * volume(extents); ++link) {
    std::array<Row, 3> rows;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        rows[i][j] = {(i == j ? 1 : 0) + width * number(random), width * number(random)};
    }
    const auto overlap = dot(rows[0], rows[1]) / dot(rows[0], rows[0]);
    for (std::size_t j = 0; j < 3; ++j) rows[1][j] -= overlap * rows[0][j];
    for (std::size_t i = 0; i < 2; ++i) {
      const double norm = std::sqrt(dot(rows[i], rows[i]).real());
      for (auto& element : rows[i]) element /= norm;
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
      rows[2][j] = std::conj(rows[0][k] * rows[1][l] - rows[0][l] * rows[1][k]);
    }
    for (const Row& row : rows) {
      for (const auto& element : row) numbers.values.insert(numbers.values.end(), {element.real(), element.imag()});
    }
  }
  return numbers;
}

TEST(AllFormats, AreRecognisedByLinksOfEveryWidth) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "conf";
  std::mt19937 random(7);
  for (const Extents& extents : {Extents{4, 6, 4, 8}, Extents{8, 4, 4, 4}, Extents{2, 2, 2, 2}, Extents{4, 4, 6, 6}}) {
    for (const double width : {1e-4, 0.01, 0.03, 0.1, 0.2, 0.4, 3.0}) {
      const Numbers numbers = links_near_one(random, extents, width);
      for (const std::string_view format : formats_for(numbers, path)) {
        SCOPED_TRACE(::testing::Message() << format << " " << to_string(extents) << " " << width);
        write_numbers(numbers, path, format, 1);
        EXPECT_EQ(inspect(path).format, format);
        expect_numbers(numbers, path, 1);
      }
    }
  }
}

TEST(AllFormats, AreTheSameFilesWhoeverWritesThem) {
  const testing::ScratchDirectory directory;
  std::mt19937 random(3);
  const Numbers numbers = random_links(random, {4, 2, 6, 4}, 3, Precision::double_);
  const std::string one = directory / "one", other = directory / "other";
  for (const std::string_view format : formats_for(numbers, one)) {
    SCOPED_TRACE(format);
    write_numbers(numbers, one, format, 1);
    for (const int ranks : {2, 3, 8}) {
      write_numbers(numbers, other, format, ranks);
      EXPECT_EQ(testing::contents(one), testing::contents(other)) << ranks;
    }
  }
}

TEST(AllFormats, LeaveOutTextsOnlyWhereThatWasAllowed) {
  const testing::ScratchDirectory directory;
  std::mt19937 random(4);
  const Numbers numbers = random_links(random, {2, 2, 2, 2}, 3, Precision::double_);
  const std::string from = directory / "from.ildg", to = directory / "to";
  const Grid grid(numbers.extents);
  write(from, grid, gauge(numbers.values),
        {.metadata = {{"xlf-info", "beta = 6.0\n"}, {"note", "two\nlines, 100 %\n"}}});
  for (const std::string_view format : {"milc", "fnal", "openqcd", "hirep", "ddalphaamg", "qlattice"}) {
    const ConvertOptions strict{.write = {.format = std::string(format), .overwrite = true}};
    const Error refusal = error_of([&] { convert(from, to, {}, strict); });
    EXPECT_EQ(refusal.code(), Code::unsupported) << format;
    EXPECT_NE(std::string(refusal.what()).find("options.allow_loss"), std::string::npos) << refusal.what();
    ConvertOptions lax = strict;
    lax.allow_loss = true;
    convert(from, to, {}, lax);
    EXPECT_TRUE(diff(from, to).same);
  }
  // Lines of a NERSC header hold them all.
  convert(from, to, {}, {.write = {.format = "nersc", .overwrite = true}});
  const std::string back = directory / "back.ildg";
  convert(to, back);
  const Catalog before = inspect(from), after = inspect(back);
  EXPECT_EQ(format::lost_texts(before.field().metadata, after.field().metadata), Metadata{});
  EXPECT_EQ(format::lost_texts(before.field().metadata, {}).size(), 2U);
}

TEST(Observables, OfAFileAreThoseOfTheFieldInMemory) {
  const testing::ScratchDirectory directory;
  std::mt19937 random(5);
  const Numbers numbers = random_links(random, {4, 2, 3, 5}, 3, Precision::double_);
  const Grid grid(numbers.extents);
  const std::string path = directory / "conf.ildg";
  write(path, grid, gauge(numbers.values), {});
  const Physics expected = measure(grid, gauge(numbers.values));
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator group(std::move(comm));
      const auto file = ScannedFile::open(storage::resolve(path), path, group, {});
      file->open_everywhere();
      const Observed found = observe(*file, file->catalog().field(), group, format::Observables::measured);
      EXPECT_EQ(found.plaquette, expected.plaquette.average);
      EXPECT_EQ(found.link_trace, expected.link_trace);
    });
  }
}

// Formats whose headers state what the source does not: in one pass where both have the sites in one order (nersc),
// else in two. Whoever shares the work, the file is the same.
TEST(Observables, ThatASourceDoesNotStateAreInTheHeaderOfTheCopy) {
  const testing::ScratchDirectory directory;
  std::mt19937 random(6);
  for (const double sign : {1.0, -1.0}) {
    Numbers numbers = random_links(random, {4, 2, 6, 4}, 3, Precision::double_);
    for (double& number : numbers.values) number *= sign;
    const Grid grid(numbers.extents);
    const std::string path = directory / "conf.ildg", to = directory / "copy";
    write(path, grid, gauge(numbers.values), {.overwrite = true});
    ASSERT_FALSE(inspect(path).field().plaquette);
    const Physics expected = measure(grid, gauge(numbers.values));
    for (const std::string format : {"nersc", "openqcd", "hirep", "ddalphaamg"}) {
      std::string first;
      for (const int ranks : {1, 3}) {
        for (const int threads : {1, 3}) {
          run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
            convert(path, to, Communicator(std::move(comm)),
                    {.write = {.format = format, .overwrite = true, .route = {.threads = threads}}});
          });
          if (first.empty()) first = testing::contents(to);
          EXPECT_TRUE(testing::contents(to) == first) << format << " by " << ranks << " ranks, " << threads;
        }
      }
      const Catalog catalog = inspect(to);
      EXPECT_NEAR(catalog.field().plaquette.value(), expected.plaquette.average, 1e-15) << format;
      if (format == "nersc") {
        EXPECT_NEAR(catalog.field().link_trace.value(), expected.link_trace, 1e-15);
      }
      EXPECT_TRUE(diff(path, to).same) << format;
    }
  }
}

}  // namespace
}  // namespace lq::io
