// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied, squeezed and restored; records as files, files as records, and damaged files made whole.
#include <string>
#include <utility>
#include <vector>

#include <limequat/json.hpp>
#include <limequat/repack.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>

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

// Records as files, files as records, and damaged files made whole.

namespace {

using lq::capi::given;
using lq::capi::text;

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
