// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/source_check.hpp"

#include <algorithm>

#include "engine/file_order.hpp"
#include "engine/transfer_stats.hpp"
#include "io/judgement.hpp"

namespace lq::io {
namespace {

// Norms do not detect signs; sums of slices alone may be too many to store.
bool sees_every_bit(const Sum& sum) {
  return sum.name.kind != SumKind::norm && sum.name.kind != SumKind::momentum_action && sum.name.of != SumOf::slices;
}

bool passes_in_order(const Payload& payload) {
  return payload.is_in_one_piece() && payload.encoding.empty() && payload.extents.size() > 0 &&
         payload.length == payload.stored.volume() * payload.site_bytes();
}

}  // namespace

bool sums_see_every_bit(const FieldEntry& entry) { return std::ranges::any_of(entry.sums.all, sees_every_bit); }

// A field in transit. A stretch contains the sites that begin in it.
struct SourceCheck::Watched {
  Watched(const FieldEntry& of, std::uint64_t offset)
      : entry(of),
        begin(offset),
        end(offset + of.payload.length),
        site_bytes(of.payload.site_bytes()),
        stats(of.payload, sums_of(of)),
        sums(of.payload, stats) {}

  // The first site that begins at `offset` or after it.
  std::uint64_t first_from(std::uint64_t offset) const noexcept {
    if (offset <= begin) return begin;
    const std::uint64_t sites = (offset - begin + site_bytes - 1) / site_bytes;
    return std::min(end, begin + sites * site_bytes);
  }

  // The bytes from `offset` on, which is the start of a site or continues a partial one.
  void add(std::uint64_t offset, base::Bytes bytes) {
    if (!cut.empty()) {
      const base::Bytes rest = bytes.first(std::min<std::size_t>(bytes.size(), missing()));
      cut.insert(cut.end(), rest.begin(), rest.end());
      bytes = bytes.subspan(rest.size());
      offset += rest.size();
      if (missing() > 0) return;
      sums.add((offset - begin) / site_bytes - 1, cut);
      cut.clear();
    }
    const std::size_t whole = bytes.size() / site_bytes * site_bytes;
    if (whole > 0) sums.add((offset - begin) / site_bytes, bytes.first(whole));
    cut.assign(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
  }
  std::size_t missing() const noexcept { return static_cast<std::size_t>(site_bytes) - cut.size(); }

  const FieldEntry& entry;
  std::uint64_t begin, end, site_bytes;  // in the bytes in transit
  engine::TransferStats stats;
  engine::FileOrderSums sums;
  std::vector<std::byte> cut = {};  // the part of a site received so far
};

SourceCheck::SourceCheck(const Catalog& catalog, BeginOf begin_of) : catalog_(catalog) {
  for (const FieldEntry& entry : catalog.fields) {
    if (entry.sums.all.empty()) {
      sees_all_ = sees_all_ && entry.payload.encoding.empty();
      continue;
    }
    const auto begin = passes_in_order(entry.payload) ? begin_of(entry.payload.file) : std::nullopt;
    if (begin && sums_see_every_bit(entry)) {
      watched_.push_back(std::make_unique<Watched>(entry, *begin + entry.payload.offset));
    } else {
      sees_all_ = false;
    }
  }
  std::ranges::stable_sort(watched_, {}, [](const auto& one) { return one->begin; });
  // Two fields with the same bytes: the first one represents them here.
  std::uint64_t end = 0;
  std::erase_if(watched_, [&](const auto& one) {
    if (one->begin < end) return !(sees_all_ = false);
    end = one->end;
    return false;
  });
}

SourceCheck::SourceCheck(const Catalog& catalog) : catalog_(catalog) {}
SourceCheck::SourceCheck(SourceCheck&&) noexcept = default;
SourceCheck::~SourceCheck() = default;

SourceCheck SourceCheck::fresh() const {
  SourceCheck other(catalog_);
  for (const auto& one : watched_) {
    other.watched_.push_back(std::make_unique<Watched>(one->entry, one->begin));
  }
  return other;
}

void SourceCheck::begin(std::uint64_t offset) noexcept {
  stretch_ = at_ = offset;
  if (cut_ != nullptr) cut_->cut.clear();  // a stretch that failed
  cut_ = nullptr;
}

void SourceCheck::pass(base::ByteSource& source, base::Bytes bytes) {
  const std::uint64_t first = at_, last = at_ + bytes.size();
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return bytes.subspan(static_cast<std::size_t>(from - first), static_cast<std::size_t>(to - from));
  };
  std::uint64_t seen = first;
  auto one = std::ranges::upper_bound(watched_, first, {}, [](const auto& field) { return field->end; });
  for (; one != watched_.end() && (*one)->begin < last; ++one) {
    Watched& field = **one;
    const std::uint64_t from = std::max(first, field.first_from(stretch_)), to = std::min(last, field.end);
    if (from >= to) continue;
    base::require_same_again(source, seen, part(seen, from));
    field.add(from, part(from, to));
    cut_ = field.cut.empty() ? nullptr : &field;
    seen = to;
  }
  base::require_same_again(source, seen, part(seen, last));
  at_ = last;
}

// In a truncated file the last site stays incomplete, and the sums differ.
void SourceCheck::end(base::ByteSource& source) {
  if (cut_ == nullptr) return;
  std::vector<std::byte> rest(cut_->missing());
  rest.resize(source.read_at(at_, rest));
  cut_->add(at_, rest);
  cut_->cut.clear();
  cut_ = nullptr;
}

void SourceCheck::add(SourceCheck& other) noexcept {
  for (std::size_t i = 0; i < watched_.size(); ++i) watched_[i]->stats.add(other.watched_[i]->stats);
}

void SourceCheck::reduce(comm::Comm& comm) {
  for (const auto& one : watched_) one->stats.reduce(comm);
}

std::vector<Error> SourceCheck::mismatches() const {
  std::vector<Error> errors;
  for (const auto& one : watched_) {
    const Judgement judgement = judge(one->entry, one->stats, one->entry.payload.stored);
    if (judgement.status == ChecksumStatus::ok) continue;
    errors.push_back(mismatch_error(catalog_, one->entry, one->stats, judgement));
  }
  return errors;
}

}  // namespace lq::io
