// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied, divided into subfiles, squeezed and restored, and protected by parity; records as files, files as
// records, and damaged files made whole.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

using lq::capi::text;

lq_status lq_copy(const char* const* sources, uint64_t count, const char* target, const lq_copy_options* options,
                  char** json) {
  return lq::capi::guarded([&] {
    struct Call {
      std::vector<std::string> sources;
      std::string target;
      lq::CopyOptions options;
    };
    const lq::Communicator group = lq::capi::group_of(options);
    const Call call = lq::capi::agreed(group, [&] {
      Call made{.sources = {}, .target = text(target, "target"), .options = lq::capi::options_of(options)};
      if (count > 0) lq::capi::given(sources, "sources");
      for (uint64_t i = 0; i < count; ++i) made.sources.push_back(text(sources[i], "sources"));
      return made;
    });
    const lq::CopyReport report = lq::copy(call.sources, call.target, group, call.options);
    if (json != nullptr) lq::capi::hand_out(lq::to_json(report), json);
  });
}

// Files squeezed and restored.

namespace {

template <class Work>
lq_status squeeze_or_restore(const Work& work, const char* from, const char* to, const lq_squeeze_options* options,
                             char** json) {
  return lq::capi::guarded([&] {
    struct Call {
      std::string from, to;
      lq::SqueezeOptions options;
    };
    const lq::Communicator group = lq::capi::group_of(options);
    const Call call = lq::capi::agreed(group, [&] {
      return Call{.from = lq::capi::text(from, "from"),
                  .to = lq::capi::text(to, "to"),
                  .options = lq::capi::options_of(options)};
    });
    const lq::SqueezeReport report = work(call.from, call.to, group, call.options);
    if (json != nullptr) lq::capi::hand_out(lq::to_json(report), json);
  });
}

}  // namespace

lq_status lq_squeeze(const char* from, const char* to, const lq_squeeze_options* options, char** json) {
  return squeeze_or_restore(lq::squeeze, from, to, options, json);
}

lq_status lq_unsqueeze(const char* from, const char* to, const lq_squeeze_options* options, char** json) {
  return squeeze_or_restore(lq::unsqueeze, from, to, options, json);
}

lq_status lq_protect(const char* const* paths, uint64_t count, const lq_protect_options* options, char** json) {
  return lq::capi::guarded([&] {
    struct Call {
      std::vector<std::string> paths;
      lq::ProtectOptions options;
    };
    const lq::Communicator group = lq::capi::group_of(options);
    const Call call = lq::capi::agreed(group, [&] {
      Call made{.paths = {}, .options = lq::capi::options_of(options)};
      if (count > 0) lq::capi::given(paths, "paths");
      for (uint64_t i = 0; i < count; ++i) made.paths.push_back(text(paths[i], "paths"));
      return made;
    });
    const lq::ProtectReport report = lq::protect(call.paths, group, call.options);
    if (json != nullptr) lq::capi::hand_out(lq::to_json(report), json);
  });
}

// Records as files, files as records, and damaged files made whole.

namespace {

using lq::capi::given;

// `work` with these options; what it did.
template <class Work>
lq_status repacked(const lq_repack_options* options, char** json, const Work& work) noexcept {
  return lq::capi::guarded([&] {
    const lq::RepackReport report = work(lq::capi::options_of(options));
    if (json != nullptr) lq::capi::hand_out(lq::to_json(report), json);
  });
}

}  // namespace

lq_status lq_pack(const char* path, const char* const* inputs, uint64_t count, const lq_repack_options* options,
                  char** json) {
  return repacked(options, json, [&](const lq::RepackOptions& how) {
    std::vector<std::string> files;
    for (uint64_t i = 0; i < count; ++i) files.push_back(text(given(inputs, "inputs")[i], "inputs"));
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
    return lq::repair(text(path, "path"), lq::capi::optional_text(output), how);
  });
}

// Partitions of files, views on them, and sets of subfiles.

struct lq_view {
  lq::View view;
};

namespace {

using lq::capi::guarded;

lq::FileArray file_array_from(const lq_file_array* c) {
  lq::FileArray array;
  if (c == nullptr || c->axes == 0) return array;
  if (c->axes < 0) lq::capi::reject("axes of an array are " + std::to_string(c->axes) + ", expected at least 0");
  array.begin = c->begin;
  array.element_bytes = c->element_bytes;
  const int64_t* extents = given(c->extents, "extents of an array");
  array.extents.assign(extents, extents + c->axes);
  return array;
}

lq::Partition partition_from(const lq_file_array* array, const char* partition) {
  return lq::Partition::parse(file_array_from(given(array, "array")), text(partition, "partition"));
}

lq::View& view_for_all(lq_view* view, const void* buffer, uint64_t bytes) {
  if (bytes > 0) given(buffer, "buffer");
  return given(view, "view")->view;
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

lq_status lq_repartition(const char* from, const char* to, const lq_repartition_options* options, char** json) {
  return guarded([&] {
    struct Call {
      std::string from, to;
      lq::RepartitionOptions options;
    };
    const lq::Communicator group = lq::capi::group_of(options);
    const Call call = lq::capi::agreed(group, [&] {
      return Call{.from = text(from, "from"), .to = text(to, "to"), .options = lq::capi::options_of(options)};
    });
    const lq::RepartitionReport report = lq::repartition(call.from, call.to, group, call.options);
    if (json != nullptr) lq::capi::hand_out(lq::to_json(report), json);
  });
}

lq_status lq_partition_of(const char* path, const lq_file_array* array, const char* access, uint64_t parts,
                          char** json) {
  return guarded([&] {
    given(json, "json");
    const lq::FileArray wanted = file_array_from(array);
    lq::capi::hand_out(told(lq::partitioned_file(text(path, "path"), wanted), wanted, access, parts), json);
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
    if (bytes > 0) given(buffer, "buffer");
    *got = given(view, "view")->view.read({static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)});
  });
}

lq_status lq_view_write(lq_view* view, const void* buffer, uint64_t bytes) {
  return guarded([&] {
    if (bytes > 0) given(buffer, "buffer");
    given(view, "view")->view.write({static_cast<const std::byte*>(buffer), static_cast<std::size_t>(bytes)});
  });
}

lq_status lq_view_read_all(lq_view* view, void* buffer, uint64_t bytes, const lq_communicator* communicator,
                           uint64_t chunk_bytes) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::communicator_of(communicator);
    lq::View& opened = lq::capi::agreed(group, [&] { return std::ref(view_for_all(view, buffer, bytes)); });
    opened.read_all({static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)}, group,
                    collective_from(chunk_bytes));
  });
}

lq_status lq_view_write_all(lq_view* view, const void* buffer, uint64_t bytes, const lq_communicator* communicator,
                            uint64_t chunk_bytes) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::communicator_of(communicator);
    lq::View& opened = lq::capi::agreed(group, [&] { return std::ref(view_for_all(view, buffer, bytes)); });
    opened.write_all({static_cast<const std::byte*>(buffer), static_cast<std::size_t>(bytes)}, group,
                     collective_from(chunk_bytes));
  });
}

lq_status lq_view_sync(lq_view* view) {
  return guarded([&] { given(view, "view")->view.sync(); });
}

lq_status lq_view_close(lq_view* view) {
  return guarded([&] { given(view, "view")->view.close(); });
}

void lq_view_free(lq_view* view) { delete view; }
