// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles.
#include <limequat/multifile.hpp>

#include <map>
#include <string_view>
#include <tuple>

#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

struct lq_multifile_writer {
  lq::MultifileWriter writer;
};

struct lq_multifile_reader {
  lq::MultifileReader reader;
  std::map<int64_t, lq::InStream> streams = {};  // streams that were read; kept so that chunks are checked only once
};

namespace {

template <class Open>
lq_status begin(const char* path, const lq_multifile_options* options, lq_multifile_writer** writer, Open open) {
  return guarded([&] {
    const lq::Communicator communicator = group_of(options);
    auto [slot, name, how] = agreed(communicator, [&] {
      return std::tuple(HandleSlot(writer, "writer"), text(path, "path"), options_of(options));
    });
    slot.fill(open(name, communicator, how));
  });
}

lq::OutStream& stream_of(lq_multifile_writer* writer, int stream) {
  given(writer, "writer");
  if (stream < 0) reject("stream is " + std::to_string(stream) + ", expected 0 or more");
  return writer->writer.stream(static_cast<std::size_t>(stream));
}

lq::InStream& stream_of(lq_multifile_reader& reader, int64_t task) {
  const auto known = reader.streams.find(task);
  if (known != reader.streams.end()) return known->second;
  // Only a few at a time, because each holds a chunk in memory.
  if (reader.streams.size() >= 16) reader.streams.clear();
  return reader.streams.emplace(task, task == LQ_MULTIFILE_WINDOW ? reader.reader.window() : reader.reader.task(task))
      .first->second;
}

}  // namespace

lq_status lq_multifile_create(const char* path, const lq_multifile_options* options, lq_multifile_writer** writer) {
  return begin(path, options, writer, [](const auto& name, const auto& communicator, const auto& how) {
    return lq::MultifileWriter(name, communicator, how);
  });
}

lq_status lq_multifile_append(const char* path, const lq_multifile_options* options, lq_multifile_writer** writer) {
  return begin(path, options, writer, [](const auto& name, const auto& communicator, const auto& how) {
    return lq::MultifileWriter::append(name, communicator, how);
  });
}

lq_status lq_multifile_write(lq_multifile_writer* writer, int stream, const void* data, uint64_t bytes) {
  return guarded([&] {
    const auto memory = bytes_at(data, bytes, "data");
    stream_of(writer, stream).write(memory);
  });
}

lq_status lq_multifile_write_text(lq_multifile_writer* writer, int stream, const char* characters) {
  return guarded([&] { stream_of(writer, stream).write(std::string_view(given(characters, "text"))); });
}

lq_status lq_multifile_flush(lq_multifile_writer* writer, int stream) {
  return guarded([&] { stream_of(writer, stream).flush(); });
}

lq_status lq_multifile_stream(const lq_multifile_writer* writer, int stream, int64_t* task, uint64_t* bytes) {
  return guarded([&] {
    const lq::OutStream& one = stream_of(const_cast<lq_multifile_writer*>(writer), stream);
    *given(task, "task") = one.task();
    *given(bytes, "bytes") = one.size();
  });
}

lq_status lq_multifile_write_field(lq_multifile_writer* writer, const char* name, const lq_grid* grid, lq_field field,
                                   const lq_write_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      given(writer, "writer");
      return write_call(text(name, "name").c_str(), field, options);
    });
    hand_out_report(writer->writer.write_field(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_multifile_close(lq_multifile_writer* writer) {
  return guarded([&] { given(writer, "writer")->writer.close(); });
}

lq_status lq_multifile_discard(lq_multifile_writer* writer) {
  return guarded([&] { given(writer, "writer")->writer.discard(); });
}

void lq_multifile_writer_free(lq_multifile_writer* writer) { delete writer; }

lq_status lq_multifile_open(const char* path, const lq_multifile_read_options* options, lq_multifile_reader** reader) {
  return guarded([&] {
    const lq::Communicator communicator = group_of(options);
    auto [slot, name, how] = agreed(communicator, [&] {
      return std::tuple(HandleSlot(reader, "reader"), text(path, "path"), options_of(options));
    });
    slot.fill(lq::MultifileReader(name, communicator, how));
  });
}

void lq_multifile_reader_free(lq_multifile_reader* reader) { delete reader; }

int64_t lq_multifile_tasks(const lq_multifile_reader* reader) { return reader == nullptr ? 0 : reader->reader.tasks(); }

lq_status lq_multifile_share(const lq_multifile_reader* reader, int64_t* first_task, int64_t* tasks,
                             uint64_t* window_begin, uint64_t* window_bytes) {
  return guarded([&] {
    const lq::MultifileReader& from = given(reader, "reader")->reader;
    if (first_task != nullptr) *first_task = from.first_task();
    if (tasks != nullptr) *tasks = from.local_tasks();
    if (window_begin != nullptr) *window_begin = from.window_begin();
    if (window_bytes != nullptr) *window_bytes = from.window().size();
  });
}

lq_status lq_multifile_size(const lq_multifile_reader* reader, int64_t task, uint64_t* bytes) {
  return guarded([&] { *given(bytes, "bytes") = given(reader, "reader")->reader.size(task); });
}

lq_status lq_multifile_read(lq_multifile_reader* reader, int64_t task, uint64_t position, void* data, uint64_t bytes,
                            uint64_t* got) {
  return guarded([&] {
    given(got, "got");
    const auto memory = writable_bytes_at(data, bytes, "data");
    lq::InStream& stream = stream_of(*given(reader, "reader"), task);
    stream.seek(position);
    *got = stream.read(memory);
  });
}

lq_status lq_multifile_known(const lq_multifile_reader* reader, lq_multifile_facts* facts) {
  return guarded([&] {
    const lq::MultifileInfo& info = given(reader, "reader")->reader.info();
    lq_multifile_facts c{};
    c.tasks = info.tasks;
    c.bytes = info.bytes;
    c.stored_bytes = info.stored_bytes;
    c.chunks = info.chunks;
    c.files = info.files.size();
    c.fields = info.fields;
    c.has_records = info.has_records ? 1 : 0;
    c.has_checksums = info.has_checksums ? 1 : 0;
    c.compression = static_cast<int>(info.compression);
    c.findings = info.findings.size();
    fill(facts, c, "facts");
  });
}

lq_status lq_multifile_info(const lq_multifile_reader* reader, char** json) {
  return guarded([&] { hand_out(lq::to_json(given(reader, "reader")->reader.info()), given(json, "json")); });
}

lq_status lq_multifile_fields(const lq_multifile_reader* reader, char** json) {
  return guarded([&] { hand_out(lq::to_json(given(reader, "reader")->reader.fields()), given(json, "json")); });
}

lq_status lq_multifile_read_field(const lq_multifile_reader* reader, const char* name, const lq_grid* grid,
                                  lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      given(reader, "reader");
      return read_call(text(name, "name").c_str(), field, options);
    });
    hand_out_report(reader->reader.read_field(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_multifile_verify(const char* path, int* is_sound, char** json) {
  return guarded([&] {
    given(is_sound, "is_sound");
    const lq::MultifileCheck check = lq::verify_multifile(text(path, "path"));
    hand_out_json(check, json);
    *is_sound = check.is_sound() ? 1 : 0;
  });
}

lq_status lq_multifile_repair(const char* path, const char* output, const lq_multifile_repair_options* options,
                              char** json) {
  return guarded([&] {
    lq::RepairOptions how = options_of(options);
    how.output = optional_text(output);
    hand_out_json(lq::repair_multifile(text(path, "path"), how), json);
  });
}
