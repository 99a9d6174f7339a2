// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/transfer.hpp"

#include <fmt/format.h>

#include <memory>

#include <limequat/file.hpp>
#include <limequat/physics.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "io/observe.hpp"
#include "io/sites.hpp"
#include "lattice/local_field.hpp"
#include "physics/plaquettes.hpp"

namespace lq {

namespace io {

namespace {

// Plaquette and link trace as metadata; the format knows where to store them.
void add_measurements(Metadata& metadata, const Physics& physics) {
  metadata.emplace_back("plaquette", fmt::format("{:.12f}", physics.plaquette.average));
  metadata.emplace_back("link_trace", fmt::format("{:.12f}", physics.link_trace));
}

// A field of a grid's ranks in transit to the file of a writer, which must outlive it.
class FieldTransfer {
 public:
  // Local.
  FieldTransfer(FieldWriter& writer, const Grid& grid, const Field& field, bool watches_numbers = false)
      : writer_(writer), grid_(grid), local_(lattice::resolve_field(grid, field)), watches_numbers_(watches_numbers) {}

  // The field to write, and the target.
  struct Request {
    storage::Transport& transport;
    const std::string& path;
    const std::string& name;
    const Metadata& metadata;
    const WriteOptions& options;
  };
  // Local. Arguments that all ranks must agree on; empty for a single rank.
  std::vector<comm::StatedArgument> stated(const Request& request) const {
    if (grid_.communicator().size() == 1) return {};
    return stated_request(request.path, request.options, local_.spec, request.name, request.metadata);
  }
  // Local, the same on all ranks.
  void plan(const Request& request) {
    plan_ = {request.name, local_.spec, grid_.extents(), request.metadata};
    const format::Observables wanted =
        target_format(request.path, request.options, local_.spec, grid_.extents()).for_fields().observables();
    const bool is_stated = wanted != format::Observables::in_texts;
    needs_physics_ = can_be_measured(local_.spec, grid_.extents()) && (request.options.measure || is_stated);
    needs_u1_ = wanted == format::Observables::measured && physics::can_be_u1(local_.spec, grid_.extents());
  }
  // Collective. Everything up to the first site.
  void begin(const Request& request) {
    const WriteOptions& options = request.options;
    measure_what_is_stated(options);
    const comm::FromRoot at_root = writer_.place_at_root(plan_);
    SiteTransfer::Facts facts;
    comm::agree(grid_.communicator().engine(), facts.terms(), [&] {
      placed_ = writer_.placed(plan_, at_root);
      const Payload& payload = placed_->payload();
      sites_ = std::make_unique<SiteTransfer>(grid_,
                                              SitePlan{.path = request.path,
                                                       .payload = payload,
                                                       .region = payload.stored,
                                                       .unit = placed_->seen.unit,
                                                       .client = placed_->seen.client,
                                                       .new_file_in = &request.transport,
                                                       .sums = placed_->layout.sums,
                                                       .watches_numbers = watches_numbers_,
                                                       .tile_codec = placed_->format->tile_codec(payload.encoding),
                                                       .route = options.route,
                                                       .block_bytes = options.block_bytes,
                                                       .progress = options.progress},
                                              local_);
      sites_->tell(facts);
    });
    sites_->choose_route(facts);
    writer_.set_sizes(*placed_, sites_->has_incoherent_caches());
    sites_->start([&] { return writer_.open(*placed_, sites_->touches_file()); }, placed_->watch);
  }

  engine::StepwiseTransfer& steps() { return sites_->steps(); }

  // Collective. After the sites have passed, or failed to on this rank.
  Report finish(const std::exception_ptr& failure) {
    writer_.named([&] { sites_->finish(failure); });
    return writer_.finish(
        *placed_,
        [&] {
          return format::Digest{sites_->stats().sums.values(), sites_->tiles()};
        },
        [&](Report& report) {
          sites_->describe(report);
          if (sites_->stats().numbers) warn_of(sites_->stats().numbers->found.not_finite, report);
        });
  }

 private:
  // Collective.
  void measure_what_is_stated(const WriteOptions& options) {
    if (needs_u1_) plan_.plaquette = physics::u1_plaquette(grid_, local_, options.route.threads);
    if (!needs_physics_) return;
    const Physics physics = measure(grid_, local_, options.route.threads);
    plan_.plaquette = physics.plaquette.average;
    plan_.link_trace = physics.link_trace;
    if (!options.measure) return;
    comm::agree(grid_.communicator().engine(), [&] { add_measurements(plan_.metadata, physics); });
  }

  static void warn_of(const engine::OddNumbers::Sites& not_finite, Report& report) {
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
  FieldPlan plan_;
  bool needs_physics_ = false, needs_u1_ = false;
  std::unique_ptr<FieldWriter::Placed> placed_;
  std::unique_ptr<SiteTransfer> sites_;
};

class WriteTransfer final : public Transfer {
 public:
  // Local.
  WriteTransfer(storage::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                const WriteOptions& options)
      : writer_(transport, grid.communicator(), path, options), field_(writer_, grid, field) {}
  FieldTransfer& field() noexcept { return field_; }

  engine::StepwiseTransfer& steps() override { return field_.steps(); }

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

Report append_field(FieldWriter& writer, storage::Transport& transport, const Grid& grid, const std::string& path,
                    const std::string& name, const Field& field, const Metadata& metadata, const WriteOptions& options,
                    bool watches_numbers) {
  const FieldTransfer::Request request{transport, path, name, metadata, options};
  std::unique_ptr<FieldTransfer> transfer;
  comm::agree_alike(
      grid.communicator().engine(),
      [&] {
        transfer = std::make_unique<FieldTransfer>(writer, grid, field, watches_numbers);
        return transfer->stated(request);
      },
      [&] { transfer->plan(request); });
  transfer->begin(request);
  return transfer->finish(engine::outcome_of(transfer->steps()));
}

std::unique_ptr<Transfer> begin_write(storage::Transport& transport, const std::string& path, const Grid& grid,
                                      const Field& field, const WriteOptions& options) {
  const FieldTransfer::Request request{transport, path, options.name, options.metadata, options};
  std::unique_ptr<WriteTransfer> transfer;
  comm::agree_alike(
      grid.communicator().engine(),
      [&] {
        transfer = std::make_unique<WriteTransfer>(transport, path, grid, field, options);
        return transfer->field().stated(request);
      },
      [&] { transfer->field().plan(request); });
  transfer->field().begin(request);
  return transfer;
}

Report write_field(storage::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options) {
  const std::unique_ptr<Transfer> transfer = begin_write(transport, path, grid, field, options);
  return transfer->finish(engine::outcome_of(transfer->steps()));
}

}  // namespace io

Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  return io::write_field(storage::resolve(path), path, grid, field, options);
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

// Runs one step of a writer; an error closes it and abandons its file.
template <class State, class Step>
auto step(State& state, Step&& work) {
  if (!state || !state->open) {
    base::fail(Code::wrong_state, {}, "{}: this writer is closed, or failed before; create a new one",
               state ? state->path : std::string("(moved)"));
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
                      io::FieldWriter(storage::resolve(path), grid.communicator(), path, defaults), Report{}});
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
    return io::append_field(state_->writer, storage::resolve(state_->path), state_->grid, state_->path, name, field,
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
