// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// However many threads a rank has: the file is, byte for byte, that of one thread, what is read is what was written,
// and what is wrong is told in the same words.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <limequat/json.hpp>
#include <limequat/limequat.hpp>

#include "engine/direct.hpp"
#include "engine/file_order.hpp"
#include "io/transfer.hpp"
#include "io/verify.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "storage/forwarding.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/float_modes.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::formula_sites;

constexpr int thread_counts[] = {2, 3, 7};
constexpr std::uint64_t site_numbers = 18;

struct Case {
  const char* name;
  Extents processes;
  int ranks_per_node = 64;
  SiteOrder memory_order = {};
  Precision file = Precision::double_;
  bool by_function = false;
};
std::ostream& operator<<(std::ostream& out, const Case& trial) { return out << trial.name; }

// A site's numbers lie in memory as `field` says, or are handed over by its functions in the calling thread.
class Sites {
 public:
  Sites(const Grid& grid, const Case& trial, double preset)
      : grid_(grid), trial_(trial), values_(static_cast<std::size_t>(grid.local_volume() * site_numbers), preset) {}

  void set_to_formula() { values_ = formula_sites<double>(grid_, site_numbers, trial_.memory_order); }
  bool hold_the_formula() const { return values_ == formula_sites<double>(grid_, site_numbers, trial_.memory_order); }

  Field source() {
    Field field{spec(), values_.data(), values_.size(), trial_.memory_order, {}};
    if (!trial_.by_function) return field;
    field.data = nullptr;
    field.fetch = [this](const Coord& x, void* site) {
      EXPECT_EQ(std::this_thread::get_id(), caller_);
      std::copy_n(at(x), site_numbers, static_cast<double*>(site));
    };
    return field;
  }
  MutableField target() {
    MutableField field{spec(), values_.data(), values_.size(), trial_.memory_order, {}};
    if (!trial_.by_function) return field;
    field.data = nullptr;
    field.store = [this](const Coord& x, const void* site) {
      EXPECT_EQ(std::this_thread::get_id(), caller_);
      std::copy_n(static_cast<const double*>(site), site_numbers, at(x));
    };
    return field;
  }
  static FieldSpec spec() { return generic_spec(Precision::double_, site_numbers, false); }

 private:
  double* at(const Coord& x) {
    const SiteOrder order = lattice::resolve_order(trial_.memory_order, x.size());
    return &values_[static_cast<std::size_t>(lattice::site_number(x, grid_.local_box(), order) * site_numbers)];
  }

  const Grid& grid_;
  const Case& trial_;
  std::vector<double> values_;
  std::thread::id caller_ = std::this_thread::get_id();
};

class Threads : public ::testing::TestWithParam<std::tuple<Strategy, Case>> {
 protected:
  static const Case& trial() { return std::get<1>(GetParam()); }
  // Chunks that are long enough to be shared, blocks so small that there are many.
  static RouteOptions route(int threads) {
    return {.strategy = std::get<0>(GetParam()), .chunk_bytes = 128 * 1024, .alignment = 4096, .threads = threads};
  }
  bool is_possible() const {
    return std::get<0>(GetParam()) != Strategy::pull || (!trial().by_function && trial().memory_order.empty());
  }
  void on_ranks(const std::function<void(const Grid&)>& body) const {
    testing::run_ranks(static_cast<int>(volume(trial().processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), {8, 8, 8, 12}, {.processes = trial().processes}));
                       },
                       {.ranks_per_node = trial().ranks_per_node});
  }
  Report write(const std::string& path, int threads) {
    Report report;
    on_ranks([&](const Grid& grid) {
      Sites sites(grid, trial(), 0);
      sites.set_to_formula();
      const Report mine = write_field(*transport_, path, grid, sites.source(),
                                      {.format = "scidac",
                                       .precision = trial().file,
                                       .verify = Verify::read_back,
                                       .block_bytes = 4096,
                                       .route = route(threads)});
      if (grid.rank() == 0) report = mine;
    });
    return report;
  }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_P(Threads, WriteTheSameBytes) {
  if (!is_possible()) GTEST_SKIP() << "these sites cannot be taken out of a neighbour's memory";
  const Report one = write("one.lime", 1);
  for (const int threads : thread_counts) {
    const Report report = write("many.lime", threads);
    EXPECT_EQ(bytes_in(*transport_, "many.lime"), bytes_in(*transport_, "one.lime")) << threads;
    EXPECT_EQ(report.bytes, one.bytes);
    EXPECT_EQ(report.checksum, one.checksum);
    EXPECT_EQ(report.strategy, one.strategy);
    transport_->remove("many.lime");
  }
}

