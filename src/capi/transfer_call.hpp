// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of a transfer, in the foreground or in the background, translated.
#pragma once

#include <string>

#include <limequat/json.hpp>

#include "capi/field.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

namespace lq::capi {

template <class Field, class Options>
struct TransferCall {
  std::string path;
  Field field;
  Options options;
  char** report;
};

using WriteCall = TransferCall<Field, WriteOptions>;
using ReadCall = TransferCall<MutableField, ReadOptions>;

// Local; run them inside agreed().
inline WriteCall write_call(const char* path, const lq_field& field, const lq_write_options* options) {
  return {text(path, "path"), readable(field), write_options(options), report_of(options)};
}
inline ReadCall read_call(const char* path, const lq_field& field, const lq_read_options* options) {
  return {text(path, "path"), writable(field), read_options(options), report_of(options)};
}

// Nowhere when `report` is nullptr.
inline void hand_out_report(const Report& done, char** report) {
  if (report != nullptr) hand_out(to_json(done), report);
}

}  // namespace lq::capi
