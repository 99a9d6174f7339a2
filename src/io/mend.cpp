// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/mend.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "format/findings.hpp"
#include "io/damage.hpp"
#include "io/judgement.hpp"
#include "lattice/site_order.hpp"
#include "pump/direct.hpp"
#include "pump/past.hpp"
#include "pump/tally.hpp"
#include "threads/how_many.hpp"

namespace lq::io {

namespace {

// By so many threads.
pump::Tally read_past(base::ByteSource& file, const Payload& payload, int threads) {
  using enum SumKind;
  pump::Tally tally(payload, {{scidac, SumOf::field}, {scidac, SumOf::slices}, {weighted, SumOf::slices}});
  const pump::PumpOptions how =
      pump::pump_options(payload, VerifyOptions{}.block_bytes, threads::how_many(threads, payload.length),
                         RouteOptions{}.memory_bytes, true);
  pump::pump_past(file, payload, {}, how, tally);
  return tally;
}

// Of encoded tiles the format says what is lost; their bytes are no sites.
bool is_encoded(const FieldEntry& entry) noexcept { return !entry.payload.encoding.empty(); }

class Mending {
 public:
  Mending(base::ByteSource& file, const Limits& limits, int threads)
      : limits_(limits), threads_(threads), file_(std::make_unique<base::EditedSource>(file)) {}

  MendedFile run();

 private:
  void mend_headers();
  void mend_field(const FieldEntry& entry);
  void mend_bytes(const FieldEntry& entry, pump::Tally& tally);
  void mend_sums(const FieldEntry& entry, const pump::Tally& tally);
  bool has_damaged_slices(const FieldEntry& entry) const;
  const FieldEntry* cut_field() const;
  bool holds_messages() const;
  bool ends_early(const FieldEntry& entry) const;
  void name_lost(const FieldEntry& entry);
  void rescue(const FieldEntry& entry);
  void warn(std::string rule, const FieldEntry& entry, std::string message);
  Catalog scan(base::ByteSource& file) const { return format::scan(file, limits_); }

