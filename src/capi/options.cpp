// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of the structs of options, and what no row of a table says.
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

LQ_OPTION_STRUCT(lq_write_options)
LQ_OPTION_STRUCT(lq_read_options)
LQ_OPTION_STRUCT(lq_scan_options)
LQ_OPTION_STRUCT(lq_verify_options)
LQ_OPTION_STRUCT(lq_diagnose_options)
LQ_OPTION_STRUCT(lq_convert_options)
LQ_OPTION_STRUCT(lq_diff_options)
LQ_OPTION_STRUCT(lq_plan_options)
LQ_OPTION_STRUCT(lq_observables_options)
LQ_OPTION_STRUCT(lq_generate_options)
LQ_OPTION_STRUCT(lq_multifile_options)
LQ_OPTION_STRUCT(lq_multifile_read_options)
LQ_OPTION_STRUCT(lq_repack_options)
LQ_OPTION_STRUCT(lq_multifile_repair_options)
LQ_OPTION_STRUCT(lq_checkpoints_options)
LQ_OPTION_STRUCT(lq_checkpoint_list_options)
LQ_OPTION_STRUCT(lq_copy_options)
LQ_OPTION_STRUCT(lq_repartition_options)
LQ_OPTION_STRUCT(lq_squeeze_options)
LQ_OPTION_STRUCT(lq_protect_options)

void lq_stop(void) { lq::options::ask_to_stop(); }

lq_status lq_options_json(char** json) {
  return lq::capi::guarded([&] {
    static const std::string text = lq::options::tables_json();
    lq::capi::hand_out(text, lq::capi::given(json, "json"));
  });
}
