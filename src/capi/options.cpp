// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that all structs of options have, and what no row of a table says.
#include "capi/options.hpp"

#include "capi/text.hpp"
#include "options/stop.hpp"

namespace lq::capi {
namespace {

// By way of options of C++, which know what a text means; a text itself is lent as it is.
template <class C>
lq_status set(C* options, const char* name, const char* value) noexcept {
  return guarded([&] {
    C known = given_options(given(options, "options"));
    const options::Option& row = options::row_of(table_of<C>(), given(name, "name"));
    const std::string_view text = given(value, "value");
    if (row.member.kind == options::Kind::texts) options::reject(row.name, text, "a text: set the members instead");
    typename Meaning<C>::Options meant{};
    row.member.take(&meant, text, row, row.name);
    if (row.member.lend != nullptr) {
      row.member.lend(&known, value);
    } else {
      row.member.to_c(&meant, &known);
    }
    const std::size_t offset = row.member.c.back().offset;
    if (offset >= options->struct_size) {
      throw Error(Code::unsupported,
                  "the struct of options that the program was compiled with has no member " + std::string(row.name));
    }
    std::memcpy(static_cast<void*>(options), &known, std::min(options->struct_size, sizeof(C)));
  });
}

}  // namespace

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

#define LQ_OPTION_STRUCT(name)                                                     \
  lq_status name##_init(name* options, size_t struct_size) {                       \
    return lq::capi::init_options(options, struct_size, lq::capi::defaults<name>); \
  }                                                                                \
  lq_status name##_set(name* options, const char* option, const char* value) {     \
    return lq::capi::set(options, option, value);                                  \
  }

LQ_OPTION_STRUCT(lq_write_options)
LQ_OPTION_STRUCT(lq_read_options)
LQ_OPTION_STRUCT(lq_scan_options)
LQ_OPTION_STRUCT(lq_verify_options)
LQ_OPTION_STRUCT(lq_diagnose_options)
LQ_OPTION_STRUCT(lq_convert_options)
LQ_OPTION_STRUCT(lq_diff_options)
LQ_OPTION_STRUCT(lq_plan_options)
LQ_OPTION_STRUCT(lq_generate_options)
LQ_OPTION_STRUCT(lq_hdf5_options)
LQ_OPTION_STRUCT(lq_multifile_options)
LQ_OPTION_STRUCT(lq_multifile_read_options)
LQ_OPTION_STRUCT(lq_repack_options)
LQ_OPTION_STRUCT(lq_multifile_repair_options)
LQ_OPTION_STRUCT(lq_copy_options)
LQ_OPTION_STRUCT(lq_repartition_options)
LQ_OPTION_STRUCT(lq_squeeze_options)
LQ_OPTION_STRUCT(lq_catalogue_options)
LQ_OPTION_STRUCT(lq_qcdml_options)

void lq_stop(void) { lq::options::ask_to_stop(); }

lq_status lq_options_json(char** json) {
  return lq::capi::guarded([&] {
    static const std::string text = lq::options::tables_json();
    lq::capi::hand_out(text, lq::capi::given(json, "json"));
  });
}
