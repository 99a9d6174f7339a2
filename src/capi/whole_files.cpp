// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied, divided into subfiles, squeezed and restored, and protected by parity; records as files, files as
// records, and repair of damaged files.
#include <functional>
#include <optional>
#include <string>
#include <tuple>

#include <limequat/json.hpp>
#include <limequat/protect.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>
#include <limequat/view.hpp>

#include "base/json_writer.hpp"
#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

lq_status lq_copy(const char* const* sources, uint64_t count, const char* target, const lq_copy_options* options,
                  char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [to, how, from] = agreed(group, [&] {
      return std::tuple{text(target, "target"), options_of(options), texts(sources, count, "sources")};
    });
    hand_out_json(lq::copy(from, to, group, how), json);
  });
}

namespace {

// Collective. Creates a file from another one with `work`.
template <class Work, class Options>
lq_status rewritten(const Work& work, const char* from, const char* to, const Options* options, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [source, target, how] = agreed(group, [&] {
      return std::tuple{text(from, "from"), text(to, "to"), options_of(options)};
    });
    hand_out_json(work(source, target, group, how), json);
  });
}

}  // namespace

lq_status lq_squeeze(const char* from, const char* to, const lq_squeeze_options* options, char** json) {
  return rewritten(lq::squeeze, from, to, options, json);
}

lq_status lq_unsqueeze(const char* from, const char* to, const lq_squeeze_options* options, char** json) {
  return rewritten(lq::unsqueeze, from, to, options, json);
}

lq_status lq_repartition(const char* from, const char* to, const lq_repartition_options* options, char** json) {
  return rewritten(lq::repartition, from, to, options, json);
}

lq_status lq_protect(const char* const* paths, uint64_t count, const lq_protect_options* options, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [how, files] = agreed(group, [&] {
      return std::tuple{options_of(options), texts(paths, count, "paths")};
    });
    hand_out_json(lq::protect(files, group, how), json);
  });
}

// Records as files, files as records, and repair of damaged files.

namespace {

// Runs `work` with these options; returns its report.
template <class Work>
lq_status repacked(const lq_repack_options* options, char** json, const Work& work) noexcept {
  return guarded([&] { hand_out_json(work(options_of(options)), json); });
}

}  // namespace

lq_status lq_pack(const char* path, const char* const* inputs, uint64_t count, const lq_repack_options* options,
                  char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    const std::vector<std::string> files = texts(inputs, count, "inputs");
    return lq::pack(text(path, "path"), files, how);
  });
}

lq_status lq_unpack(const char* path, const char* folder, const lq_repack_options* options, char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    return lq::unpack(text(path, "path"), text(folder, "folder"), how);
  });
}

lq_status lq_extract(const char* path, const char* type, uint64_t index, const char* to,
                     const lq_repack_options* options, char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    return lq::extract(text(path, "path"), text(type, "type"), index, text(to, "to"), how);
  });
}

lq_status lq_defragment(const char* from, const char* to, const lq_repack_options* options, char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    return lq::defragment(text(from, "from"), text(to, "to"), how);
  });
}

lq_status lq_repair(const char* path, const char* output, const lq_repack_options* options, char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    return lq::repair(text(path, "path"), optional_text(output), how);
  });
}

// Partitions of files, views on them, and sets of subfiles.

struct lq_view {
  lq::View view;
};

namespace {

lq::FileArray file_array_from(const lq_file_array* c) {
  lq::FileArray array;
  if (c == nullptr || c->axes == 0) return array;
  if (c->axes < 0) reject("axes of an array are " + std::to_string(c->axes) + ", expected at least 0");
  array.begin = c->begin;
  array.element_bytes = c->element_bytes;
  const int64_t* extents = given(c->extents, "extents of an array");
  array.extents.assign(extents, extents + c->axes);
  return array;
}

lq::Partition partition_from(const lq_file_array* array, const char* partition) {
  return lq::Partition::parse(file_array_from(given(array, "array")), text(partition, "partition"));
}

lq::CollectiveOptions collective_from(uint64_t chunk_bytes) {
  return chunk_bytes == 0 ? lq::CollectiveOptions() : lq::CollectiveOptions{.chunk_bytes = chunk_bytes};
}

std::string told(const lq::PartitionedFile& file, const lq::FileArray& array, const char* access, uint64_t parts) {
  lq::base::JsonWriter json;
  json.begin_object().raw_members(lq::to_json(file));
  if (access != nullptr) {
    const auto wanted = lq::Partition::parse(array.extents.empty() ? file.partition.array() : array, access);
    json.member("access", wanted.text()).key("matching").raw(lq::to_json(lq::match(wanted, file.partition)));
    if (parts > 0) {
      const lq::Partition proposed = lq::propose_partition(wanted, parts);
      json.member("proposed", proposed.text());
      json.key("proposed_matching").raw(lq::to_json(lq::match(wanted, proposed)));
    }
  }
  return json.end_object().take();
}

}  // namespace

