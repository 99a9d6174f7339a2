// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids and communicators: handles around the values of C++.
#include <algorithm>
#include <string>

#include "capi/grid_call.hpp"
#include "capi/handles.hpp"

using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;
using lq::capi::Room;

namespace {

lq::Error error_of(const lq_failure& failure) {
  const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  lq::ErrorFacts facts;
  facts.path = text(failure.path);
  facts.record = text(failure.record);
  facts.expected = text(failure.expected);
  facts.found = text(failure.found);
  if (failure.offset >= 0) facts.offset = static_cast<std::uint64_t>(failure.offset);
  facts.system_errno = failure.system_errno;
  const auto code = static_cast<lq::Code>(failure.status);
  if (code == lq::Code::ok || lq::name(code) == "unknown") {
    lq::capi::reject("the status of a failure is " + std::to_string(failure.status) +
                     ", expected one of lq_status but LQ_OK");
  }
  return lq::Error(code, text(failure.sentence), facts);
}

// Collective.
void agree_on(const lq::Communicator& group, const lq_failure* failure) {
  lq::capi::agreed(group, [&] {
    if (failure != nullptr) throw error_of(lq::capi::given_options(failure, lq_failure{}));
    return true;
  });
}

}  // namespace

void lq_communicator_free(lq_communicator* communicator) { delete communicator; }
int lq_communicator_rank(const lq_communicator* communicator) {
  return communicator ? communicator->communicator.rank() : 0;
}
int lq_communicator_size(const lq_communicator* communicator) {
  return communicator ? communicator->communicator.size() : 1;
}

lq_status lq_communicator_agree(const lq_communicator* communicator, const lq_failure* failure) {
  return guarded([&] { agree_on(lq::capi::communicator_of(communicator), failure); });
}

lq_status lq_grid_agree(const lq_grid* grid, const lq_failure* failure) {
  return guarded([&] { agree_on(lq::capi::grid_of(grid).communicator(), failure); });
}

lq_status lq_grid_self(const int64_t* extents, int dimensions, lq_grid** grid) {
  return guarded([&] { Room(grid, "grid").fill(lq::Grid(lq::capi::coord_of(extents, dimensions, "extents"))); });
}

lq_status lq_grid_options_init(lq_grid_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_grid);
}

lq_status lq_grid_create(const int64_t* extents, int dimensions, const lq_communicator* communicator,
                         const lq_grid_options* options, lq_grid** grid) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::communicator_of(communicator);
    auto [room, call] = lq::capi::agreed(group, [&] {
      auto translated = std::pair(Room(grid, "grid"), lq::capi::grid_call(extents, dimensions, options, group.size()));
      if (!translated.second.axes.empty())
        lq::capi::reject("the axes must be those of a Cartesian MPI communicator: lq_grid_mpi_with");
      return translated;
    });
    room.fill(lq::Grid(group, call.extents, call.options));
  });
}

void lq_grid_free(lq_grid* grid) { delete grid; }

int lq_grid_dimensions(const lq_grid* grid) { return grid ? grid->grid.extents().size() : 0; }
uint64_t lq_grid_volume(const lq_grid* grid) { return grid ? grid->grid.volume() : 0; }
uint64_t lq_grid_local_volume(const lq_grid* grid) { return grid ? grid->grid.local_volume() : 0; }
int lq_grid_rank(const lq_grid* grid) { return grid ? grid->grid.rank() : -1; }
int lq_grid_size(const lq_grid* grid) { return grid ? grid->grid.size() : 0; }

lq_status lq_grid_extents(const lq_grid* grid, int64_t* extents) {
  return guarded([&] { std::ranges::copy(grid_of(grid).extents(), given(extents, "extents")); });
}

lq_status lq_grid_processes(const lq_grid* grid, int64_t* processes) {
  return guarded([&] { std::ranges::copy(grid_of(grid).processes(), given(processes, "processes")); });
}

lq_status lq_grid_local_box(const lq_grid* grid, int64_t* lower, int64_t* extents) {
  return guarded([&] {
    const lq::Box& box = grid_of(grid).local_box();
    given(lower, "lower");
    given(extents, "extents");
    std::ranges::copy(box.lower, lower);
    std::ranges::copy(box.extents, extents);
  });
}
