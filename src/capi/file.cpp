// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing fields.
#include <span>
#include <string>
#include <tuple>

#include <limequat/async.hpp>
#include <limequat/file.hpp>
#include <limequat/json.hpp>
#include <limequat/node_cache.hpp>
#include <limequat/region_writer.hpp>

#include "capi/answers.hpp"
#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"
#include "options/values.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

struct lq_writer {
  lq::Communicator communicator;
  lq::Writer writer;
};

lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] { return write_call(path, field, options); });
    hand_out_report(lq::write(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] { return read_call(path, field, options); });
    hand_out_report(lq::read(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_writer_create(const char* path, const lq_grid* grid, const lq_write_options* defaults,
                           lq_writer** writer) {
  return guarded([&] {
    const lq::Communicator& communicator = grid_of(grid).communicator();
    auto [slot, name, options] = agreed(communicator, [&] {
      return std::tuple(HandleSlot(writer, "writer"), text(path, "path"), options_of(defaults));
    });
    slot.fill(communicator, lq::create(name, grid->grid, options));
  });
}

lq_status lq_writer_write(lq_writer* writer, const char* name, lq_field field, const lq_metadata* metadata,
                          size_t count, char** report_json) {
  return guarded([&] {
    const auto [title, sites, texts_of_field] = agreed(given(writer, "writer")->communicator, [&] {
      return std::tuple{text(name, "name"), readable(field), lq::options::metadata_of(metadata, count)};
    });
    hand_out_report(writer->writer.write(title, sites, texts_of_field), report_json);
  });
}

lq_status lq_writer_record(lq_writer* writer, const char* type, const void* contents, size_t bytes) {
  return guarded([&] {
    const auto call = agreed(given(writer, "writer")->communicator, [&] {
      bytes_at(contents, bytes, "contents");
      return std::pair(text(type, "type"), std::string_view(static_cast<const char*>(contents), bytes));
    });
    writer->writer.write_record(call.first, call.second);
  });
}

lq_status lq_writer_close(lq_writer* writer) {
  return guarded([&] { given(writer, "writer")->writer.close(); });
}

void lq_writer_free(lq_writer* writer) { delete writer; }

struct lq_region_writer {
  lq::Communicator communicator;
  int dimensions;
  lq::RegionWriter writer;
};

lq_status lq_region_writer_create(const char* path, const lq_grid* grid, lq_field like, const lq_write_options* options,
                                  lq_region_writer** writer) {
  return guarded([&] {
    const lq::Communicator& communicator = grid_of(grid).communicator();
    auto [slot, name, spec, how] = agreed(communicator, [&] {
      return std::tuple(HandleSlot(writer, "writer"), text(path, "path"), lq::capi::readable(like).spec,
                        lq::capi::options_of(options));
    });
    slot.fill(communicator, grid->grid.extents().size(), lq::RegionWriter(name, grid->grid, spec, how));
  });
}

lq_status lq_region_writer_write(lq_region_writer* writer, const int64_t* lower, const int64_t* extents,
                                 lq_field field) {
  return guarded([&] {
    const int dimensions = given(writer, "writer")->dimensions;
    writer->writer.write(
        {lq::capi::coord_of(lower, dimensions, "lower"), lq::capi::coord_of(extents, dimensions, "extents")},
        lq::capi::readable(field));
  });
}

lq_status lq_region_writer_missing(const lq_region_writer* writer, uint64_t* sites) {
  return guarded([&] { *given(sites, "sites") = given(writer, "writer")->writer.missing(); });
}

lq_status lq_region_writer_close(lq_region_writer* writer, char** report_json) {
  return guarded([&] { hand_out_report(given(writer, "writer")->writer.close(), report_json); });
}

void lq_region_writer_free(lq_region_writer* writer) { delete writer; }

// Files that stay open.

struct lq_file {
  lq::Communicator communicator;
  lq::File file;
};

lq_status lq_file_open(const char* path, const lq_scan_options* options, lq_file** file) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(options == nullptr ? nullptr : options->communicator);
    auto [slot, name, limits] =
        agreed(group, [&] { return std::tuple(HandleSlot(file, "file"), text(path, "path"), options_of(options)); });
    slot.fill(group, lq::open(name, group, limits));
  });
}