TEST_P(Threads, ReadTheSameNumbers) {
  if (!is_possible()) GTEST_SKIP() << "these sites cannot be taken out of a neighbour's memory";
  write("one.lime", 1);
  for (const int threads : thread_counts) {
    on_ranks([&](const Grid& grid) {
      Sites sites(grid, trial(), -1);
      const Report report =
          read_field(*transport_, "one.lime", grid, sites.target(), {.block_bytes = 4096, .route = route(threads)});
      EXPECT_EQ(report.status, ChecksumStatus::ok);
      EXPECT_TRUE(sites.hold_the_formula()) << threads;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Routes, Threads,
    ::testing::Combine(::testing::ValuesIn(testing::strategies_here()),
                       ::testing::Values(Case{"one_rank", {1, 1, 1, 1}}, Case{"x_split", {2, 1, 1, 1}},
                                         Case{"xyt_split_on_two_nodes", {2, 2, 1, 2}, 4},
                                         Case{"every_rank_a_node", {2, 1, 2, 1}, 1},
                                         Case{"t_fastest_in_memory", {2, 1, 1, 1}, 64, {3, 2, 1, 0}},
                                         Case{"single_precision", {2, 1, 1, 2}, 2, {}, Precision::single},
                                         Case{"functions", {2, 1, 1, 1}, 64, {}, Precision::double_, true})),
    [](const auto& one) { return fmt::format("{}_{}", name(std::get<0>(one.param)), std::get<1>(one.param).name); });

// Numbers of single precision are rounded, many of them are subnormal ones; openQCD's files have a norm.
TEST(FloatModes, OfTheProgramChangeNoBytesAndNoNumbers) {
  const testing::ScratchDirectory folder;
  const Grid grid({8, 8, 4, 4});
  const RouteOptions route{.chunk_bytes = 16384, .threads = 3};
  std::vector<double> values(static_cast<std::size_t>(grid.volume()) * 24);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = std::sin(static_cast<double>(k)) * (k % 3 == 0 ? 1e-39 : k % 3 == 1 ? 1e-310 : 1);
  }
  for (const auto& form :
       {std::pair("scidac", Precision::single), {"scidac", Precision::double_}, {"openqcd", Precision::double_}}) {
    const char* const format = form.first;
    const Precision precision = form.second;
    const auto write_as = [&](const std::string& name) {
      lq::write(folder / name, grid, spinor(values),
                {.format = format, .precision = precision, .overwrite = true, .route = route, .time_stamps = false});
    };
    write_as("expected");
    const std::string expected = testing::contents(folder / "expected");
    std::vector<double> read(values.size());
    lq::read(folder / "expected", grid, spinor(read), {.route = route});
    testing::in_every_float_mode([&] {
      write_as("other");
      EXPECT_TRUE(testing::contents(folder / "other") == expected) << format;
      std::vector<double> again(values.size());
      lq::read(folder / "expected", grid, spinor(again), {.route = route});
      EXPECT_TRUE(again == read) << format;
    });
  }
}

// Headers state plaquettes and link traces, of which some digits depend on the rounding of sums.
TEST(FloatModes, OfTheProgramChangeNoPlaquette) {
  const testing::ScratchDirectory folder;
  const Grid grid({8, 4, 4, 4});
  std::vector<double> links(static_cast<std::size_t>(grid.volume() * 72));
  const auto generate_links = [&] { generate(grid, gauge(links), {.sweeps = 1, .hot_start = true}); };
  generate_links();
  lq::write(folder / "source.ildg", grid, gauge(links), {.time_stamps = false});
  for (const std::string format : {"nersc", "openqcd", "hirep", "ildg"}) {
    const auto bytes_made = [&](const std::string& name) {
      const WriteOptions options{.format = format, .overwrite = true, .time_stamps = false};
      lq::write(folder / (name + ".written"), grid, gauge(links), options);
      lq::convert(folder / "source.ildg", folder / (name + ".converted"), {}, {.write = options});
      lq::convert(folder / "source.ildg", folder / (name + ".part"), {}, {.write = options, .region = "t=0:2"});
      std::string all;
      for (const char* const made : {".written", ".converted", ".part"})
        all += testing::contents(folder / (name + made));
      return all;
    };
    const std::string expected = bytes_made("expected");
    testing::in_every_float_mode([&] { EXPECT_TRUE(bytes_made("other") == expected) << format; });
  }
  const std::vector<double> expected = links;
  const Plaquette plaquette = lq::plaquette(grid, gauge(links));
  const std::vector<double> charge = charge_density(grid, gauge(links));
  const Observables observed = observables(grid, gauge(links), {.flow_steps = 1});
  testing::in_every_float_mode([&] {
    generate_links();
    EXPECT_TRUE(links == expected);
    EXPECT_EQ(lq::plaquette(grid, gauge(links)).average, plaquette.average);
    EXPECT_TRUE(charge_density(grid, gauge(links)) == charge);
    const Observables again = observables(grid, gauge(links), {.flow_steps = 1});
    EXPECT_EQ(again.flow.back().energy, observed.flow.back().energy);
    EXPECT_EQ(again.wilson_loops.front().average, observed.wilson_loops.front().average);
  });
}

class Files : public ::testing::Test {
 protected:
  // Links in the group, for some formats are known by that.
  std::vector<double> links() {
    std::vector<double> links(static_cast<std::size_t>(grid_.volume() * 72));
    generate(grid_, gauge(links), {.sweeps = 1, .over_relaxation = 0, .hot_start = true});
    return links;
  }
  std::vector<std::byte> bytes_of(const std::string& path) { return bytes_in(storage::posix(), path); }
  std::size_t files() const {
    const auto begin = std::filesystem::directory_iterator(directory_.path());
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  testing::ScratchDirectory directory_;
  Grid grid_{Extents{4, 4, 4, 8}};
};

TEST_F(Files, OfEveryFormatAreTheSame) {
  std::vector<double> values = links();
  int tried = 0;
  for (const FormatInfo& format : formats()) {
    if (format.contents != Contents::fields) continue;
    const std::string one = directory_ / fmt::format("one.{}", format.name);
    const WriteOptions how{.format = std::string(format.name), .block_bytes = 4096, .route = {.threads = 1}};
    try {
      lq::write(one, grid_, gauge(values), how);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported) << error.what();  // not of links in double precision
      continue;
    }
    ++tried;
    const Verification expected = io::verify(one, {}, {.physics = Measure::always, .block_bytes = 4096, .threads = 1});
    for (const int threads : thread_counts) {
      SCOPED_TRACE(fmt::format("{}, {} threads", format.name, threads));
      const std::string many = directory_ / fmt::format("many{}.{}", threads, format.name);
      WriteOptions options = how;
      options.route.threads = threads;
      lq::write(many, grid_, gauge(values), options);
      EXPECT_EQ(bytes_of(many), bytes_of(one));
      std::vector<double> found(values.size());
      lq::read(many, grid_, gauge(found), {.block_bytes = 4096, .route = {.threads = threads}});
      std::vector<double> of_one(values.size());
      lq::read(one, grid_, gauge(of_one), {.route = {.threads = 1}});
      EXPECT_EQ(found, of_one);
      const Verification verified =
          io::verify(one, {}, {.physics = Measure::always, .block_bytes = 4096, .threads = threads});
      EXPECT_EQ(to_json(verified), to_json(expected));
    }
  }
  EXPECT_GE(tried, 6);
}

// In tiles of a MiB, of which there are some.
TEST_F(Files, AreConvertedAndComparedAlike) {
  const Grid grid(Extents{8, 8, 8, 12});
  std::vector<double> values(static_cast<std::size_t>(grid.volume() * 72));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 1001);
  const std::string from = directory_ / "from.scidac", other = directory_ / "other.scidac";
  lq::write(from, grid, gauge(values));
  // The largest difference is at two sites, of which the lower one is told.
  for (const std::size_t site : {100U, 3000U, 6100U}) values[site * 72 + 5] += site == 100 ? 1 : 2;
  lq::write(other, grid, gauge(values));
  const auto compared = [&](int threads) { return to_json(diff(from, other, {}, {.threads = threads})); };
  const auto converted = [&](int threads) {
    const std::string to = directory_ / fmt::format("to{}.lime", threads);
    convert(
        from, to, {},
        {.write = {
             .format = "ildg", .precision = Precision::single, .block_bytes = 4096, .route = {.threads = threads}}});
    return bytes_of(to);
  };
  const std::string difference = compared(1);
  const std::vector<std::byte> bytes = converted(1);
  for (const int threads : thread_counts) {
    EXPECT_EQ(compared(threads), difference);
    EXPECT_EQ(converted(threads), bytes);
  }
}

TEST_F(Files, AreMadeOfTheSameLinks) {
  for (const Extents& extents : {Extents{4, 4, 4, 8}, Extents{3, 4, 2, 5}}) {
    const Grid grid(extents);
    const auto made = [&](int threads) {
      std::vector<double> values(static_cast<std::size_t>(grid.volume() * 72));
      generate(grid, gauge(values), {.sweeps = 2, .hot_start = true, .threads = threads});
      return values;
    };
    const std::vector<double> expected = made(1);
    for (const int threads : thread_counts) EXPECT_EQ(made(threads), expected);
  }
}

TEST_F(Files, ThatEndEarlyAreToldOfInTheSameWords) {
  const Payload payload = payload_at(64, Sites::spec(), grid_.extents(), ByteOrder::big);
  const auto transport = storage::make_memory();
  const auto file = transport->create("short");
  file->resize(payload.length / 2);
  std::vector<double> values(static_cast<std::size_t>(grid_.volume() * site_numbers));
  const MutableField field{Sites::spec(), values.data(), values.size(), {}, {}};
  const Box all = whole(grid_.extents());
  const auto messages = [&](int threads) {
    const engine::BlockOptions options = engine::block_options(payload, 4096, threads, 1 << 20, true);
    engine::TransferStats stats(payload, {{SumKind::scidac, SumOf::field}});
    const lattice::RowPlan rows{payload.extents, payload.stored, payload.order, all, {}, all};
    return std::pair(std::string(error_of([&] {
                                   engine::run(*engine::move_in(*file, payload, rows, field, options, stats));
                                 }).what()),
                     std::string(error_of([&] { engine::checksum_sites(*file, payload, {}, options, stats); }).what()));
  };
  const auto expected = messages(1);
  EXPECT_NE(expected.first.find("the file ends at byte"), std::string::npos) << expected.first;
  for (const int threads : thread_counts) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(messages(threads), expected);
  }
}

