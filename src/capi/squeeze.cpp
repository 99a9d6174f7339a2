// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files squeezed and restored.
#include <limequat/squeeze.hpp>

#include <string>
#include <utility>

#include <limequat/json.hpp>

#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

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
