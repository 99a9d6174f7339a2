// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in memory of a GPU: whatever the strategy, the ranks and the order in memory, the file is the one that memory
// of the host gives, and what is read is what was written. The host touches no page of a GPU: there it would fault.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>

#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "device/pooled_buffer.hpp"
#include "io/transfer.hpp"
#include "support/device_memory.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::bytes_in;
using testing::DeviceArray;
using testing::DeviceLibrary;
using testing::formula_sites;

constexpr std::uint64_t link_numbers = 18;

struct Trial {
  const char* name;
  Extents lattice, processes;
  int ranks_per_node = 64;
  SiteOrder order = {};
  Precision file = Precision::double_;
  bool only_odd_ranks = false;  // have their sites on a GPU
  std::uint64_t chunk_bytes = 4096;
};

FieldSpec spec() { return generic_spec(Precision::double_, link_numbers, false); }

// The sites of a rank, on the host or on a GPU.
class Sites {
 public:
  Sites(const std::vector<double>& values, bool on_device) : host_(values) {
    if (on_device) device_.emplace(values);
  }

  Field field(const SiteOrder& order) const { return {spec(), data(), host_.size(), order, {}}; }
  MutableField target(const SiteOrder& order) { return {spec(), data(), host_.size(), order, {}}; }
  void put(const std::vector<double>& values) {
    host_ = values;
    if (device_) device_->put(values);
  }
  std::vector<double> values() const { return device_ ? device_->values() : host_; }

 private:
  double* data() const { return device_ ? device_->data() : const_cast<double*>(host_.data()); }

  std::vector<double> host_;
  std::optional<DeviceArray<double>> device_;
};

class DeviceFields : public ::testing::TestWithParam<std::tuple<Strategy, Trial>> {
 protected:
  static const Trial& trial() { return std::get<1>(GetParam()); }
  static bool is_on_device(const Grid& grid) { return !trial().only_odd_ranks || grid.rank() % 2 == 1; }
  static RouteOptions route() {
    return {.strategy = std::get<0>(GetParam()), .chunk_bytes = trial().chunk_bytes, .alignment = 4096};
  }

  void on_ranks(const std::function<void(const Grid&)>& body) const {
    testing::run_ranks(static_cast<int>(volume(trial().processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), trial().lattice,
                                   {.processes = trial().processes, .idle_ranks = true}));
                       },
                       {.ranks_per_node = trial().ranks_per_node});
  }

  // What memory of the host gives, on one rank.
  std::vector<std::byte> expected() {
    const Grid grid(trial().lattice);
    const Sites sites(formula_sites<double>(grid, link_numbers), false);
    write_field(*transport_, "expected.lime", grid, sites.field({}), options());
    return bytes_in(*transport_, "expected.lime");
  }
  static WriteOptions options() { return {.format = "scidac", .precision = trial().file}; }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_P(DeviceFields, AreWrittenAsThoseOfTheHost) {
  on_ranks([&](const Grid& grid) {
    const Sites sites(formula_sites<double>(grid, link_numbers, trial().order), is_on_device(grid));
    WriteOptions how = options();
    how.route = route();
    const Report report = write_field(*transport_, "found.lime", grid, sites.field(trial().order), how);
    EXPECT_EQ(report.strategy, how.route.strategy);
  });
  EXPECT_EQ(bytes_in(*transport_, "found.lime"), expected());
}

TEST_P(DeviceFields, AreReadAsThoseOfTheHost) {
  expected();
  on_ranks([&](const Grid& grid) {
    const std::vector<double> none(static_cast<std::size_t>(grid.local_volume() * link_numbers), -1);
    Sites sites(none, is_on_device(grid));
    const Report report =
        read_field(*transport_, "expected.lime", grid, sites.target(trial().order), {.route = route()});
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(sites.values(), formula_sites<double>(grid, link_numbers, trial().order));
  });
}