  const Limits& limits_;
  const int threads_;
  std::unique_ptr<base::EditedSource> file_;
  std::unique_ptr<base::EditedSource> rescued_;
  const format::Format* format_ = nullptr;
  std::optional<std::uint64_t> cut_;  // bytes from here on are missing
  Catalog catalog_;
  format::Findings findings_;
};

void Mending::warn(std::string rule, const FieldEntry& entry, std::string message) {
  const Record& record = catalog_.records.at(static_cast<std::size_t>(entry.record));
  findings_.warning(std::move(rule), record, std::move(message));
}

void Mending::mend_headers() {
  format_ = &format::recognise(*file_);
  if (!format_->mender) {
    throw Error(Code::unsupported,
                fmt::format("{}: nothing is known of how files of format \"{}\" can be repaired", file_->path(),
                            format_->name()),
                {.path = file_->path()});
  }
  cut_ = format_->mender->mend(*file_, limits_, findings_);
  format_ = &format::recognise(*file_);
  catalog_ = format_->container->scan(*file_, limits_);
}

// Bytes that the sums single out. Sums that agree afterwards prove them.
void Mending::mend_bytes(const FieldEntry& entry, pump::Tally& tally) {
  const std::vector<CorrectByte> bytes = correct_bytes(*file_, catalog_, entry, tally);
  if (bytes.empty()) return;
  for (const CorrectByte& byte : bytes) file_->replace(byte.offset, 1, base::Bytes(&byte.right, 1));
  tally = read_past(*file_, entry.payload, threads_);
  for (const CorrectByte& byte : bytes) {
    warn("repair-byte", entry,
         fmt::format("byte {} was 0x{:02x} and is 0x{:02x} by the checksum", byte.offset,
                     std::to_integer<unsigned>(byte.found), std::to_integer<unsigned>(byte.right)));
  }
}

// Records of sums that are missing or damaged themselves, as far as the data or the other record vouch for them.
void Mending::mend_sums(const FieldEntry& entry, const pump::Tally& tally) {
  const std::optional<Checksum> checksum = entry.sums.checksum();
  const bool slices_agree = slices_vouch(entry, tally);
  const bool total_agrees = checksum == tally.sums.total();
  const bool slices_are_damaged = has_damaged_slices(entry);
  if (total_agrees && (slices_agree || !slices_are_damaged)) return;
  if (checksum && !total_agrees && !slices_agree) return;  // the data are damaged
  format_->for_fields().store_sums(*file_, catalog_, entry, {tally.sums.values()});
  if (total_agrees)
    return warn("repair-checksum", entry, "the checksums of its slices were written anew from the data");
  const std::string found = to_string(tally.sums.total());
  if (slices_agree) {
    return warn("repair-checksum", entry,
                fmt::format("its checksum {} was written anew; those of its slices agree with the data", found));
  }
  warn("repair-checksum", entry,
       fmt::format("it had no checksum that could be read: {} was computed from the data as they are, whether they are "
                   "sound or not",
                   found));
}

bool Mending::has_damaged_slices(const FieldEntry& entry) const {
  const std::uint64_t message = catalog_.records.at(static_cast<std::size_t>(entry.record)).message;
  return std::ranges::any_of(catalog_.findings, [&](const Finding& finding) {
    if (finding.rule != "limequat-slices-malformed" && finding.rule != "limequat-slices-contradict") return false;
    const auto record = std::ranges::find(catalog_.records, finding.offset.value_or(0), &Record::header_offset);
    return record != catalog_.records.end() && record->message == message;
  });
}

void Mending::mend_field(const FieldEntry& entry) {
  pump::Tally tally = read_past(*file_, entry.payload, threads_);
  mend_bytes(entry, tally);
  mend_sums(entry, tally);
}

const FieldEntry* Mending::cut_field() const {
  if (!cut_) return nullptr;
  for (const FieldEntry& entry : catalog_.fields) {
    const Payload& payload = entry.payload;
    if (payload.tile_sites == 0 && payload.offset <= *cut_ && *cut_ < payload.offset + payload.length) return &entry;
  }
  return nullptr;
}

// Parts of a lattice are for files of LIME messages.
bool Mending::holds_messages() const {
  return format::format_named("lime").container->recognise(*file_) != format::Likeness::no;
}

bool Mending::ends_early(const FieldEntry& entry) const {
  const Payload& payload = entry.payload;
  if (!cut_) return false;
  if (payload.tile_sites == 0) return payload.offset + payload.length > *cut_;
  return std::ranges::any_of(payload.tiles, [&](const Tile& tile) { return tile.offset + tile.bytes > *cut_; });
}

// The field stays as it is, and nothing vouches for it.
void Mending::name_lost(const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  const Record& record = catalog_.records.at(static_cast<std::size_t>(entry.record));
  std::string lost = "some of its data are missing";
  if (payload.tile_sites == 0) {
    const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
    const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
    const std::uint64_t there = std::max(*cut_, payload.offset) - payload.offset;
    lost = fmt::format("its slices {} to {} of {} are missing, or parts of them", there / (payload.length / extent),
                       extent - 1, extent);
  }
  findings_.error(Code::truncated, "repair-lost", record,
                  fmt::format("{}, for the file ended at byte {}; they are zeros now", lost, *cut_));
}

// Where the message begins that holds a record.
std::uint64_t message_begin(const Catalog& catalog, const Record& record) {
  const auto first = std::ranges::find(catalog.records, record.message, &Record::message);
  return first->header_offset;
}

// The texts of a field, but for those about the numbers as they were stored.
Metadata texts_of_part(const Catalog& catalog, const FieldEntry& entry, const std::string& part) {
  Metadata texts = entry.metadata;
  texts.insert(texts.end(), catalog.metadata.begin(), catalog.metadata.end());
  texts = format::format_named("scidac").for_fields().carried(texts, true);
  texts.emplace_back("limequat-rescued", part);
  return texts;
}

// The whole slices of a field whose data end early, as the box of the lattice that they are.
void Mending::rescue(const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  const int slowest = order.back();
  const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  const std::uint64_t slices = (*cut_ - payload.offset) / (payload.length / extent);
  if (slices == 0) {
    throw Error(Code::truncated,
                fmt::format("{}: the data of \"{}\" end at byte {}, within their first time slice; nothing of them can "
                            "be rescued",
                            file_->path(), entry.name, *cut_),
                {.path = file_->path(), .record = entry.name, .offset = cut_});
  }
  format::FieldRequest request;
  request.name = entry.name;
  request.spec = payload.spec;
  request.extents = payload.extents;
  request.stored = payload.stored;
  request.stored->extents[slowest] = static_cast<std::int64_t>(slices);
  const std::string part =
      fmt::format("time slices {} to {} of {}", payload.stored.lower[slowest],
                  payload.stored.lower[slowest] + static_cast<std::int64_t>(slices) - 1, payload.extents[slowest]);
  request.metadata = texts_of_part(catalog_, entry, part);
  // Fields in front of it stay as they are.
  const bool is_first = &entry == catalog_.fields.data();
  const std::uint64_t kept = is_first ? 0 : message_begin(catalog_, catalog_.records[entry.record]);
  request.offset = kept;
  request.first = is_first;
  format::Layout layout = format::format_named("scidac").for_fields().plan(request);

  const Payload there = layout.payload.front();
  rescued_ = std::make_unique<base::EditedSource>(*file_, layout.end.front());
  if (kept > 0) rescued_->replace_by_original(0, kept, 0);
  rescued_->replace_by_original(there.offset, there.length, payload.offset);
  const pump::Tally tally = read_past(*rescued_, there, threads_);
  std::vector<format::Literal> literals = std::move(layout.head);
  std::ranges::move(layout.tail({tally.sums.values()}), std::back_inserter(literals));
  for (const format::Literal& literal : literals) {
    rescued_->replace(literal.offset, literal.bytes.size(), literal.bytes);
  }

  const std::vector<std::int64_t> lost = damaged_slices(entry, tally);
  const std::string vouched = entry.sums.slices().empty() ? "; no checksum vouches for them"
                              : lost.empty()
                                  ? "; all agree with their checksums"
                                  : fmt::format("; slices {} disagree with their checksums", fmt::join(lost, ", "));
  warn("repair-rescued", entry,
       fmt::format("{} are rescued as a part of the lattice (a SciDAC hypercube){}", part, vouched));
}

MendedFile Mending::run() {
  mend_headers();
  if (const FieldEntry* cut = cut_field(); cut != nullptr && holds_messages()) {
    rescue(*cut);
  } else {
    // From the last on, so that records added to one field do not move another.
    for (auto entry = catalog_.fields.rbegin(); entry != catalog_.fields.rend(); ++entry) {
      if (is_encoded(*entry)) continue;
      ends_early(*entry) ? name_lost(*entry) : mend_field(*entry);
    }
  }
  MendedFile result;
  base::EditedSource& to_write = rescued_ ? *rescued_ : *file_;
  result.catalog = scan(to_write);
  result.findings = findings_.take();
  for (const Finding& finding : result.catalog.findings) {
    if (finding.severity == Severity::error) result.findings.push_back(finding);
  }
  for (const FieldEntry& entry : result.catalog.fields) {
    if (is_encoded(entry)) continue;
    const pump::Tally tally = read_past(to_write, entry.payload, threads_);
    if (judge(entry, tally, entry.payload.stored).status != ChecksumStatus::mismatch) continue;
    const std::vector<Finding> left = locate_damage(to_write, result.catalog, entry, tally);
    result.findings.insert(result.findings.end(), left.begin(), left.end());
  }
  result.rescued = std::move(rescued_);
  result.complete = std::move(file_);
  return result;
}

}  // namespace

MendedFile mend_file(base::ByteSource& file, const Limits& limits, int threads) {
  return Mending(file, limits, threads).run();
}

}  // namespace lq::io
