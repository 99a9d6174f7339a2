// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/physics.hpp>

#include "comm/agree.hpp"
#include "grid/local_field.hpp"
#include "io/observe.hpp"
#include "io/sites.hpp"
#include "io/transfer.hpp"
#include "physics/u1_links.hpp"

namespace lq {

namespace io {

namespace {

// Plaquette and link trace as metadata; the format knows where they belong.
void add_measurements(Metadata& metadata, const Physics& physics) {
  metadata.emplace_back("plaquette", fmt::format("{:.12f}", physics.plaquette.average));
  metadata.emplace_back("link_trace", fmt::format("{:.12f}", physics.link_trace));
}

// Collective. Arguments checked, measurements made.
FieldPlan prepare(const Grid& grid, const Field& local, const std::string& path, const std::string& name,
                  const Metadata& metadata, const WriteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  require_same_request(comm, path, options, local.spec, name, metadata);
  std::optional<Physics> physics;
  std::optional<double> u1_plaquette;
  const auto make_plan = [&] {
    FieldPlan plan{name, local.spec, grid.extents(), metadata, u1_plaquette};
    if (physics && options.measure) add_measurements(plan.metadata, *physics);
    if (physics) {
      plan.plaquette = physics->plaquette.average;
      plan.link_trace = physics->link_trace;
    }
    return plan;
  };
  bool needs_physics = false, needs_u1 = false;  // alike on all ranks
  std::optional<FieldPlan> plan = comm::agree_alike(comm, [&]() -> std::optional<FieldPlan> {
    const format::Observables wanted =
        target_format(path, options, local.spec, grid.extents()).for_fields().observables();
    const bool is_stated = wanted != format::Observables::in_texts;
    needs_physics = can_be_measured(local.spec, grid.extents()) && (options.measure || is_stated);
    needs_u1 = wanted == format::Observables::measured && physics::can_be_u1(local.spec, grid.extents());
    if (needs_physics || needs_u1) return std::nullopt;
    return make_plan();
  });
  if (plan) return *std::move(plan);
  if (needs_physics) physics = measure(grid, local, options.route.threads);
  if (needs_u1) u1_plaquette = physics::u1_plaquette(grid, local, options.route.threads);
  return comm::agree(comm, make_plan);
}

// A field of a grid's ranks on its way into the file of a writer, which outlives it.
class FieldTransfer {
 public:
  // Local.
  FieldTransfer(FieldWriter& writer, const Grid& grid, const Field& field, bool watches_numbers = false)
      : writer_(writer), grid_(grid), local_(grid::resolve_field(grid, field)), watches_numbers_(watches_numbers) {}

  // Collective. Everything up to the first site.
  void begin(transport::Transport& transport, const std::string& path, const std::string& name,
             const Metadata& metadata, const WriteOptions& options) {
    placed_ = writer_.place(prepare(grid_, local_, path, name, metadata, options));
    const FieldWriter::Seen seen = writer_.make_files(*placed_);
    sites_ = comm::agree(grid_.communicator().engine(), [&] {
      const Payload& payload = placed_->payload();
      return std::make_unique<SiteTransfer>(grid_,
                                            SitePlan{.path = path,
                                                     .payload = payload,
                                                     .region = payload.stored,
                                                     .unit = seen.unit,
                                                     .client = seen.client,
                                                     .new_file_in = &transport,
                                                     .sums = placed_->layout.sums,
                                                     .watches_numbers = watches_numbers_,
                                                     .tile_codec = placed_->format->tile_codec(payload.encoding),
                                                     .route = options.route,
                                                     .block_bytes = options.block_bytes,
                                                     .progress = options.progress},
                                            local_);
    });
    sites_->choose_route();
    std::vector<transport::File*> files = writer_.open(*placed_, sites_->touches_file(), sites_->has_strange_caches());
    sites_->start(files, placed_->watch.seconds());
  }

  pump::Movement& movement() { return sites_->movement(); }

  // Collective. The sites have passed, or failed to on this rank.
  Report finish(const std::exception_ptr& failure) {
    writer_.named([&] { sites_->finish(failure); });
    comm::Comm& comm = grid_.communicator().engine();
    format::Digest digest = comm::agree_alike(comm, [&] {
      return format::Digest{sites_->tally().sums.values(), sites_->tiles()};
    });
    Report report = writer_.finish(*placed_, digest);
    comm::agree_alike(comm, [&] {
      sites_->describe(report);
      if (sites_->tally().numbers) warn_of(sites_->tally().numbers->found.not_finite, report);
    });
    return report;
  }

