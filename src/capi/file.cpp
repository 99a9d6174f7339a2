// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing fields.
#include <limequat/file.hpp>

#include <limequat/json.hpp>

#include "capi/field.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

namespace {

using lq::capi::agreed;
using lq::capi::given;
using lq::capi::grid_of;
using lq::capi::guarded;
using lq::capi::text;

// The arguments of one call, translated.
template <class Field, class Options>
struct Call {
  std::string path;
  Field field;
  Options options;
  char** report;

  void hand_out(const lq::Report& done) const {
    if (report != nullptr) lq::capi::hand_out(lq::to_json(done), report);
  }
};

}  // namespace

struct lq_writer {
  lq::Communicator communicator;
  lq::Writer writer;
};

lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      return Call<lq::Field, lq::WriteOptions>{text(path, "path"), lq::capi::readable(field),
                                               lq::capi::write_options(options), lq::capi::report_of(options)};
    });
    call.hand_out(lq::write(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      return Call<lq::MutableField, lq::ReadOptions>{text(path, "path"), lq::capi::writable(field),
                                                     lq::capi::read_options(options), lq::capi::report_of(options)};
    });
    call.hand_out(lq::read(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_writer_create(const char* path, const lq_grid* grid, const lq_write_options* defaults,
                           lq_writer** writer) {
  return guarded([&] {
    const lq::Communicator& communicator = grid_of(grid).communicator();
    const auto [name, options] = agreed(communicator, [&] {
      given(writer, "writer");
      return std::pair(text(path, "path"), lq::capi::write_options(defaults));
    });
    *writer = new lq_writer{communicator, lq::create(name, grid->grid, options)};
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
      return Arguments{text(name, "name"), lq::capi::readable(field), lq::capi::metadata_of(metadata, count)};
    });
    const lq::Report report = writer->writer.write(call.name, call.field, call.metadata);
    if (report_json != nullptr) lq::capi::hand_out(lq::to_json(report), report_json);
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