// Functions get the sites in the order of the file, each once, however many threads read and turn them.
TEST_F(Files, AreGivenToFunctionsInTheirOrder) {
  std::vector<double> values = links();
  const std::string path = directory_ / "order.scidac";
  lq::write(path, grid_, gauge(values));
  for (const int threads : {1, 2, 3, 7}) {
    std::uint64_t next = 0, right = 0;
    MutableField field = gauge(values);
    field.data = nullptr;
    field.store = [&](const Coord& x, const void* site) {
      const std::uint64_t number = lattice::site_number(x, whole(grid_.extents()), lattice::resolve_order({}, 4));
      if (number == next++ && std::memcmp(site, &values[number * 72], 576) == 0) ++right;
    };
    lq::read(path, grid_, field, {.block_bytes = 4096, .route = {.threads = threads}});
    EXPECT_EQ(next, grid_.volume()) << threads;
    EXPECT_EQ(right, grid_.volume()) << threads;
  }
}

// The function may fail, in the middle: the other threads end, and its exception is the one that is told.
TEST_F(Files, OfFunctionsThatFailAreLeft) {
  std::vector<double> values = links();
  const std::string path = directory_ / "fails.scidac";
  lq::write(path, grid_, gauge(values));
  MutableField field = gauge(values);
  field.data = nullptr;
  int given = 0;
  field.store = [&](const Coord&, const void*) {
    if (++given == 300) throw Error(Code::io, "no more");
  };
  const Error error = error_of([&] { lq::read(path, grid_, field, {.block_bytes = 4096, .route = {.threads = 3}}); });
  EXPECT_EQ(std::string(error.what()), "no more");
  EXPECT_EQ(given, 300);
}