lq_status lq_file_catalog(const lq_file* file, char** json) {
  return answered(json, [&]() -> const lq::Catalog& { return given(file, "file")->file.catalog(); });
}

lq_status lq_file_read(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      return read_call(given(file, "file")->file.catalog().path.c_str(), field, options);
    });
    hand_out_report(file->file.read(grid->grid, call.field, call.options), call);
  });
}

lq_status lq_file_read_async(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options,
                             lq_pending** pending) {
  return guarded([&] {
    auto [slot, call] = agreed(grid_of(grid).communicator(), [&] {
      const char* const path = given(file, "file")->file.catalog().path.c_str();
      return std::pair(HandleSlot(pending, "pending"), read_call(path, field, options));
    });
    slot.fill(lq::read_async(file->file, grid->grid, call.field, call.options));
  });
}

lq_status lq_file_read_record(const lq_file* file, const char* type, uint64_t index, lq_sink sink, void* context) {
  return guarded([&] {
    if (sink == nullptr) reject("sink is NULL");
    const std::string bytes = given(file, "file")->file.read_record(text(type, "type"), index);
    sink(bytes.data(), bytes.size(), context);
  });
}

void lq_file_free(lq_file* file) { delete file; }

// Transfers in the background.

namespace {

// The guard of borrowed memory needs its size, which C callers need not state.
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
    auto [slot, call] = agreed(grid_of(grid).communicator(), [&] {
      auto made = std::pair(HandleSlot(pending, "pending"), write_call(path, field, options));
      measure(made.second.field, field, grid->grid);
      return made;
    });
    slot.fill(lq::write_async(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_read_async(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options,
                        lq_pending** pending) {
  return guarded([&] {
    auto [slot, call] = agreed(grid_of(grid).communicator(), [&] {
      return std::pair(HandleSlot(pending, "pending"), read_call(path, field, options));
    });
    slot.fill(lq::read_async(call.path, grid->grid, call.field, call.options));
  });
}

lq_status lq_pending_test(lq_pending* pending, int* done) {
  return guarded([&] {
    given(done, "done");
    *done = given(pending, "pending")->pending.test() ? 1 : 0;
  });
}

lq_status lq_pending_wait(lq_pending* pending, char** report_json) {
  return guarded([&] { hand_out_report(given(pending, "pending")->pending.wait(), report_json); });
}

lq_status lq_pending_cancel(lq_pending* pending) {
  return guarded([&] { given(pending, "pending")->pending.cancel(); });
}

void lq_pending_free(lq_pending* pending) { delete pending; }

// A file that the ranks of a node read together.

struct lq_node_cache {
  lq::NodeCache cache;
};

lq_status lq_node_cache_open(const char* path, const lq_communicator* communicator, uint64_t bytes,
                             uint64_t block_bytes, lq_node_cache** cache) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(communicator);
    auto [slot, name] = agreed(group, [&] { return std::pair(HandleSlot(cache, "cache"), text(path, "path")); });
    lq::NodeCacheOptions how;
    if (bytes > 0) how.bytes = bytes;
    if (block_bytes > 0) how.block_bytes = block_bytes;
    slot.fill(lq::NodeCache(name, group, how));
  });
}

lq_status lq_node_cache_read(lq_node_cache* cache, uint64_t offset, void* bytes, uint64_t count, uint64_t* got) {
  return guarded([&] {
    given(cache, "cache");
    given(got, "got");
    *got = cache->cache.read_at(offset, writable_bytes_at(bytes, count, "bytes"));
  });
}

uint64_t lq_node_cache_size(const lq_node_cache* cache) { return cache == nullptr ? 0 : cache->cache.size(); }

lq_status lq_node_cache_count(const lq_node_cache* cache, lq_node_cache_counts* counts) {
  return guarded([&] {
    const lq::NodeCacheCounts now = given(cache, "cache")->cache.counts();
    lq_node_cache_counts answer{};
    answer.reads = now.reads;
    answer.bytes_read = now.bytes_read;
    answer.bytes_given = now.bytes_given;
    answer.waits = now.waits;
    answer.reads_beside = now.reads_beside;
    answer.memory_bytes = now.memory_bytes;
    fill(counts, answer, "counts");
  });
}

void lq_node_cache_free(lq_node_cache* cache) { delete cache; }
