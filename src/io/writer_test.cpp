// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several fields and records in one file, and the questions that are asked of it afterwards.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <limequat/limequat.hpp>

#include "format/format.hpp"
#include "io/field_writer.hpp"
#include "io/transfer.hpp"
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

// SciDAC that writes down who plans and who makes tails, and what they could read of the file so far.
class WatchedFormat final : public format::FieldFormat {
 public:
  struct Seen {
    std::uint64_t plans = 0, tails = 0;
    std::vector<std::string> before;       // when it was planned; "nothing" where there is no file
    std::vector<std::string> before_tail;  // when the tail was made
    std::vector<format::Choices> choices;
  };
  explicit WatchedFormat(Seen& seen) : seen_(seen) {}

  bool is_for(const FieldSpec& spec, const Extents& extents) const override { return scidac().is_for(spec, extents); }
  format::Layout plan(const format::FieldRequest& request) const override {
    ++seen_.plans;
    seen_.before.push_back(beginning(request.before, request.offset));
    seen_.choices.push_back(request.choices);
    format::Layout layout = scidac().plan(request);
    layout.tail = [this, tail = layout.tail, before = request.before,
                   offset = request.offset](const format::Digest& digest) {
      ++seen_.tails;
      seen_.before_tail.push_back(beginning(before, offset));
      return tail(digest);
    };
    return layout;
  }
  format::Layout plan_record(const format::RecordRequest& request) const override {
    ++seen_.plans;
    seen_.before.push_back(beginning(request.before, request.offset));
    seen_.choices.push_back(request.choices);
    return scidac().plan_record(request);
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 3> known{"layout", "dataset_chunk", "filters"};
    return known;
  }
  Metadata carried(const Metadata& texts, bool changes) const override { return scidac().carried(texts, changes); }
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const format::Digest& sums) const override {
    scidac().store_sums(file, catalog, entry, sums);
  }

 private:
  static const format::FieldFormat& scidac() { return format::format_named("scidac").for_fields(); }
  static std::string beginning(base::ByteSource* file, std::uint64_t bytes) {
    if (file == nullptr) return "nothing";
    std::string text(static_cast<std::size_t>(bytes), '\0');
    const auto there = std::as_writable_bytes(std::span(text));
    if (file->read_at(0, there) != bytes) return "less than there should be";
    return text;
  }
  Seen& seen_;
};

class Planning : public ::testing::Test {
 protected:
  static constexpr std::array<std::string_view, 1> suffixes{".watched"};

  std::string contents(const std::string& path, std::uint64_t bytes) {
    std::string text(static_cast<std::size_t>(bytes), '\0');
    transport_->open_read(path)->read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
  }
  void append(FieldWriter& writer, const Grid& grid, const std::string& path, const std::string& name) {
    const std::vector<double> values = testing::formula_sites<double>(grid, 24);
    append_field(writer, *transport_, grid, path, name, spinor(values), {}, options_);
  }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
  WatchedFormat::Seen seen_;
  WatchedFormat watched_{seen_};
  format::Format row_{{.name = "watched", .holds = "fields", .begins = "LIME records", .suffixes = suffixes},
                      format::format_named("scidac").container,
                      &watched_,
                      &watched_};
  format::AddedFormat added_{row_};
  WriteOptions options_{.format = "watched"};
};

// Three ranks write: one of them plans, and can read what the file holds so far until the tail was made.
TEST_F(Planning, IsDoneByOneRankWhichSeesTheFile) {
  const Extents lattice{2, 4, 2, 6};
  std::array<std::uint64_t, 3> ends{};
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const bool is_first = comm->rank() == 0;
    const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{1, 1, 1, 3}});
    FieldWriter writer(*transport_, grid.communicator(), "a.watched", options_);
    append(writer, grid, "a.watched", "one");
    if (is_first) ends[0] = writer.end();
    writer.append_record("note", is_first ? "that of the first rank" : "");
    if (is_first) ends[1] = writer.end();
    append(writer, grid, "a.watched", "two");
    if (is_first) ends[2] = writer.end();
    Report report;
    writer.commit(report);
  });
  EXPECT_EQ(seen_.plans, 3U);
  EXPECT_EQ(seen_.tails, 2U);
  const std::string all = contents("a.watched", ends[2]);
  ASSERT_EQ(seen_.before.size(), 3U);
  EXPECT_EQ(seen_.before[0], "nothing");
  EXPECT_EQ(seen_.before[1], all.substr(0, ends[0]));
  EXPECT_EQ(seen_.before[2], all.substr(0, ends[1]));
  ASSERT_EQ(seen_.before_tail.size(), 2U);
  EXPECT_EQ(seen_.before_tail[1], all.substr(0, ends[1]));
  EXPECT_NE(all.find("that of the first rank"), std::string::npos);

  // A file that is continued is seen by the first plan.
  transport_->rename("a.watched", "a.part");
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{1, 1, 1, 3}});
    FieldWriter writer(*transport_, grid.communicator(), "a.watched", options_,
                       FieldWriter::Continuation{"a.part", ends[2], false});
    append(writer, grid, "a.watched", "three");
    Report report;
    writer.complete(report);
  });
  EXPECT_EQ(seen_.plans, 4U);
  EXPECT_EQ(seen_.before.back(), all);
  EXPECT_EQ(seen_.before_tail.back(), all);
}