TEST_F(Files, WithDamageAreToldOfAlike) {
  std::vector<double> values = links();
  const std::string path = directory_ / "damaged.scidac";
  lq::write(path, grid_, gauge(values));
  {
    const auto file = storage::posix().open_write(path);
    const std::array<std::byte, 2 * 576> zeros{};
    file->write_at(inspect(path).field().payload.offset + std::uint64_t{70} * 576, zeros);
  }
  const std::string expected = to_json(io::verify(path, {}, {.block_bytes = 4096, .threads = 1}));
  EXPECT_NE(expected.find("zero-links"), std::string::npos) << expected;
  for (const int threads : thread_counts) {
    EXPECT_EQ(to_json(io::verify(path, {}, {.block_bytes = 4096, .threads = threads})), expected);
    EXPECT_EQ(error_of([&] { lq::read(path, grid_, gauge(values), {.route = {.threads = threads}}); }).code(),
              Code::checksum_mismatch);
  }
}

// Whichever thread meets it.
TEST_F(Files, WhoseStorageFailsAreNoFiles) {
  std::vector<double> values = links();
  const Field field = gauge(values);
  const std::string path = directory_ / "new.ildg";
  bool goes_on = true;
  for (std::int64_t k = 0; goes_on; ++k) {
    testing::FaultyTransport faulty(storage::posix(), k);
    try {
      write_field(faulty, path, grid_, lattice::resolve_field(grid_, field),
                  {.block_bytes = 4096, .route = {.threads = 3}});
      goes_on = faulty.has_failed();  // some failures do no harm, such as that to ask for space
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io) << error.what();
    }
    std::filesystem::remove(path);  // what failed after its naming leaves it whole
    EXPECT_EQ(files(), 0U) << k;
    ASSERT_LT(k, 2000);
  }
}

