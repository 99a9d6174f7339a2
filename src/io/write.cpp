// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See write.hpp.
#include "io/write.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/physics.hpp>

#include "comm/agree.hpp"
#include "grid/local_field.hpp"

namespace lq {

namespace io {

namespace {

// Plaquette and link trace as metadata; the format knows where they belong.
void add_measurements(Metadata& metadata, const Grid& grid, const Field& field) {
  const Physics physics = measure(grid, field);
  metadata.emplace_back("plaquette", fmt::format("{:.12f}", physics.plaquette.average));
  metadata.emplace_back("link_trace", fmt::format("{:.12f}", physics.link_trace));
}

}  // namespace

Report append_field(FieldWriter& writer, const Grid& grid, const std::string& path, const std::string& name,
                    const Field& field, const Metadata& metadata, const WriteOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const Field local = comm::agree(comm, [&] { return grid::resolve_field(grid, field); });
  require_same_request(comm, path, options, local.spec, name, metadata);

  FieldPlan plan{name, local.spec, grid.extents(), metadata, grid.local_volume() > 0};
  if (options.measure && local.spec.kind == FieldKind::gauge) add_measurements(plan.metadata, grid, local);
  return writer.append(
      plan, [&](transport::File& file, const Payload& payload, const pump::PumpOptions& how, pump::Tally& tally) {
        const Box& mine = grid.local_box();
        lattice::Rows rows({payload.extents, payload.stored, payload.order, mine, local.order, mine});
        pump::pump_out(local, payload, rows, file, how, tally);
      });
}

Report write_field(transport::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options) {
  FieldWriter writer(transport, grid.communicator(), path, options);
  Report report = append_field(writer, grid, path, options.name, field, options.metadata, options);
  writer.commit(report);
  return report;
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
    : state_(new State{path, grid, defaults, io::FieldWriter(transport::posix(), grid.communicator(), path, defaults),
                       Report{}}) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Report Writer::write(const std::string& name, const Field& field, const Metadata& metadata) {
  return step(state_, [&] {
    Metadata all = state_->options.metadata;
    all.insert(all.end(), metadata.begin(), metadata.end());
    return io::append_field(state_->writer, state_->grid, state_->path, name, field, all, state_->options);
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
