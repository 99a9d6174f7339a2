// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers in the background.
#include <limequat/async.hpp>

#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"

namespace {

using lq::capi::agreed;
using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;
using lq::capi::Room;

// The guard of borrowed memory must know how much there is, which C need not tell.
void measure(lq::Field& field, const lq_field& given_field, const lq::Grid& grid) {
  if (field.data == nullptr || given_field.available != 0 || !field.memory.is_plain()) return;
  lq::FieldSpec spec = field.spec;
  if (spec.kind == lq::FieldKind::gauge && spec.links == 0) {
    spec = lq::gauge_spec(spec.precision, spec.colors, grid.extents().size());
  }
  field.available = grid.local_volume() * spec.numbers;
}

}  // namespace

lq_status lq_write_async(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options,
                         lq_pending** pending) {
  return guarded([&] {
    auto [room, call] = agreed(grid_of(grid).communicator(), [&] {
      auto made = std::pair(Room(pending, "pending"), lq::capi::write_call(path, field, options));
      measure(made.second.field, field, grid->grid);
      return made;
    });
    room.fill(lq::write_async(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_read_async(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options,
                        lq_pending** pending) {
  return guarded([&] {
    auto [room, call] = agreed(grid_of(grid).communicator(), [&] {
      return std::pair(Room(pending, "pending"), lq::capi::read_call(path, field, options));
    });
    room.fill(lq::read_async(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_pending_test(lq_pending* pending, int* done) {
  return guarded([&] {
    given(done, "done");
    *done = given(pending, "pending")->pending.test() ? 1 : 0;
  });
}

lq_status lq_pending_wait(lq_pending* pending, char** report_json) {
  return guarded([&] { lq::capi::hand_out_report(given(pending, "pending")->pending.wait(), report_json); });
}

lq_status lq_pending_cancel(lq_pending* pending) {
  return guarded([&] { given(pending, "pending")->pending.cancel(); });
}

void lq_pending_free(lq_pending* pending) { delete pending; }