 private:
  static void warn_of(const pump::OddNumbers::Sites& not_finite, Report& report) {
    if (not_finite.count == 0) return;
    report.warnings.push_back(
        fmt::format("{}: \"{}\": {} sites that were written have numbers that are NaN or infinite, or were too large "
                    "for the precision in the file, the first of them at byte {}",
                    report.path, report.field, not_finite.count, not_finite.first_offset));
  }

  FieldWriter& writer_;
  Grid grid_;
  Field local_;
  bool watches_numbers_;
  std::unique_ptr<FieldWriter::Placed> placed_;
  std::unique_ptr<SiteTransfer> sites_;
};

class WriteTransfer final : public Transfer {
 public:
  // Local.
  WriteTransfer(transport::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                const WriteOptions& options)
      : writer_(transport, grid.communicator(), path, options), field_(writer_, grid, field) {}
  // Collective.
  void begin(transport::Transport& transport, const std::string& path, const WriteOptions& options) {
    field_.begin(transport, path, options.name, options.metadata, options);
  }

  pump::Movement& movement() override { return field_.movement(); }

  Report finish(const std::exception_ptr& failure) override {
    Report report = field_.finish(failure);
    writer_.commit(report);
    return report;
  }

 private:
  FieldWriter writer_;
  FieldTransfer field_;
};

}  // namespace

Report append_field(FieldWriter& writer, transport::Transport& transport, const Grid& grid, const std::string& path,
                    const std::string& name, const Field& field, const Metadata& metadata, const WriteOptions& options,
                    bool watches_numbers) {
  const auto transfer = comm::agree(grid.communicator().engine(), [&] {
    return std::make_unique<FieldTransfer>(writer, grid, field, watches_numbers);
  });
  transfer->begin(transport, path, name, metadata, options);
  return transfer->finish(pump::outcome_of(transfer->movement()));
}

std::unique_ptr<Transfer> begin_write(transport::Transport& transport, const std::string& path, const Grid& grid,
                                      const Field& field, const WriteOptions& options) {
  auto transfer = comm::agree(grid.communicator().engine(),
                              [&] { return std::make_unique<WriteTransfer>(transport, path, grid, field, options); });
  transfer->begin(transport, path, options);
  return transfer;
}

Report write_field(transport::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options) {
  const std::unique_ptr<Transfer> transfer = begin_write(transport, path, grid, field, options);
  return transfer->finish(pump::outcome_of(transfer->movement()));
}

}  // namespace io

Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  return io::write_field(transport::resolve(path), path, grid, field, options);
}

struct Writer::State {
  std::string path;
  Grid grid;
  WriteOptions options;
  io::FieldWriter writer;
  Report total;  // of all fields

  // A writer that failed once never publishes.
  bool open = true;
};

namespace {

// Runs one step of a writer; an error leaves it closed, and its file abandoned.
template <class State, class Step>
auto step(State& state, Step&& work) {
  if (!state || !state->open) {
    throw Error(Code::wrong_state, fmt::format("{}: this writer is closed, or failed before; create a new one",
                                               state ? state->path : std::string("(moved)")));
  }
  state->open = false;
  if constexpr (std::is_void_v<std::invoke_result_t<Step>>) {
    work();
    state->open = true;
  } else {
    auto result = work();
    state->open = true;
    return result;
  }
}

}  // namespace

Writer::Writer(const std::string& path, const Grid& grid, const WriteOptions& defaults)
    : state_(comm::agree(grid.communicator().engine(), [&] {
        return std::unique_ptr<State>(
            new State{path, grid, defaults,
                      io::FieldWriter(transport::resolve(path), grid.communicator(), path, defaults), Report{}});
      })) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Report Writer::write(const std::string& name, const Field& field, const Metadata& metadata) {
  return step(state_, [&] {
    const Metadata all = comm::agree(state_->grid.communicator().engine(), [&] {
      Metadata both = state_->options.metadata;
      both.insert(both.end(), metadata.begin(), metadata.end());
      return both;
    });
    return io::append_field(state_->writer, transport::resolve(state_->path), state_->grid, state_->path, name, field,
                            all, state_->options);
  });
}

void Writer::write_record(const std::string& type, std::string_view contents) {
  step(state_, [&] { state_->writer.append_record(type, contents); });
}

void Writer::close() {
  step(state_, [&] { state_->writer.commit(state_->total); });
  state_->open = false;
}

Writer create(const std::string& path, const Grid& grid, const WriteOptions& defaults) {
  return {path, grid, defaults};
}

}  // namespace lq