const Trial trials[] = {
    {"one_rank", {4, 4, 4, 4}, {1, 1, 1, 1}},
    {"several_blocks", {8, 8, 8, 16}, {1, 1, 1, 2}, 64, {}, Precision::double_, false, 0},
    {"x_split", {8, 4, 4, 8}, {2, 1, 1, 1}},
    {"xyzt_split_on_four_nodes", {8, 4, 4, 8}, {2, 2, 2, 2}, 4},
    {"uneven_with_idle_ranks", {3, 5, 2, 7}, {4, 1, 1, 2}, 3},
    {"single_precision", {8, 4, 4, 8}, {2, 1, 2, 1}, 2, {}, Precision::single},
    {"t_fastest_in_memory", {8, 4, 4, 4}, {2, 1, 1, 2}, 64, {3, 2, 1, 0}},
    {"some_ranks_on_the_host", {8, 4, 4, 8}, {2, 2, 1, 1}, 2, {}, Precision::double_, true},
};
INSTANTIATE_TEST_SUITE_P(Grids, DeviceFields,
                         ::testing::Combine(::testing::Values(Strategy::direct, Strategy::shared, Strategy::messages),
                                            ::testing::ValuesIn(trials)),
                         [](const auto& trial) {
                           return std::string(name(std::get<0>(trial.param))) + "_" + std::get<1>(trial.param).name;
                         });

// Memory by description on a GPU. What it holds is what memory of the host has that is described alike.
struct Described {
  const char *name, *words;
  std::size_t arrays = 1, numbers = 72;  // arrays; numbers of a site in each
  std::size_t room = 1;                  // of a halo
};
void PrintTo(const Described& described, std::ostream* out) { *out << described.name; }

class DescribedOnDevice : public ::testing::TestWithParam<std::tuple<Strategy, Described>> {
 protected:
  static const Described& described() { return std::get<1>(GetParam()); }

  // Arrays of a rank, on the host and on a GPU, with pointers to them and a table of places.
  class Memory {
   public:
    explicit Memory(const Grid& grid)
        : length_(static_cast<std::size_t>(grid.local_volume()) * described().numbers * described().room),
          host_(described().arrays, std::vector<double>(length_, -1)) {
      for (auto& array : host_) host_pointers_.push_back(array.data());
      for (std::size_t i = 0; i < host_.size(); ++i) {
        device_pointers_.push_back(device_.emplace_back(std::make_unique<DeviceArray<double>>(host_[i]))->data());
      }
      for (std::uint64_t i = 0; i < grid.local_volume(); ++i) places_.push_back(grid.local_volume() - 1 - i);
    }
    MutableField on_host() { return field(host_pointers_); }
    MutableField on_device() { return field(device_pointers_); }
    void put() {
      for (std::size_t i = 0; i < host_.size(); ++i) device_[i]->put(host_[i]);
    }
    void expect_alike() const {
      for (std::size_t i = 0; i < host_.size(); ++i) EXPECT_TRUE(device_[i]->values() == host_[i]) << "array " << i;
    }

   private:
    MutableField field(std::vector<void*>& pointers) {
      MemoryLayout layout = memory_layout(described().words);
      if (layout.places != PlaceTable::none) layout = memory_layout(described().words, places_);
      void* const data = pointers.size() > 1 ? static_cast<void*>(pointers.data()) : pointers.front();
      return {gauge_spec(Precision::double_), data, length_, {}, {}, layout, {}};
    }

    std::size_t length_;
    std::vector<std::vector<double>> host_;
    std::vector<std::unique_ptr<DeviceArray<double>>> device_;
    std::vector<void*> host_pointers_, device_pointers_;
    std::vector<std::uint64_t> places_;
  };
};

TEST_P(DescribedOnDevice, IsWrittenAndReadAsThatOfTheHost) {
  const Extents lattice{8, 4, 4, 8};
  const auto transport = storage::make_memory();
  {
    const Grid grid(lattice);
    write_field(
        *transport, "plain.lime", grid,
        Field{gauge_spec(Precision::double_), formula_sites<double>(grid, 72).data(), 72 * grid.volume(), {}, {}},
        {.format = "scidac"});
  }
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{2, 1, 1, 1}});
    Memory memory(grid);
    const RouteOptions route{.strategy = std::get<0>(GetParam()), .chunk_bytes = 65536, .threads = 2};
    read_field(*transport, "plain.lime", grid, memory.on_host(), {.route = route});
    read_field(*transport, "plain.lime", grid, memory.on_device(), {.route = route});
    memory.expect_alike();
    memory.put();
    write_field(*transport, "described.lime", grid, memory.on_device(), {.format = "scidac", .route = route});
  });
  EXPECT_EQ(bytes_in(*transport, "described.lime"), bytes_in(*transport, "plain.lime"));
}