lq_status lq_partition_of(const char* path, const lq_file_array* array, const char* access, uint64_t parts,
                          char** json) {
  return guarded([&] {
    given(json, "json");
    const lq::FileArray wanted = file_array_from(array);
    hand_out(told(lq::partitioned_file(text(path, "path"), wanted), wanted, access, parts), json);
  });
}

lq_status lq_partition_place(const lq_file_array* array, const char* partition, uint64_t element, uint64_t* part,
                             uint64_t* position) {
  return guarded([&] {
    given(part, "part");
    given(position, "position");
    const lq::PartPlace place = partition_from(array, partition).place_of(element);
    *part = place.part;
    *position = place.position;
  });
}

lq_status lq_partition_element(const lq_file_array* array, const char* partition, uint64_t part, uint64_t position,
                               uint64_t* element) {
  return guarded([&] {
    given(element, "element");
    *element = partition_from(array, partition).element_at({part, position});
  });
}

lq_status lq_view_open(const char* path, const char* partition, uint64_t part, const lq_file_array* array, int writable,
                       lq_view** view) {
  return guarded([&] {
    *given(view, "view") = nullptr;
    const lq::ViewOptions how{.writable = writable != 0, .array = file_array_from(array)};
    const std::string name = text(path, "path");
    *view = partition == nullptr ? new lq_view{lq::View(name, how)} : new lq_view{lq::View(name, partition, part, how)};
  });
}

lq_status lq_view_size(const lq_view* view, uint64_t* bytes) {
  return guarded([&] { *given(bytes, "bytes") = given(view, "view")->view.size(); });
}

lq_status lq_view_seek(lq_view* view, uint64_t offset) {
  return guarded([&] { given(view, "view")->view.seek(offset); });
}

lq_status lq_view_tell(const lq_view* view, uint64_t* offset) {
  return guarded([&] { *given(offset, "offset") = given(view, "view")->view.tell(); });
}

lq_status lq_view_read(lq_view* view, void* buffer, uint64_t bytes, uint64_t* got) {
  return guarded([&] {
    given(got, "got");
    const auto memory = writable_bytes_at(buffer, bytes, "buffer");
    *got = given(view, "view")->view.read(memory);
  });
}

lq_status lq_view_write(lq_view* view, const void* buffer, uint64_t bytes) {
  return guarded([&] {
    const auto memory = bytes_at(buffer, bytes, "buffer");
    given(view, "view")->view.write(memory);
  });
}

lq_status lq_view_read_all(lq_view* view, void* buffer, uint64_t bytes, const lq_communicator* communicator,
                           uint64_t chunk_bytes) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(communicator);
    const auto memory = agreed(group, [&] {
      const auto all = writable_bytes_at(buffer, bytes, "buffer");
      given(view, "view");
      return all;
    });
    view->view.read_all(memory, group, collective_from(chunk_bytes));
  });
}

lq_status lq_view_write_all(lq_view* view, const void* buffer, uint64_t bytes, const lq_communicator* communicator,
                            uint64_t chunk_bytes) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(communicator);
    const auto memory = agreed(group, [&] {
      const auto all = bytes_at(buffer, bytes, "buffer");
      given(view, "view");
      return all;
    });
    view->view.write_all(memory, group, collective_from(chunk_bytes));
  });
}

lq_status lq_view_sync(lq_view* view) {
  return guarded([&] { given(view, "view")->view.sync(); });
}

lq_status lq_view_close(lq_view* view) {
  return guarded([&] { given(view, "view")->view.close(); });
}

void lq_view_free(lq_view* view) { delete view; }