TEST_F(Files, ThatCannotBeReadAreErrors) {
  std::vector<double> values = links();
  const std::string path = directory_ / "old.ildg";
  lq::write(path, grid_, gauge(values));
  bool goes_on = true;
  for (std::int64_t k = 0; goes_on; ++k) {
    testing::FaultyTransport faulty(storage::posix(), k);
    const MutableField field = lattice::resolve_field(grid_, gauge(values));
    try {
      read_field(faulty, path, grid_, field, {.block_bytes = 4096, .route = {.threads = 3}});
      goes_on = faulty.has_failed();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io) << error.what();
    }
    ASSERT_LT(k, 2000);
  }
}

// A file of which the third quarter cannot be read. Who comes there first fails after another program has, if one
// comes.
class UnreadableWithin final : public storage::ForwardingTransport {
 public:
  explicit UnreadableWithin(std::uint64_t bytes) : ForwardingTransport(storage::posix()), quarter_(bytes / 4) {}
  // Where reads have failed.
  const std::set<std::uint64_t>& failures() const noexcept { return failures_; }

 private:
  class File final : public storage::ForwardingFile {
   public:
    File(std::unique_ptr<storage::File> file, UnreadableWithin& owner)
        : ForwardingFile(std::move(file)), owner_(owner) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      if (offset / owner_.quarter_ == 2) owner_.fail(path(), offset);
      return ForwardingFile::read_at(offset, buffer);
    }

