// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares data with the sums of their file. Sums of the whole field apply to all of its sites only; sums of slices
// to whole slices, and to all sites unless they contradict the checksum of the field, which shows
// that one of the two is damaged itself (the scan warns of it). Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/report.hpp>

#include "base/byte_source.hpp"
#include "engine/transfer_stats.hpp"

namespace lq::io {

// The sums to compute for a field that is read: those that the file states.
std::vector<SumName> sums_of(const FieldEntry& entry);
// True if the file has a checksum of the field that proves its data if it agrees.
bool has_exact_sum(const FieldEntry& entry) noexcept;

struct Judgement {
  ChecksumStatus status = ChecksumStatus::unchecked;
  std::vector<SumName> compared = {};
  std::vector<SumName> differing = {};  // of those compared
  std::string stated = {}, found = {};  // the first sum that differs
  // The data contain a NaN, an infinity, or a number whose square is infinite, so their norm proves nothing.
  // If the file states such a norm, too, it is not compared.
  bool has_no_norm = false;
};

// `stats` covers the sites `moved`, a box within the stored ones.
Judgement judge(const FieldEntry& entry, const engine::TransferStats& stats, const Box& moved);

// Numbers of the slices with a stated sum that differs from the data's; `stats` covers the first slices or all.
std::vector<std::int64_t> damaged_slices(const FieldEntry& entry, const engine::TransferStats& stats);
// True if there are checksums of all slices, and all sums of slices agree with the data.
bool slices_prove(const FieldEntry& entry, const engine::TransferStats& stats);

// The claim about the part of a field that a repair could not rescue. It is lost, even if other sums agree.
inline constexpr std::string_view rest_of_field = "rest of the field";
// A claim for each sum that the file states of the field, and an absent one if it has no exact sum.
std::vector<Claim> claims_of(const FieldEntry& entry, const Judgement& judgement, std::string of);

// Why the checksum of a field is not known although the file has one: its record or line is damaged. nullptr: it has
// none, or the damage is elsewhere.
const Finding* lost_sum(const Catalog& catalog, const FieldEntry& entry) noexcept;

// Data that a repair left unproven (format/format.hpp), as a claim that could not be compared; empty if the texts
// do not state any.
std::optional<Claim> unproven_claim(const Metadata& texts, std::string of);

// The error for a differing sum: expected, found, and zeros if there are any.
Error mismatch_error(const Catalog& catalog, const FieldEntry& entry, const engine::TransferStats& stats,
                     const Judgement& judgement);

// Compares sites of a field that are outside their file with the sums that the file states.

// Local. `sites` contains them in sequence, each in the form and order of the payload of `entry`.
Judgement judge_sequence(base::ByteSource& sites, const FieldEntry& entry);

}  // namespace lq::io