const Described layouts_on_device[] = {
    {"milc", "milc"},
    {"quda_host", "quda_host", 4, 18},
    {"quda_native", "quda_native"},
    {"tmlqcd", "tmlqcd"},
    {"grid", "grid"},
    {"columns", "matrix=columns"},
    {"outermost", "links=outermost"},
    {"halo", "halo=1,1,1,1", 1, 72, 8},
    {"table", "places=of-sites"},
};
INSTANTIATE_TEST_SUITE_P(Layouts, DescribedOnDevice,
                         ::testing::Combine(::testing::Values(Strategy::direct, Strategy::messages),
                                            ::testing::ValuesIn(layouts_on_device)),
                         [](const auto& trial) {
                           return std::string(name(std::get<0>(trial.param))) + "_" + std::get<1>(trial.param).name;
                         });

// Integers and norms on a GPU, as QUDA computes with them.
TEST(HalfPrecisionOnDevice, IsThatOfTheHost) {
  const Grid grid(Extents{4, 4, 4, 8});
  const std::size_t sites = static_cast<std::size_t>(grid.volume());
  const auto transport = storage::make_memory();
  const FieldSpec spec = spinor_spec(Precision::single);
  const std::vector<float> plain = formula_sites<float>(grid, 24);
  write_field(*transport, "plain.lime", grid, Field{spec, plain.data(), plain.size(), {}, {}}, {.format = "scidac"});
  std::vector<std::int16_t> integers(sites * 24);
  std::vector<float> norms(sites);
  const DeviceArray<std::int16_t> device_integers(integers.size());
  const DeviceArray<float> device_norms(sites);
  const MemoryLayout words = memory_layout("quda_native_spinor block=4 norms=in-array");
  std::array<void*, 2> host{integers.data(), norms.data()}, device{device_integers.data(), device_norms.data()};
  const MutableField on_host{spec, host.data(), integers.size(), {}, {}, words, {}};
  const MutableField on_device{spec, device.data(), integers.size(), {}, {}, words, {}};
  read_field(*transport, "plain.lime", grid, on_host, {});
  const DeviceReport device_report = read_field(*transport, "plain.lime", grid, on_device, {}).device;
  EXPECT_EQ(device_report.reason, "half precision, with norms");
  EXPECT_EQ(device_report.summary(), "the host computed for a GPU on 1 rank: half precision, with norms");
  EXPECT_EQ(device_integers.values(), integers);
  EXPECT_EQ(device_norms.values(), norms);
  write_field(*transport, "host.lime", grid, on_host, {.format = "scidac"});
  write_field(*transport, "device.lime", grid, on_device, {.format = "scidac"});
  EXPECT_EQ(bytes_in(*transport, "device.lime"), bytes_in(*transport, "host.lime"));
}

// Who computed, on all ranks alike: here one with its sites on the host, and two whose sites are on a GPU.
TEST(ReportOfDevice, SaysWhoComputed) {
  const auto transport = storage::make_memory();
  const char* const wish = std::getenv("LQ_DEVICE_PROGRAM");
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 6}, {.processes = Extents{1, 1, 1, 3}});
    const Sites sites(formula_sites<double>(grid, link_numbers), grid.rank() > 0);
    const WriteOptions options{.format = "scidac", .route = {.strategy = Strategy::messages}};
    const DeviceReport device = write_field(*transport, "told.lime", grid, sites.field({}), options).device;
    EXPECT_EQ(device.computing_ranks, wish == nullptr ? 2U : 0U) << device.summary();
    EXPECT_EQ(device.copying_ranks, wish == nullptr ? 0U : 2U);
    EXPECT_EQ(device.reason, wish == nullptr ? "" : "the environment has LQ_DEVICE_PROGRAM=off");
  });
}

// What the GPU computes: the host sees bytes of the file, and of each site the CRC-32.
class ComputedOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver does not count";
    const char* const wish = std::getenv("LQ_DEVICE_PROGRAM");
    if (wish != nullptr) GTEST_SKIP() << "the host computes";
  }

  static constexpr std::uint64_t sites = 8 * 8 * 8 * 16;
  // Where the numbers of a site lie.
  static constexpr std::uint64_t extra = link_numbers * 16;

  const DeviceLibrary& library_ = DeviceLibrary::get();
  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_F(ComputedOnDevice, OnlyBytesOfTheFileCrossTheBus) {
  const Grid grid(Extents{8, 8, 8, 16});
  const Sites source(formula_sites<double>(grid, link_numbers), true);
  Sites target(std::vector<double>(sites * link_numbers, -1), true);
  const WriteOptions options{.format = "scidac", .precision = Precision::single, .route = {.threads = 1}};
  write_field(*transport_, "first.lime", grid, source.field({}), options);  // loads kernels
  const LqStandInCounts before = library_.counts();
  write_field(*transport_, "written.lime", grid, source.field({}), options);
  const LqStandInCounts between = library_.counts();
  read_field(*transport_, "written.lime", grid, target.target({}), {.route = {.threads = 1}});
  const LqStandInCounts after = library_.counts();
  EXPECT_EQ(between.bytes - before.bytes, sites * (link_numbers * 4 + 4) + extra);
  EXPECT_EQ(after.bytes - between.bytes, sites * (link_numbers * 4 + 4) + extra);
  EXPECT_GT(between.launches, before.launches);
}

