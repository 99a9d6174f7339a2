// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench overlap.
#include "cli/bench.hpp"

#include <algorithm>
#include <cmath>
#include <future>

#include <fmt/format.h>
#include <limequat/async.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>

#include "base/text.hpp"
#include "bench/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

// Three arrays, and how much of them makes about a millisecond; the write is tested in between.
struct LoadSize {
  const char* name;
  std::size_t numbers;
  std::size_t per_slice;
};
constexpr LoadSize in_cache = {"cache", 2 * 1024, 2 * 1024 * 1024};
constexpr LoadSize in_memory = {"memory", 4 * 1024 * 1024, 256 * 1024};
constexpr double shortest_useful = 2e-3;

// Repeats a = b + c / 2 over arrays that fit in cache or do not.
class Load {
 public:
  explicit Load(const LoadSize& size)
      : per_slice_(size.per_slice), a_(size.numbers, 0), b_(size.numbers, 1), c_(size.numbers, 2) {}

  void run(int slices, const std::function<void()>& between) {
    for (int i = 0; i < slices; ++i) {
      slice();
      between();
    }
  }

 private:
  void slice() {
    for (std::size_t left = per_slice_; left > 0;) {
      const std::size_t end = at_ + std::min(left, a_.size() - at_);
      left -= end - at_;
      for (std::size_t i = at_; i < end; ++i) a_[i] = b_[i] + 0.5 * c_[i];
      at_ = end;
      if (at_ < a_.size()) continue;
      at_ = 0;
      std::swap(a_, b_);  // the next pass depends on this one
    }
  }

  std::size_t per_slice_;
  std::size_t at_ = 0;
  bench::PageVector<double> a_, b_, c_;
};

class Overlap {
 public:
  Overlap(const Session& session, const BenchLattice& what, bench::BenchField& field)
      : session_(session), what_(what), field_(field), options_(what.write_options(field.grid())) {}

  // Collective.
  bench::Result measure(const LoadSize& size) {
    const Grid& grid = field_.grid();
    const auto raw = bench::make_raw_mover(grid, 8, what_.rounds.sync);
    bench::Result result = label(size.name);
    Load load(size);
    const int slices = calibrate(load);
    bench::take_turns(5, what_.rounds.runs, [&](std::size_t who) {
      if (who == 0) result.raw.add(with_file([&](const std::string& path) { (void)raw->write(path, field_); }));
      if (who == 1) result.beside->compute.add(bench::timed(session_.communicator, [&] { load.run(slices, [] {}); }));
      if (who == 2) result.beside->alone.add(with_file([&](const std::string& path) { write_alone(path); }));
      if (who == 3) result.seconds.add(with_file([&](const std::string& path) { both(path, load, slices); }));
      if (who == 4) {
        result.beside->raw.add(with_file([&](const std::string& path) { beside_raw(*raw, path, load, slices); }));
      }
    });
    return result;
  }

 private:
  bench::Result label(const std::string& load) const {
    bench::Result result = bench::of_field(bench::plain_label("overlap", options_.format), field_);
    result.strategy = name(options_.route.strategy);
    result.verify = options_.verify == Verify::none ? "none" : "checksum";
    result.sync = what_.rounds.sync;
    result.beside.emplace().load = load;
    return result;
  }

  Field field() const { return gauge(field_.source(), {.links = field_.grid().extents().size()}); }

  double with_file(const std::function<void(const std::string& path)>& work) const {
    const bench::ScratchFile file(session_.communicator, what_.rounds.directory, "lime");
    return bench::timed(session_.communicator, [&] { work(file.path()); });
  }
  void write_alone(const std::string& path) const { write_async(path, field_.grid(), field(), options_).wait(); }
  void both(const std::string& path, Load& load, int slices) const {
    Pending pending = write_async(path, field_.grid(), field(), options_);
    load.run(slices, [&] { pending.test(); });
    pending.wait();
  }
  // A plain pwrite in a second thread.
  void beside_raw(bench::Mover& raw, const std::string& path, Load& load, int slices) const {
    std::future<void> written = std::async(std::launch::async, [&] { (void)raw.write(path, field_); });
    load.run(slices, [] {});
    written.get();
  }

  // Collective. The number of slices that takes as long as a write.
  int calibrate(Load& load) const {
    constexpr int warm_up = 16;  // once through the arrays in memory
    with_file([&](const std::string& path) { write_alone(path); });
    const double write = with_file([&](const std::string& path) { write_alone(path); });
    load.run(warm_up, [] {});
    const double slice = bench::timed(session_.communicator, [&] { load.run(warm_up, [] {}); }) / warm_up;
    return std::max(1, static_cast<int>(std::lround(std::max(write, shortest_useful) / slice)));
  }

  const Session& session_;
  const BenchLattice& what_;
  bench::BenchField& field_;
  WriteOptions options_;
};

std::string overlap_table(const std::vector<bench::Result>& results, const std::string& file_system, int runs) {
  const bench::Result& one = results.front();
  Table table({"  loop in", ">compute ms", ">write ms", ">both ms", ">to the longer", ">raw, to the longer",
               ">hidden of the shorter", ">write, ratio to raw"});
  const auto ms = [](const bench::Series& series) { return fmt::format("{:.1f}", series.median() * 1e3); };
  for (const bench::Result& r : results) {
    table.row({"  " + r.beside->load, ms(r.beside->compute), ms(r.beside->alone), ms(r.seconds),
               fmt::format("{:.2f}", r.ratio_to_longer()), fmt::format("{:.2f}", r.raw_to_longer()),
               fmt::format("{:.2f}", r.hidden_share()), fmt::format("{:.2f}", r.ratio_to_raw())});
  }
  return fmt::format("{}, {}, process grid {}, {}, background write during a compute loop, median of {} runs\n{}",
                     to_string(one.lattice), base::human_bytes(one.bytes), to_string(one.grid), file_system, runs,
                     table.text());
}

}  // namespace

int bench_overlap(Session& session, const BenchLattice& what) {
  const std::vector<Grid> grids = what.grids_of(session.communicator);
  what.require_targets(session);
  if (what.rounds.cold) throw UsageError("--cold: nothing is read during the loop");
  if (what.gathers()) throw UsageError("--strategy gather: cannot write in the background");
  return what.measure(session, grids, overlap_table, [&](bench::BenchField& field) {
    Overlap overlap(session, what, field);
    return std::vector{overlap.measure(in_cache), overlap.measure(in_memory)};
  });
}

}  // namespace lq::cli
