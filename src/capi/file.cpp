// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing fields.
#include <limequat/file.hpp>

#include <tuple>

#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"
#include "options/values.hpp"

namespace {

using lq::capi::agreed;
using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;
using lq::capi::hand_out_report;
using lq::capi::Room;
using lq::capi::text;

}  // namespace

struct lq_writer {
  lq::Communicator communicator;
  lq::Writer writer;
};

lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] { return lq::capi::write_call(path, field, options); });
    hand_out_report(lq::write(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] { return lq::capi::read_call(path, field, options); });
    hand_out_report(lq::read(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_writer_create(const char* path, const lq_grid* grid, const lq_write_options* defaults,
                           lq_writer** writer) {
  return guarded([&] {
    const lq::Communicator& communicator = grid_of(grid).communicator();
    auto [room, name, options] = agreed(communicator, [&] {
      return std::tuple(Room(writer, "writer"), text(path, "path"), lq::capi::options_of(defaults));
    });
    room.fill(communicator, lq::create(name, grid->grid, options));
  });
}

lq_status lq_writer_write(lq_writer* writer, const char* name, lq_field field, const lq_metadata* metadata,
                          size_t count, char** report_json) {
  return guarded([&] {
    struct Arguments {
      std::string name;
      lq::Field field;
      lq::Metadata metadata;
    };
    const auto call = agreed(given(writer, "writer")->communicator, [&] {
      return Arguments{text(name, "name"), lq::capi::readable(field), lq::options::metadata_of(metadata, count)};
    });
    hand_out_report(writer->writer.write(call.name, call.field, call.metadata), report_json);
  });
}

lq_status lq_writer_record(lq_writer* writer, const char* type, const void* contents, size_t bytes) {
  return guarded([&] {
    const auto call = agreed(given(writer, "writer")->communicator, [&] {
      if (bytes > 0) given(contents, "contents");
      return std::pair(text(type, "type"), std::string_view(static_cast<const char*>(contents), bytes));
    });
    writer->writer.write_record(call.first, call.second);
  });
}

lq_status lq_writer_close(lq_writer* writer) {
  return guarded([&] { given(writer, "writer")->writer.close(); });
}

void lq_writer_free(lq_writer* writer) { delete writer; }
