// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied.
#include <limequat/staging.hpp>

#include <string>
#include <vector>

#include <limequat/json.hpp>

#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

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