   private:
    UnreadableWithin& owner_;
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<File>(std::move(file), *this);
  }
  [[noreturn]] void fail(const std::string& path, std::uint64_t offset) {
    std::unique_lock lock(mutex_);
    failures_.insert(offset);
    others_.notify_all();
    if (failures_.size() == 1) others_.wait_for(lock, std::chrono::seconds(1), [&] { return failures_.size() > 1; });
    throw Error(Code::io, path + ": cannot read", {.path = path, .offset = offset});
  }

  std::uint64_t quarter_;
  std::mutex mutex_;
  std::condition_variable others_;
  std::set<std::uint64_t> failures_;
};

// Several threads fail, and one error is told: that of the lowest byte, as a single thread would tell.
TEST_F(Files, ThatCannotBeReadAreToldFromTheFirstByteOn) {
  std::vector<double> values = links();
  const std::string path = directory_ / "old.ildg";
  lq::write(path, grid_, gauge(values));
  int together = 0;
  for (int round = 0; round < 20 && together < 3; ++round) {
    UnreadableWithin unreadable(std::filesystem::file_size(path));
    const MutableField field = lattice::resolve_field(grid_, gauge(values));
    const Error error = error_of([&] {
      read_field(unreadable, path, grid_, field,
                 {.block_bytes = 4096, .route = {.strategy = Strategy::direct, .threads = 3}});
    });
    ASSERT_EQ(error.code(), Code::io);
    ASSERT_FALSE(unreadable.failures().empty());
    EXPECT_EQ(error.facts().offset, *unreadable.failures().begin()) << unreadable.failures().size() << " failures";
    together += unreadable.failures().size() > 1 ? 1 : 0;
  }
  EXPECT_GT(together, 0);
}

TEST_F(Files, InTheBackgroundAreTheSame) {
  std::vector<double> values = links();
  const std::string one = directory_ / "one.ildg";
  lq::write(one, grid_, gauge(values));
  for (const int threads : thread_counts) {
    const std::string many = directory_ / fmt::format("many{}.ildg", threads);
    write_async(many, grid_, gauge(values), {.block_bytes = 4096, .route = {.threads = threads}}).wait();
    EXPECT_EQ(bytes_of(many), bytes_of(one));
    std::vector<double> found(values.size());
    read_async(many, grid_, gauge(found), {.block_bytes = 4096, .route = {.threads = threads}}).wait();
    EXPECT_EQ(found, values);
    write_async(directory_ / "given_up.ildg", grid_, gauge(values), {.block_bytes = 64, .route = {.threads = threads}})
        .cancel();
    EXPECT_FALSE(std::filesystem::exists(directory_ / "given_up.ildg"));
  }
}

