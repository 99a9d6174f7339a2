// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether data are what the sums of their file say. Sums of the whole field speak for all of its sites only; those of
// slices for whole slices, and for all sites as long as they do not contradict the checksum of the field, which shows
// that one of the two was damaged itself (the scan warns of it). Local.
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

// The sums to be taken of the data of a field that is read: those that the file states.
std::vector<SumName> sums_of(const FieldEntry& entry);
// Whether the file has a checksum of the field that proves its data where it agrees.
bool has_exact_sum(const FieldEntry& entry) noexcept;

struct Judgement {
  ChecksumStatus status = ChecksumStatus::unchecked;
  std::vector<SumName> compared = {};
  std::vector<SumName> differing = {};  // of these
  std::string stated = {}, found = {};  // the first sum that differs
  // The data have a NaN, an infinity, or a number whose square is one, so that their norm says nothing about them.
  // Where the file states such a norm, too, it is not among those compared.
  bool has_no_norm = false;
};

// `stats` is of the sites `moved`, a box within those that are stored.
Judgement judge(const FieldEntry& entry, const engine::TransferStats& stats, const Box& moved);

// Numbers of the slices of which a stated sum differs from the data's; `stats` is of the first slices or of all.
std::vector<std::int64_t> damaged_slices(const FieldEntry& entry, const engine::TransferStats& stats);
// Whether there are checksums of all slices, and all sums of slices are those of the data.
bool slices_vouch(const FieldEntry& entry, const engine::TransferStats& stats);

// The claim about what a repair could not rescue of a field. It is gone, whatever sums of the rest there are.
inline constexpr std::string_view rest_of_field = "rest of the field";
// A claim for each sum that the file states of the field, and one that is absent where it has no exact one.
std::vector<Claim> claims_of(const FieldEntry& entry, const Judgement& judgement, std::string of);

// Why the checksum of a field is not known although the file has one: its record or line is damaged. nullptr: it has
// none, or the damage is elsewhere.
const Finding* lost_sum(const Catalog& catalog, const FieldEntry& entry) noexcept;

// What a repair left unproven (format/format.hpp), as a claim that could not be compared; nothing where the texts
// do not say so.
std::optional<Claim> unproven_claim(const Metadata& texts, std::string of);

// The error for a sum that differs: expected, found, and zeros if there are any.
Error mismatch_error(const Catalog& catalog, const FieldEntry& entry, const engine::TransferStats& stats,
                     const Judgement& judgement);

// Sites of a field that are not where its file has them, held against the sums that the file states.

// Local. `sites` has them one after the other, each as the payload of `entry` says, in its order.
Judgement judge_sequence(base::ByteSource& sites, const FieldEntry& entry);

}  // namespace lq::io
