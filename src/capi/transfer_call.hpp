// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of the arguments of a transfer, in the foreground or in the background.
#pragma once

#include <string>

#include <limequat.h>
#include <limequat/field.hpp>
#include <limequat/json.hpp>

#include "base/inner.hpp"
#include "capi/answers.hpp"
#include "capi/call.hpp"
#include "capi/options.hpp"

namespace lq::capi {

// lq_field to the fields of C++.

// invalid_argument for members that do not describe a field.
LQ_INNER Field readable(const lq_field& field);
LQ_INNER MutableField writable(const lq_field& field);

template <class Field, class Options>
struct TransferCall {
  std::string path;
  Field field;
  Options options;
  char** report_json;  // destination of the report, or nullptr
  lq_report* report;
};

using WriteCall = TransferCall<Field, WriteOptions>;
using ReadCall = TransferCall<MutableField, ReadOptions>;

// Local; call them inside agreed().
inline WriteCall write_call(const char* path, const lq_field& field, const lq_write_options* options) {
  const lq_write_options c = given_options(options);
  if (c.report != nullptr) room_in(c.report, "report");
  return {text(path, "path"), readable(field), options_of(options), c.report_json, c.report};
}
inline ReadCall read_call(const char* path, const lq_field& field, const lq_read_options* options) {
  const lq_read_options c = given_options(options);
  if (c.report != nullptr) room_in(c.report, "report");
  return {text(path, "path"), writable(field), options_of(options), c.report_json, c.report};
}

// Skipped if it is nullptr.
inline void hand_out_report(const Report& done, char** json) {
  if (json != nullptr) hand_out(to_json(done), json);
}
template <class Call>
void hand_out_report(const Report& done, const Call& call) requires requires {
  call.report_json;
}
{
  if (call.report != nullptr) fill(call.report, answer_of(done), "report");
  hand_out_report(done, call.report_json);
}

}  // namespace lq::capi