// A file system with servers, or one without. A reader waits, for some seconds at most, until a second one has come;
// the longest piece that is written is noted.
class Servers final : public storage::ForwardingTransport {
 public:
  explicit Servers(std::string_view name) : ForwardingTransport(storage::posix()), name_(name) {}
  storage::StorageTraits unit(const std::string&) override {
    storage::StorageTraits unit{.one_writer = name_ == "ext4", .reads_in_order = name_ == "fuse.ceph-fuse"};
    name_.copy(unit.file_system.data(), unit.file_system.size() - 1);
    return unit;
  }
  storage::Striping set_stripes(const std::string& path, const std::string&, std::uint64_t,
                                const StripeRequest&) override {
    return {{}, unit(path)};
  }
  std::size_t readers() const {
    const std::lock_guard lock(mutex_);
    return readers_.size();
  }
  std::size_t longest_written() const {
    const std::lock_guard lock(mutex_);
    return longest_;
  }

 private:
  class File final : public storage::ForwardingFile {
   public:
    File(std::unique_ptr<storage::File> file, Servers& servers) : ForwardingFile(std::move(file)), servers_(servers) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      if (buffer.size() > 100'000) servers_.meet();
      return ForwardingFile::read_at(offset, buffer);
    }
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      const std::lock_guard lock(servers_.mutex_);
      servers_.longest_ = std::max(servers_.longest_, bytes.size());
      ForwardingFile::write_at(offset, bytes);
    }

   private:
    Servers& servers_;
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<File>(std::move(file), *this);
  }
  void meet() {
    std::unique_lock lock(mutex_);
    readers_.insert(std::this_thread::get_id());
    another_.notify_all();
    if (name_ != "fuse.glusterfs") return;
    another_.wait_for(lock, std::chrono::seconds(20), [&] { return readers_.size() > 1; });
  }

  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable another_;
  std::set<std::thread::id> readers_;
  std::size_t longest_ = 0;
};

TEST_F(Files, GoToServersInLongPiecesAsFarAsThereIsMemory) {
  const Grid grid({8, 8, 8, 32});  // 9.4 MB
  const std::vector<double> values = formula_sites<double>(grid, 72);
  const auto longest = [&](const char* name, const WriteOptions& options) {
    Servers servers(name);
    write_field(servers, directory_ / "conf.ildg", grid, lattice::resolve_field(grid, gauge(values)), options);
    return servers.longest_written();
  };
  const auto whole_sites = [](std::size_t bytes) { return bytes / 576 * 576; };
  WriteOptions options{.overwrite = true, .route = {.threads = 1}};
  EXPECT_EQ(longest("ext4", options), whole_sites(512 << 10));
  EXPECT_EQ(longest("fuse.glusterfs", options), whole_sites(4 << 20));
  options.route.threads = 8;
  EXPECT_EQ(longest("fuse.glusterfs", options), whole_sites(2 << 20));
  options.route.memory_bytes = 1 << 20;
  EXPECT_EQ(longest("fuse.glusterfs", options), whole_sites(512 << 10));
  options.block_bytes = 5760;
  EXPECT_EQ(longest("fuse.glusterfs", options), 5760U);
}

TEST_F(Files, ComeFromServersInTwoPiecesAtATime) {
  const Grid grid({8, 8, 8, 16});  // 4.7 MB
  const std::vector<double> values = formula_sites<double>(grid, 72);
  const std::string path = directory_ / "conf.ildg";
  lq::write(path, grid, gauge(values));
  const auto readers = [&](const char* name, int threads) {
    Servers servers(name);
    std::vector<double> found(values.size());
    const MutableField field = lattice::resolve_field(grid, gauge(found));
    EXPECT_EQ(read_field(servers, path, grid, field, {.route = {.threads = threads}}).status, ChecksumStatus::ok);
    EXPECT_EQ(found, values);
    return servers.readers();
  };
  EXPECT_EQ(readers("fuse.glusterfs", 0), 2U);
  EXPECT_EQ(readers("fuse.ceph-fuse", 0), 1U);
  EXPECT_EQ(readers("fuse.ceph-fuse", 4), 1U);
  EXPECT_EQ(readers("ext4", 0), 1U);
  EXPECT_EQ(readers("ext4", 1), 1U);
}

}  // namespace
}  // namespace lq::io
