// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reports, differences, catalogs and verdicts as structs.
#include "capi/answers.hpp"

#include <tuple>

#include <limequat/file.hpp>

#include "capi/call.hpp"
#include "capi/handles.hpp"

struct lq_catalog {
  lq::Catalog catalog;
};

struct lq_verification {
  lq::Verification verification;
};

namespace lq::capi {
namespace {

static_assert(static_cast<int>(ChecksumStatus::ok) == LQ_CHECKSUM_OK &&
              static_cast<int>(ChecksumStatus::absent) == LQ_CHECKSUM_ABSENT &&
              static_cast<int>(ChecksumStatus::mismatch) == LQ_CHECKSUM_DIFFERS &&
              static_cast<int>(ChecksumStatus::unchecked) == LQ_CHECKSUM_UNCHECKED);
static_assert(static_cast<int>(Severity::note) == LQ_NOTE && static_cast<int>(Severity::error) == LQ_ERROR);
static_assert(static_cast<int>(StripeReason::no_stripes) == LQ_STRIPES_NONE &&
              static_cast<int>(StripeReason::progressive) == LQ_STRIPES_PROGRESSIVE &&
              static_cast<int>(StripeReason::by_size) == LQ_STRIPES_BY_SIZE &&
              static_cast<int>(StripeReason::refused) == LQ_STRIPES_REFUSED);
static_assert(max_dimensions == LQ_MAX_DIMENSIONS);

lq_spec spec_of(const FieldSpec& spec) {
  lq_spec c{};
  c.kind = static_cast<int>(spec.kind);
  c.precision = static_cast<int>(spec.precision);
  c.colors = spec.colors;
  c.spins = spec.spins;
  c.links = spec.links;
  c.is_complex = spec.is_complex ? 1 : 0;
  c.numbers = spec.numbers;
  return c;
}

lq_checksum checksum_of(const std::optional<Checksum>& checksum) {
  return checksum ? lq_checksum{checksum->suma, checksum->sumb} : lq_checksum{};
}

int put(const Coord& x, std::int64_t (&values)[LQ_MAX_DIMENSIONS]) {
  std::ranges::copy(x, values);
  return x.size();
}

std::uint64_t errors_in(const std::vector<Finding>& findings) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  return static_cast<std::uint64_t>(std::ranges::count_if(findings, is_error));
}

// Element `number` of `all`.
template <class T>
const T& one_of(const std::vector<T>& all, std::uint64_t number, const char* what) {
  if (number < all.size()) return all[static_cast<std::size_t>(number)];
  reject(std::string("there is no ") + what + " number " + std::to_string(number) +
         (all.empty() ? "; there are none" : "; they are numbered from 0 to " + std::to_string(all.size() - 1)));
}

lq_finding answer_of(const Finding& finding) {
  lq_finding c{};
  c.severity = static_cast<int>(finding.severity);
  c.code = static_cast<int>(finding.code);
  c.rule = finding.rule.c_str();
  c.message = finding.message.c_str();
  c.record = finding.record.c_str();
  c.offset = finding.offset ? static_cast<std::int64_t>(*finding.offset) : -1;
  c.bytes = finding.length ? static_cast<std::int64_t>(*finding.length) : -1;
  return c;
}

lq_claim answer_of(const Claim& claim) {
  lq_claim c{};
  c.of = claim.of.c_str();
  c.name = claim.name.c_str();
  c.evidence = static_cast<int>(claim.evidence);
  c.outcome = static_cast<int>(claim.outcome);
  c.has_offset = claim.offset ? 1 : 0;
  c.offset = claim.offset.value_or(0);
  c.has_length = claim.length ? 1 : 0;
  c.length = claim.length.value_or(0);
  return c;
}

lq_record_info answer_of(const Record& record) {
  lq_record_info c{};
  c.type = record.type.c_str();
  c.file = record.file;
  c.header_offset = record.header_offset;
  c.offset = record.offset;
  c.bytes = record.data_length;
  return c;
}

lq_field_info answer_of(const FieldEntry& field) {
  lq_field_info c{};
  c.name = field.name.c_str();
  c.spec = spec_of(field.payload.spec);
  c.dimensions = put(field.payload.extents, c.extents);
  c.offset = field.payload.offset;
  c.bytes = field.payload.length;
  c.record = field.record;
  c.metadata = field.metadata.size();
  c.has_checksum = field.sums.checksum() ? 1 : 0;
  c.checksum = checksum_of(field.sums.checksum());
  c.has_plaquette = field.plaquette ? 1 : 0;
  c.has_link_trace = field.link_trace ? 1 : 0;
  c.plaquette = field.plaquette.value_or(0);
  c.link_trace = field.link_trace.value_or(0);
  return c;
}

lq_field_verdict answer_of(const FieldVerdict& verdict) {
  lq_field_verdict c{};
  c.name = verdict.name.c_str();
  c.index = verdict.index;
  c.checksum_status = static_cast<int>(verdict.status);
  c.has_stored = verdict.stored ? 1 : 0;
  c.computed = checksum_of(verdict.computed);
  c.stored = checksum_of(verdict.stored);
  c.zero_sites = verdict.zeros.sites;
  c.damaged_slices = verdict.damaged_slices.data();
  c.damaged_count = verdict.damaged_slices.size();
  c.has_physics = verdict.physics ? 1 : 0;
  const Physics physics = verdict.physics.value_or(Physics{});
  c.plaquette = physics.plaquette.average;
  c.spatial_plaquette = physics.plaquette.spatial;
  c.temporal_plaquette = physics.plaquette.temporal;
  c.link_trace = physics.link_trace;
  c.unitarity = physics.unitarity.largest;
  c.not_finite = physics.not_finite;
  return c;
}

void lend(const Metadata& texts, std::uint64_t number, lq_metadata* text) {
  const auto& [name, contents] = one_of(texts, number, "text");
  *given(text, "text") = {name.c_str(), contents.c_str()};
}

}  // namespace

