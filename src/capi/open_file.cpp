// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that stay open.
#include <limequat/async.hpp>
#include <limequat/file.hpp>
#include <limequat/json.hpp>

#include <tuple>

#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"

struct lq_file {
  lq::Communicator communicator;
  lq::File file;
};

namespace {

using lq::capi::agreed;
using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;
using lq::capi::Room;

}  // namespace

lq_status lq_file_open(const char* path, const lq_scan_options* options, lq_file** file) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::communicator_of(options == nullptr ? nullptr : options->communicator);
    auto [room, name, limits] = agreed(group, [&] {
      return std::tuple(Room(file, "file"), lq::capi::text(path, "path"), lq::capi::options_of(options));
    });
    room.fill(group, lq::open(name, group, limits));
  });
}

lq_status lq_file_catalog(const lq_file* file, char** json) {
  return guarded([&] {
    given(json, "json");
    lq::capi::hand_out(lq::to_json(given(file, "file")->file.catalog()), json);
  });
}

lq_status lq_file_read(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      return lq::capi::read_call(given(file, "file")->file.catalog().path.c_str(), field, options);
    });
    lq::capi::hand_out_report(file->file.read(grid->grid, call.field, call.options), call);
  });
}

lq_status lq_file_read_async(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options,
                             lq_pending** pending) {
  return guarded([&] {
    auto [room, call] = agreed(grid_of(grid).communicator(), [&] {
      const char* const path = given(file, "file")->file.catalog().path.c_str();
      return std::pair(Room(pending, "pending"), lq::capi::read_call(path, field, options));
    });
    room.fill(lq::read_async(file->file, grid->grid, call.field, call.options));
  });
}

lq_status lq_file_read_record(const lq_file* file, const char* type, uint64_t index, lq_sink sink, void* context) {
  return guarded([&] {
    if (sink == nullptr) lq::capi::reject("sink is NULL");
    const std::string bytes = given(file, "file")->file.read_record(lq::capi::text(type, "type"), index);
    sink(bytes.data(), bytes.size(), context);
  });
}

void lq_file_free(lq_file* file) { delete file; }