// Sites that follow one another in the file lie apart in memory; a few copies take them there all the same.
TEST_F(ComputedOnDevice, ShortPiecesAreReadTogether) {
  const Grid grid(Extents{8, 8, 8, 16});
  const SiteOrder order{3, 2, 1, 0};
  const Sites source(formula_sites<double>(grid, link_numbers, order), true);
  Sites target(std::vector<double>(sites * link_numbers, -1), true);
  write_field(*transport_, "short.lime", grid, source.field(order), {.format = "scidac"});
  const LqStandInCounts before = library_.counts();
  read_field(*transport_, "short.lime", grid, target.target(order), {.route = {.threads = 1}});
  EXPECT_EQ(target.values(), source.values());
  EXPECT_LT(library_.counts().launches - before.launches, 10U);
}

TEST_F(ComputedOnDevice, WhatIsNoNumberStaysAsItIs) {
  const Grid grid(Extents{4, 4, 4, 4});
  std::vector<double> values = formula_sites<double>(grid, link_numbers);
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = std::numeric_limits<double>::quiet_NaN();
  const Sites on_host(values, false), on_device(values, true);
  const WriteOptions options{.format = "scidac", .precision = Precision::single};
  write_field(*transport_, "host.lime", grid, on_host.field({}), options);
  write_field(*transport_, "device.lime", grid, on_device.field({}), options);
  EXPECT_EQ(bytes_in(*transport_, "device.lime"), bytes_in(*transport_, "host.lime"));
}

TEST(DescribedOnDeviceAndHost, IsRefused) {
  const Grid grid(Extents{4, 4, 4, 4});
  std::vector<double> host(18 * 256);
  const DeviceArray<double> device(host);
  std::array<double*, 4> arrays{host.data(), device.data(), host.data(), host.data()};
  const auto transport = storage::make_memory();
  const Error error = testing::error_of([&] {
    write_field(*transport, "mixed.lime", grid,
                gauge_in_arrays<double>(arrays, host.size(), memory_layout("quda_host")), {.format = "scidac"});
  });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("partly on the host"), std::string::npos) << error.what();
}

// Nobody can read a GPU's memory through the memory of a process.
TEST(DeviceFieldsOfNeighbours, AreNotPulled) {
  const auto transport = storage::make_memory();
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4}, {.processes = Extents{2, 1, 1, 1}});
    const Sites sites(formula_sites<double>(grid, link_numbers), grid.rank() == 1);
    const Error error = testing::error_of([&] {
      write_field(*transport, "pulled.lime", grid, sites.field({}),
                  {.format = "scidac", .route = {.strategy = Strategy::pull}});
    });
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.what()).find("use \"shared\""), std::string::npos) << error.what();
  });
}

// A gauge field is generated and measured where it lies.
TEST(DeviceGaugeFields, AreGeneratedAndMeasured) {
  const Grid grid(Extents{4, 4, 4, 4});
  const std::size_t numbers = static_cast<std::size_t>(grid.local_volume()) * 72;
  std::vector<double> host(numbers);
  const DeviceArray<double> device(numbers);
  const GenerateOptions options{.beta = 5.7, .sweeps = 1, .seed = 3};
  generate(grid, gauge(host), options);
  const MutableField on_device{gauge_spec(Precision::double_), device.data(), numbers, {}, {}};
  generate(grid, on_device, options);
  EXPECT_EQ(device.values(), host);
  EXPECT_EQ(plaquette(grid, on_device).average, plaquette(grid, gauge(host)).average);
  const auto transport = storage::make_memory();
  write_field(*transport, "host.nersc", grid, gauge(host), {.format = "nersc"});
  write_field(*transport, "device.nersc", grid, on_device, {.format = "nersc"});
  EXPECT_EQ(bytes_in(*transport, "device.nersc").size(), bytes_in(*transport, "host.nersc").size());
  std::vector<double> from_host(numbers), from_device(numbers);
  read_field(*transport, "host.nersc", grid, gauge(from_host), {});
  read_field(*transport, "device.nersc", grid, gauge(from_device), {});
  EXPECT_EQ(from_device, from_host);
}