lq_report answer_of(const Report& report) {
  lq_report c{};
  c.spec = spec_of(report.spec);
  c.dimensions = put(report.extents, c.extents);
  c.ranks = report.ranks;
  c.is_written = report.written ? 1 : 0;
  c.strategy = static_cast<int>(report.strategy);
  c.is_read_back = report.read_back ? 1 : 0;
  c.bytes = report.bytes;
  c.checksum_status = static_cast<int>(report.status);
  c.has_stored = report.stored ? 1 : 0;
  c.checksum = checksum_of(report.checksum);
  c.stored = checksum_of(report.stored);
  c.zero_sites = report.zeros.sites;
  c.seconds = report.seconds.total;
  c.pack_seconds = report.seconds.pack;
  c.exchange_seconds = report.seconds.exchange;
  c.storage_seconds = report.seconds.storage;
  c.sync_seconds = report.seconds.sync;
  report.format.copy(c.format, sizeof c.format - 1);
  report.storage.file_system.copy(c.file_system, sizeof c.file_system - 1);
  c.block_bytes = report.storage.block_bytes;
  c.single_owner = report.storage.single_owner ? 1 : 0;
  c.stripe_reason = static_cast<int>(report.storage.stripes.reason);
  c.stripe_count = report.storage.stripes.count;
  c.stripe_bytes = report.storage.stripes.bytes;
  c.ranks_at_file = report.storage.ranks;
  c.call_bytes = report.storage.call_bytes;
  c.open_seconds = report.seconds.open;
  c.device_computing_ranks = report.device.computing_ranks;
  c.device_copying_ranks = report.device.copying_ranks;
  report.device.reason.copy(c.device_reason, sizeof c.device_reason - 1);
  return c;
}

lq_difference answer_of(const Difference& difference) {
  lq_difference c{};
  c.is_same = difference.same ? 1 : 0;
  c.largest_absolute = difference.largest_absolute;
  c.largest_relative = difference.largest_relative;
  c.dimensions = put(difference.site, c.site);
  c.number = difference.number;
  c.a = difference.a;
  c.b = difference.b;
  c.differing_numbers = difference.differing_numbers;
  c.compared_numbers = difference.compared_numbers;
  c.compared_fields = difference.fields.size();
  c.unpaired_fields = difference.unpaired.size();
  return c;
}

}  // namespace lq::capi

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