TEST_F(Planning, OfARehearsalSeesNothing) {
  FieldWriter writer(*transport_, Grid({2, 2, 2, 2}).communicator(), "a.watched", options_);
  const FieldPlan plan{"one", spinor_spec(Precision::double_), {2, 2, 2, 2}, {}};
  writer.dry_run_write(plan);
  writer.dry_run_write(plan);
  EXPECT_EQ(seen_.before, (std::vector<std::string>{"nothing", "nothing"}));
}

TEST_F(Planning, KnowsWhatWasChosen) {
  options_.layout = "grid";
  options_.dataset_chunk = "2x2x2x2";
  options_.filters = "shuffle,deflate:6";
  options_.time_stamps = false;
  const Grid grid({2, 2, 2, 2});
  FieldWriter writer(*transport_, grid.communicator(), "a.watched", options_);
  append(writer, grid, "a.watched", "one");
  writer.append_record("note", "text");
  ASSERT_EQ(seen_.choices.size(), 2U);
  for (const format::Choices& choices : seen_.choices) {
    EXPECT_EQ(choices.layout, "grid");
    EXPECT_EQ(choices.dataset_chunk, "2x2x2x2");
    EXPECT_EQ(choices.filters, "shuffle,deflate:6");
    EXPECT_FALSE(choices.time_stamps);
  }
}

TEST(Choices, AreRefusedByFormatsThatHaveNone) {
  const auto transport = storage::make_memory();
  const Grid grid({2, 2, 2, 2});
  const std::vector<double> links(16 * 72);
  const auto refused = [&](const std::string& format, const std::string& name, const auto& choose) {
    WriteOptions options{.format = format};
    choose(options);
    const auto expect = [&](const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    };
    if (format != "lime") expect(error_of([&] { write_field(*transport, "f", grid, gauge(links), options); }));
    FieldWriter writer(*transport, grid.communicator(), "f", options);
    expect(error_of([&] { writer.append_record("note", "text"); }));
    EXPECT_EQ(transport->kind("f"), storage::PathKind::absent);
  };
  for (const std::string format : {"ildg", "scidac", "lime"}) {
    if (format != "scidac") refused(format, "layout", [](WriteOptions& o) { o.layout = "native"; });
    refused(format, "dataset_chunk", [](WriteOptions& o) { o.dataset_chunk = "slice"; });
    refused(format, "filters", [](WriteOptions& o) { o.filters = "deflate:6"; });
  }
}

TEST(Choices, OfNoTimeStampsAreMadeAlreadyWhereAFormatHasNone) {
  const auto transport = storage::make_memory();
  const Grid grid({2, 2, 2, 2});
  const std::vector<double> links(16 * 72);
  const auto all_of = [&](const char* path) {
    const auto file = transport->open_read(path);
    std::string bytes(file->size(), ' ');
    EXPECT_EQ(file->read_at(0, std::as_writable_bytes(std::span(bytes))), bytes.size());
    return bytes;
  };
  for (const std::string format : {"ildg", "scidac", "nersc", "raw", "qlattice"}) {
    write_field(*transport, "with", grid, gauge(links), {.format = format, .overwrite = true});
    write_field(*transport, "without", grid, gauge(links), {.format = format, .overwrite = true, .time_stamps = false});
    EXPECT_EQ(all_of("with"), all_of("without")) << format;
  }
}

}  // namespace
}  // namespace lq::io
