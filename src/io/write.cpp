// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See write.hpp.
#include "io/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/physics.hpp>

#include "comm/agree.hpp"
#include "grid/local_field.hpp"
#include "io/sites.hpp"
#include "io/transfer.hpp"

namespace lq {

namespace io {

namespace {

// Plaquette and link trace as metadata; the format knows where they belong.
void add_measurements(Metadata& metadata, const Physics& physics) {
  metadata.emplace_back("plaquette", fmt::format("{:.12f}", physics.plaquette.average));
  metadata.emplace_back("link_trace", fmt::format("{:.12f}", physics.link_trace));
}

}  // namespace

namespace {

// The field of a grid's ranks as sites for a FieldWriter; what it refers to stays in its place.
class GridSites {
 public:
  GridSites(std::string path, const Grid& grid, Field local, const WriteOptions& options, transport::Unit unit)
      : path_(std::move(path)), grid_(grid), local_(std::move(local)), options_(options), unit_(unit) {}
  GridSites(const GridSites&) = delete;
  GridSites& operator=(const GridSites&) = delete;

  FieldWriter::Sites sites() {
    return {[this](const Payload& payload) {
              route_ = route_sites({.path = path_,
                                    .grid = grid_,
                                    .payload = payload,
                                    .region = payload.stored,
                                    .unit = unit_,
                                    .writing = true,
                                    .checksum = options_.verify != Verify::none,
                                    .options = options_.route},
                                   local_);
              return route_.touches_file;
            },
            [this](transport::File* file, const Payload& payload, const pump::PumpOptions& how, pump::Tally& tally) {
              return move_sites_out(route_, grid_, local_, payload, file, how, tally);
            }};
  }
  Strategy strategy() const noexcept { return route_.strategy; }
  const Field& local() const noexcept { return local_; }

 private:
  std::string path_;
  Grid grid_;
  Field local_;
  WriteOptions options_;
  transport::Unit unit_;
  SiteRoute route_;
};

// Collective. Arguments checked, measurements made.
FieldPlan prepare(const Grid& grid, const Field& local, const std::string& path, const std::string& name,
                  const Metadata& metadata, const WriteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  require_same_request(comm, path, options, local.spec, name, metadata);
  std::optional<Physics> physics;
  if (options.measure && local.spec.kind == FieldKind::gauge) physics = measure(grid, local);
  return comm::agree(comm, [&] {
    FieldPlan plan{name, local.spec, grid.extents(), metadata};
    if (physics) add_measurements(plan.metadata, *physics);
    return plan;
  });
}

class WriteTransfer final : public Transfer {
 public:
  // Local.
  WriteTransfer(transport::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                const WriteOptions& options)
      : sites_(path, grid, grid::resolve_field(grid, field), options, transport.unit(path)),
        writer_(transport, grid.communicator(), path, options) {}
  // Collective.
  void begin(const Grid& grid, const std::string& path, const WriteOptions& options) {
    const FieldPlan plan = prepare(grid, sites_.local(), path, options.name, options.metadata, options);
    passing_ = writer_.begin(plan, sites_.sites());
  }

  pump::Movement& movement() override { return *passing_->movement; }

  Report finish(const std::exception_ptr& failure) override {
    Report report = writer_.finish(*passing_, failure);
    report.strategy = sites_.strategy();
    writer_.commit(report);
    return report;
  }

 private:
  GridSites sites_;
  FieldWriter writer_;
  std::unique_ptr<FieldWriter::Passing> passing_;  // refers to the others
};

}  // namespace

Report append_field(FieldWriter& writer, transport::Transport& transport, const Grid& grid, const std::string& path,
                    const std::string& name, const Field& field, const Metadata& metadata,
                    const WriteOptions& options) {
  const auto sites = comm::agree(grid.communicator().engine(), [&] {
    return std::make_unique<GridSites>(path, grid, grid::resolve_field(grid, field), options, transport.unit(path));
  });
  Report report = writer.append(prepare(grid, sites->local(), path, name, metadata, options), sites->sites());
  report.strategy = sites->strategy();
  return report;
}

std::unique_ptr<Transfer> begin_write(transport::Transport& transport, const std::string& path, const Grid& grid,
                                      const Field& field, const WriteOptions& options) {
  auto transfer = comm::agree(grid.communicator().engine(),
                              [&] { return std::make_unique<WriteTransfer>(transport, path, grid, field, options); });
  transfer->begin(grid, path, options);
  return transfer;
}

Report write_field(transport::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options) {
  const std::unique_ptr<Transfer> transfer = begin_write(transport, path, grid, field, options);
  return transfer->finish(pump::outcome_of(transfer->movement()));
}

}  // namespace io

Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  return io::write_field(transport::posix(), path, grid, field, options);
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

Writer::Writer(std::string path, const Grid& grid, WriteOptions defaults)
    : state_(comm::agree(grid.communicator().engine(), [&] {
        return std::unique_ptr<State>(new State{
            path, grid, defaults, io::FieldWriter(transport::posix(), grid.communicator(), path, defaults), Report{}});
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
    return io::append_field(state_->writer, transport::posix(), state_->grid, state_->path, name, field, all,
                            state_->options);
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