lq_status lq_catalog_open(const char* path, const lq_scan_options* options, lq_catalog** catalog) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    auto [slot, name, limits] = agreed(
        group, [&] { return std::tuple(HandleSlot(catalog, "catalog"), text(path, "path"), options_of(options)); });
    slot.fill(lq::inspect(name, group, limits));
  });
}

void lq_catalog_free(lq_catalog* catalog) { delete catalog; }

lq_status lq_catalog_file(const lq_catalog* catalog, lq_file_info* info) {
  return guarded([&] {
    const lq::Catalog& known = given(catalog, "catalog")->catalog;
    lq_file_info c{};
    c.format = known.format.c_str();
    c.bytes = known.file_bytes;
    c.is_complete = known.complete ? 1 : 0;
    c.records = known.records.size();
    c.fields = known.fields.size();
    c.findings = known.findings.size();
    c.metadata = known.metadata.size();
    c.errors = errors_in(known.findings);
    fill(info, c, "info");
  });
}

lq_status lq_catalog_record(const lq_catalog* catalog, uint64_t number, lq_record_info* info) {
  return guarded(
      [&] { fill(info, answer_of(one_of(given(catalog, "catalog")->catalog.records, number, "record")), "info"); });
}

lq_status lq_catalog_field(const lq_catalog* catalog, uint64_t number, lq_field_info* info) {
  return guarded(
      [&] { fill(info, answer_of(one_of(given(catalog, "catalog")->catalog.fields, number, "field")), "info"); });
}

lq_status lq_catalog_finding(const lq_catalog* catalog, uint64_t number, lq_finding* finding) {
  return guarded([&] {
    fill(finding, answer_of(one_of(given(catalog, "catalog")->catalog.findings, number, "finding")), "finding");
  });
}

lq_status lq_catalog_metadata(const lq_catalog* catalog, uint64_t number, lq_metadata* text) {
  return guarded([&] { lend(given(catalog, "catalog")->catalog.metadata, number, text); });
}

lq_status lq_catalog_field_metadata(const lq_catalog* catalog, uint64_t field, uint64_t number, lq_metadata* text) {
  return guarded(
      [&] { lend(one_of(given(catalog, "catalog")->catalog.fields, field, "field").metadata, number, text); });
}

lq_status lq_verification_run(const char* path, const lq_verify_options* options, lq_verification** verification) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    auto [slot, name, how] = agreed(group, [&] {
      return std::tuple(HandleSlot(verification, "verification"), text(path, "path"), options_of(options));
    });
    slot.fill(lq::verify(name, group, how));
  });
}

void lq_verification_free(lq_verification* verification) { delete verification; }

lq_status lq_verification_verdict(const lq_verification* verification, lq_verdict* verdict) {
  return guarded([&] {
    const lq::Verification& known = given(verification, "verification")->verification;
    lq_verdict c{};
    c.is_sound = known.ok ? 1 : 0;
    c.format = known.format.c_str();
    c.fields = known.fields.size();
    c.findings = known.findings.size();
    c.errors = errors_in(known.findings);
    c.chunks_checked = known.chunks_checked;
    c.fields_checked = known.fields_checked;
    c.verdict = static_cast<int>(known.verdict);
    c.claims = known.claims.size();
    fill(verdict, c, "verdict");
  });
}

lq_status lq_verification_field(const lq_verification* verification, uint64_t number, lq_field_verdict* verdict) {
  return guarded([&] {
    fill(verdict, answer_of(one_of(given(verification, "verification")->verification.fields, number, "field")),
         "verdict");
  });
}

lq_status lq_verification_finding(const lq_verification* verification, uint64_t number, lq_finding* finding) {
  return guarded([&] {
    fill(finding, answer_of(one_of(given(verification, "verification")->verification.findings, number, "finding")),
         "finding");
  });
}

lq_status lq_verification_claim(const lq_verification* verification, uint64_t number, lq_claim* claim) {
  return guarded([&] {
    fill(claim, answer_of(one_of(given(verification, "verification")->verification.claims, number, "claim")), "claim");
  });
}