// Whichever call of the driver fails on whichever rank: the same error on all, no new file, nothing left over; or all
// is well.
class FailingDriver : public ::testing::TestWithParam<Strategy> {
 protected:
  static constexpr int ranks = 2;

  template <class Operation>
  std::vector<std::exception_ptr> outcomes(const Operation& operation) const {
    return testing::outcomes_of_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4}, {.processes = Extents{ranks, 1, 1, 1}});
      operation(grid);
    });
  }

  // The sites of each rank on the GPU; the calls that this takes are not among those that fail.
  void make_sites() {
    for (const std::exception_ptr& failure : outcomes([&](const Grid& grid) {
           sites_[static_cast<std::size_t>(grid.rank())].emplace(formula_sites<double>(grid, link_numbers), true);
         })) {
      ASSERT_EQ(failure, nullptr);
    }
  }
  Sites& sites_of(const Grid& grid) { return *sites_[static_cast<std::size_t>(grid.rank())]; }

  // Fails every call of `operation` once; `after` looks at what is there, told whether all went well.
  template <class Operation, class After>
  void fail_each(const Operation& operation, const After& after) const {
    const std::uint64_t before = library_.counts().calls;
    for (const std::exception_ptr& failure : outcomes(operation)) ASSERT_EQ(failure, nullptr);
    const std::uint64_t calls = library_.counts().calls - before;
    ASSERT_GT(calls, 20U);
    after(true);
    int failed = 0;
    for (std::uint64_t call = 1; call <= calls; call += 1 + calls / 60) {
      device::free_kept_blocks();
      library_.fail(call, 700);
      const std::vector<std::exception_ptr> failures = outcomes(operation);
      library_.fail(0, 0);
      device::free_kept_blocks();
      EXPECT_EQ(library_.counts().held, 0) << call;
      for (const std::exception_ptr& failure : failures) {
        ASSERT_EQ(failure == nullptr, failures[0] == nullptr) << call;
        if (failure == nullptr) continue;
        const Error error = testing::error_of([&] { std::rethrow_exception(failure); });
        EXPECT_EQ(error.code(), Code::io) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::string("of the ") + library_.driver_name() + " driver"),
                  std::string::npos)
            << error.what();
      }
      after(failures[0] == nullptr);
      if (failures[0] != nullptr) ++failed;
    }
    EXPECT_GT(failed, 10);
  }

  const DeviceLibrary& library_ = DeviceLibrary::get();
  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
  std::array<std::optional<Sites>, ranks> sites_;
};

TEST_P(FailingDriver, LeavesNoFile) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver fails when it likes";
  make_sites();
  const auto write = [&](const Grid& grid) {
    write_field(*transport_, "new.lime", grid, sites_of(grid).field({}),
                {.format = "scidac", .route = {.strategy = GetParam()}});
  };
  fail_each(write, [&](bool all_well) {
    EXPECT_EQ(transport_->kind("new.lime") == storage::PathKind::file, all_well);
    if (all_well) transport_->remove("new.lime");
  });
}

TEST_P(FailingDriver, IsToldByWhoReads) {
  if (!library_.is_stand_in()) GTEST_SKIP() << "a real driver fails when it likes";
  {
    const Grid grid(Extents{4, 4, 4, 4});
    const Sites sites(formula_sites<double>(grid, link_numbers), false);
    write_field(*transport_, "old.lime", grid, sites.field({}), {.format = "scidac"});
  }
  make_sites();
  std::atomic<int> right = 0;
  const auto read = [&](const Grid& grid) {
    Sites& sites = sites_of(grid);
    sites.put(std::vector<double>(static_cast<std::size_t>(grid.local_volume() * link_numbers), -1));
    read_field(*transport_, "old.lime", grid, sites.target({}), {.route = {.strategy = GetParam()}});
    if (sites.values() == formula_sites<double>(grid, link_numbers)) ++right;
  };
  fail_each(read, [&](bool all_well) {
    if (all_well) {
      EXPECT_GE(right.load(), ranks);
    }
    right = 0;
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, FailingDriver,
                         ::testing::Values(Strategy::direct, Strategy::shared, Strategy::messages),
                         [](const auto& strategy) { return std::string(name(strategy.param)); });

}  // namespace
}  // namespace lq::io
