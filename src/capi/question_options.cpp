// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options of questions to files and of the generator.
#include <limequat/json.hpp>

#include "capi/handles.hpp"
#include "capi/option_struct.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

namespace lq::capi {
namespace {

static_assert(static_cast<int>(Measure::when_it_fits) == LQ_MEASURE_WHEN_IT_FITS &&
              static_cast<int>(Measure::always) == LQ_MEASURE_ALWAYS &&
              static_cast<int>(Measure::never) == LQ_MEASURE_NEVER);

// A struct with its size and the limits that all of these have.
template <class Options>
Options with_limits() {
  const Limits limits;
  Options c{};
  c.struct_size = sizeof c;
  c.limit_records = limits.records;
  c.limit_text_bytes = limits.text_bytes;
  return c;
}

template <class Options>
Limits limits_of(const Options& c) {
  return Limits{c.limit_records, c.limit_text_bytes};
}

template <class Options>
Progress progress_of(const Options& c) {
  if (c.progress == nullptr) return {};
  return [call = c.progress, context = c.progress_context](std::uint64_t done, std::uint64_t total) {
    call(done, total, context);
  };
}

lq_verify_options default_verify() {
  const VerifyOptions defaults;
  auto c = with_limits<lq_verify_options>();
  c.physics = static_cast<int>(defaults.physics);
  c.memory_bytes = defaults.memory_bytes;
  c.block_bytes = defaults.block_bytes;
  return c;
}

lq_generate_options default_generate() {
  const GenerateOptions defaults;
  lq_generate_options c{};
  c.struct_size = sizeof c;
  c.beta = defaults.beta;
  c.sweeps = defaults.sweeps;
  c.over_relaxation = defaults.over_relaxation;
  c.seed = defaults.seed;
  c.hot_start = defaults.hot_start;
  return c;
}

}  // namespace

Limits scan_limits(const lq_scan_options* options) {
  return limits_of(given_options(options, with_limits<lq_scan_options>()));
}

VerifyOptions verify_options(const lq_verify_options* options) {
  const lq_verify_options c = given_options(options, default_verify());
  VerifyOptions result;
  result.physics = enum_of(c.physics, Measure::never, "physics");
  result.memory_bytes = c.memory_bytes;
  result.block_bytes = c.block_bytes;
  result.limits = limits_of(c);
  result.progress = progress_of(c);
  return result;
}

ConvertOptions convert_options(const lq_convert_options* options) {
  const auto c = given_options(options, with_limits<lq_convert_options>());
  ConvertOptions result;
  result.write = write_options(c.write);
  result.limits = limits_of(c);
  result.dry_run = c.dry_run != 0;
  result.progress = progress_of(c);
  return result;
}

DiffOptions diff_options(const lq_diff_options* options) {
  const auto c = given_options(options, with_limits<lq_diff_options>());
  DiffOptions result;
  result.tolerance = c.tolerance;
  result.field = optional_text(c.field);
  result.index = c.index;
  result.limits = limits_of(c);
  result.progress = progress_of(c);
  return result;
}

GenerateOptions generate_options(const lq_generate_options* options) {
  const lq_generate_options c = given_options(options, default_generate());
  GenerateOptions result;
  result.beta = c.beta;
  result.sweeps = c.sweeps;
  result.over_relaxation = c.over_relaxation;
  result.seed = c.seed;
  result.hot_start = c.hot_start != 0;
  if (c.after_sweep != nullptr) {
    result.after_sweep = [call = c.after_sweep, context = c.context](int sweep, const Field&) { call(sweep, context); };
  }
  return result;
}

}  // namespace lq::capi

lq_status lq_scan_options_init(lq_scan_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::with_limits<lq_scan_options>());
}

lq_status lq_verify_options_init(lq_verify_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_verify());
}

lq_status lq_convert_options_init(lq_convert_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::with_limits<lq_convert_options>());
}

lq_status lq_diff_options_init(lq_diff_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::with_limits<lq_diff_options>());
}

lq_status lq_generate_options_init(lq_generate_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_generate());
}
