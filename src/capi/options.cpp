// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions for option structs, and special cases that table rows do not cover.
#include "capi/options.hpp"
#include "capi/call.hpp"
#include "options/values.hpp"

namespace lq::capi {
ConvertOptions convert_options(const lq_convert_options* options) {
  ConvertOptions result = options_of(options);
  result.write = options_of(given_options(options).write);
  return result;
}

PlanRequest plan_request(const lq_plan_options* options, int dimensions) {
  const lq_plan_options c = given_options(options);
  PlanRequest result = options_of(options);
  result.writing = c.reading == 0;
  if (c.rank_order != nullptr) result.rank_order.assign(c.rank_order, c.rank_order + dimensions);
  return result;
}

Machine machine_of(const lq_plan_options* options) {
  const lq_plan_options c = given_options(options);
  const Machine machine = lq::machine_of(options_of(options).route.profile);
  return c.folder != nullptr ? with_file_system_of(c.folder, machine) : machine;
}

}  // namespace lq::capi

#define LQ_CORE_OPTION_STRUCT(title, type, c, make) LQ_OPTION_STRUCT(c)
LQ_CORE_OPTION_STRUCTS(LQ_CORE_OPTION_STRUCT)
#undef LQ_CORE_OPTION_STRUCT

void lq_stop(void) { lq::options::ask_to_stop(); }

lq_status lq_options_json(char** json) {
  return lq::capi::guarded([&] {
    static const std::string text = lq::options::tables_json();
    lq::capi::hand_out(text, lq::capi::given(json, "json"));
  });
}
