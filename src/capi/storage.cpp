// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// File systems: what is known of one, and who waits for one.
#include <limequat/file_system.hpp>
#include <limequat/stall.hpp>

#include "capi/text.hpp"

lq_status lq_file_system_of(const char* path, char** json) {
  return lq::capi::guarded([&] {
    lq::capi::given(json, "json");
    lq::capi::hand_out(lq::to_json(lq::file_system_of(lq::capi::text(path, "path"))), json);
  });
}

lq_status lq_watch_stalls(double seconds, lq_stall_tell tell, void* context) {
  return lq::capi::guarded([&] {
    if (tell == nullptr) return lq::watch_stalls(seconds, {});
    lq::watch_stalls(seconds, [tell, context](const lq::Stall& stall) {
      const std::string sentence = lq::to_string(stall);
      const lq_stall c{sizeof(lq_stall), stall.call.c_str(), stall.path.c_str(), stall.offset,
                       stall.bytes,      stall.seconds,      sentence.c_str()};
      tell(&c, context);
    });
  });
}
