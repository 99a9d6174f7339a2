// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records as files, files as records, and damaged files made whole.
#include <limequat/repack.hpp>

#include <string>
#include <vector>

#include <limequat/json.hpp>

#include "capi/options.hpp"
#include "capi/text.hpp"

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
