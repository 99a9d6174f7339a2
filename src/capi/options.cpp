// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options of reading and writing. The defaults are those of C++, translated once.
#include "capi/options.hpp"

#include <cstddef>

#include "capi/handles.hpp"
#include "capi/option_struct.hpp"
#include "capi/text.hpp"

namespace lq::capi {
namespace {

static_assert(static_cast<int>(Verify::none) == LQ_VERIFY_NONE &&
              static_cast<int>(Verify::checksum) == LQ_VERIFY_CHECKSUM &&
              static_cast<int>(Verify::read_back) == LQ_VERIFY_READ_BACK);
static_assert(static_cast<int>(Sync::none) == LQ_SYNC_NONE && static_cast<int>(Sync::data) == LQ_SYNC_DATA &&
              static_cast<int>(Sync::full) == LQ_SYNC_FULL);
static_assert(static_cast<int>(Strategy::automatic) == LQ_AUTO && static_cast<int>(Strategy::direct) == LQ_DIRECT &&
              static_cast<int>(Strategy::shared) == LQ_SHARED && static_cast<int>(Strategy::pull) == LQ_PULL &&
              static_cast<int>(Strategy::messages) == LQ_MESSAGES);

// The members that all structs with a route have.
template <class Options>
void put_route(Options& c, const RouteOptions& route) {
  c.strategy = static_cast<int>(route.strategy);
  c.aggregators = route.aggregators;
  c.chunk_bytes = route.chunk_bytes;
  c.alignment = route.alignment;
  c.memory_bytes = route.memory_bytes;
}
template <class Options>
RouteOptions route_of(const Options& c) {
  return {enum_of(c.strategy, Strategy::messages, "strategy"), c.aggregators, c.chunk_bytes, c.alignment,
          c.memory_bytes};
}

lq_write_options default_write() {
  const WriteOptions defaults;
  lq_write_options c{};
  c.struct_size = sizeof c;
  c.verify = static_cast<int>(defaults.verify);
  c.sync = static_cast<int>(defaults.sync);
  c.overwrite = defaults.overwrite;
  c.measure = defaults.measure;
  c.slice_checksums = defaults.slice_checksums;
  c.block_bytes = defaults.block_bytes;
  put_route(c, defaults.route);
  return c;
}

lq_read_options default_read() {
  const ReadOptions defaults;
  lq_read_options c{};
  c.struct_size = sizeof c;
  c.verify = defaults.verify;
  c.block_bytes = defaults.block_bytes;
  c.limit_records = defaults.limits.records;
  c.limit_text_bytes = defaults.limits.text_bytes;
  put_route(c, defaults.route);
  return c;
}

lq_plan_options default_plan() {
  const PlanRequest defaults;
  lq_plan_options c{};
  c.struct_size = sizeof c;
  c.checksum = defaults.checksum;
  put_route(c, defaults.route);
  return c;
}

std::optional<Precision> precision_in_file(int precision) {
  switch (precision) {
    case LQ_AS_IN_MEMORY:
      return std::nullopt;
    case LQ_SINGLE:
      return Precision::single;
    case LQ_DOUBLE:
      return Precision::double_;
    default:
      reject("precision is " + std::to_string(precision) + ", expected 0, 32 or 64");
  }
}

std::optional<Box> region_of(const lq_read_options& c) {
  if (c.region_lower == nullptr && c.region_extents == nullptr) return std::nullopt;
  return Box{coord_of(c.region_lower, c.region_dimensions, "region_lower"),
             coord_of(c.region_extents, c.region_dimensions, "region_extents")};
}

}  // namespace

Metadata metadata_of(const lq_metadata* metadata, std::size_t count) {
  Metadata result;
  if (count > 0) given(metadata, "metadata");
  for (std::size_t i = 0; i < count; ++i) {
    result.emplace_back(text(metadata[i].name, "name of metadata"), text(metadata[i].text, "text of metadata"));
  }
  return result;
}

WriteOptions write_options(const lq_write_options* options) {
  const lq_write_options c = given_options(options, default_write());
  WriteOptions result;
  result.format = optional_text(c.format);
  result.name = optional_text(c.name);
  result.precision = precision_in_file(c.precision);
  result.metadata = metadata_of(c.metadata, c.metadata_count);
  result.verify = enum_of(c.verify, Verify::read_back, "verify");
  result.sync = enum_of(c.sync, Sync::full, "sync");
  result.overwrite = c.overwrite != 0;
  result.measure = c.measure != 0;
  result.slice_checksums = c.slice_checksums != 0;
  result.block_bytes = c.block_bytes;
  result.route = route_of(c);
  return result;
}

ReadOptions read_options(const lq_read_options* options) {
  const lq_read_options c = given_options(options, default_read());
  ReadOptions result;
  result.field = optional_text(c.field);
  result.index = c.index;
  result.region = region_of(c);
  result.verify = c.verify != 0;
  result.block_bytes = c.block_bytes;
  result.limits = Limits{c.limit_records, c.limit_text_bytes};
  result.route = route_of(c);
  return result;
}

PlanRequest plan_request(const lq_plan_options* options, int dimensions) {
  const lq_plan_options c = given_options(options, default_plan());
  PlanRequest result;
  result.writing = c.reading == 0;
  result.checksum = c.checksum != 0;
  result.payload_offset = c.payload_offset;
  if (c.rank_order != nullptr) result.rank_order.assign(c.rank_order, c.rank_order + dimensions);
  result.route = route_of(c);
  return result;
}

Machine machine_of(const lq_plan_options* options) {
  const lq_plan_options c = given_options(options, default_plan());
  const Machine machine = c.profile != nullptr ? load_machine(c.profile) : site_machine();
  return c.folder != nullptr ? with_file_system_of(c.folder, machine) : machine;
}

char** report_of(const lq_write_options* options) { return given_options(options, default_write()).report_json; }
char** report_of(const lq_read_options* options) { return given_options(options, default_read()).report_json; }

}  // namespace lq::capi

lq_status lq_write_options_init(lq_write_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_write());
}

lq_status lq_plan_options_init(lq_plan_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_plan());
}

lq_status lq_read_options_init(lq_read_options* options, size_t struct_size) {
  return lq::capi::init_options(options, struct_size, lq::capi::default_read());
}
