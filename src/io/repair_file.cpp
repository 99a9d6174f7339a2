// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/repair_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "comm/node.hpp"
#include "engine/choose.hpp"
#include "engine/direct.hpp"
#include "engine/file_order.hpp"
#include "engine/transfer_stats.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"
#include "io/conversion.hpp"
#include "io/damage.hpp"
#include "io/judgement.hpp"
#include "io/verdict.hpp"
#include "lattice/site_order.hpp"

namespace lq::io {

namespace {

// Uses the given number of threads.
engine::TransferStats read_past(base::ByteSource& file, const Payload& payload, int threads) {
  using enum SumKind;
  engine::TransferStats stats(payload, {{scidac, SumOf::field}, {scidac, SumOf::slices}, {weighted, SumOf::slices}});
  const engine::BlockOptions how = engine::block_options(
      payload, VerifyOptions{}.block_bytes, comm::thread_count(threads, payload.length), engine::usual_memory, true);
  engine::checksum_sites(file, payload, {}, how, stats);
  return stats;
}

// For encoded tiles the format reports losses; their bytes are not sites.
bool is_encoded(const FieldEntry& entry) noexcept { return !entry.payload.encoding.empty(); }

// True if sites are not in their places: checksums do not detect all exchanges, weighted sums do.
bool are_misplaced(const FieldEntry& entry, const engine::TransferStats& stats) {
  const std::vector<Checksum> stated = entry.sums.slices(), found = stats.sums.values().slices();
  return std::ranges::any_of(damaged_slices(entry, stats), [&](std::int64_t slice) {
    const auto number = static_cast<std::size_t>(slice);
    return number < std::min(stated.size(), found.size()) && stated[number] == found[number];
  });
}

class FileRepair {
 public:
  FileRepair(base::ByteSource& file, const Limits& limits, int threads)
      : limits_(limits), threads_(threads), original_(file), file_(std::make_unique<base::EditedSource>(file)) {}

  RepairedFile run();

 private:
  void look_at_original();
  void repair_headers();
  void mend_fields(std::size_t count);
  void mend_field(const FieldEntry& entry);
  void mend_bytes(const FieldEntry& entry, engine::TransferStats& stats);
  void mend_sums(const FieldEntry& entry, const engine::TransferStats& stats);
  bool has_damaged_slices(const FieldEntry& entry) const;
  void leave_unproven(const FieldEntry& entry, const std::string& why);
  const FieldEntry* cut_field() const;
  bool holds_messages() const;
  bool ends_early(const FieldEntry& entry) const;
  void name_lost(const FieldEntry& entry);
  void name_end();
  void mark_losses(const std::vector<Finding>& findings);
  bool keeps_its_end();
  void rescue(const FieldEntry& entry);
  Metadata texts_of_part(const FieldEntry& entry, const std::string& part);
  const Record& record_of(const FieldEntry& entry) const {
    return catalog_.records.at(static_cast<std::size_t>(entry.record));
  }
  void warn(std::string rule, const FieldEntry& entry, std::string message) {
    findings_.warning(std::move(rule), record_of(entry), std::move(message));
  }
  Catalog scan(base::ByteSource& file) const { return format::scan(file, limits_); }

  const Limits& limits_;
  const int threads_;
  base::ByteSource& original_;
  std::unique_ptr<base::EditedSource> file_;
  std::unique_ptr<base::EditedSource> rescued_;
  const format::Format* format_ = nullptr;
  bool was_damaged_ = false, was_cut_ = false;
  bool end_is_restored_ = false;      // missing parts at the end were rebuilt
  std::optional<std::uint64_t> cut_;  // bytes from here on are missing
  Catalog catalog_;
  format::Findings findings_;
};

// If the scan finds a file complete, fields without sums are unchanged.
void FileRepair::look_at_original() {
  try {
    const Catalog catalog = scan(original_);
    was_cut_ = !catalog.complete;
    was_damaged_ =
        was_cut_ || std::ranges::find(catalog.findings, Severity::error, &Finding::severity) != catalog.findings.end();
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    was_damaged_ = true;
  }
}

void FileRepair::repair_headers() {
  format_ = &format::recognise(*file_);
  if (!format_->repairer) {
    throw Error(Code::unsupported,
                fmt::format("{}: files of format \"{}\" cannot be repaired", file_->path(), format_->name()),
                {.path = file_->path()});
  }
  look_at_original();
  cut_ = format_->repairer->mend(*file_, limits_, findings_);
  const format::Format& now = format::recognise(*file_);
  if (&now != format_ && now.repairer && now.repairer->knows_all_records()) {
    // What the first format doubted, whether records are lost, is known to this one.
    std::vector<Finding> told = findings_.take();
    std::erase_if(told, [](const Finding& finding) { return finding.rule == "repair-doubtful"; });
    for (Finding& finding : told) findings_.add(std::move(finding));
    cut_ = now.repairer->mend(*file_, limits_, findings_);
  }
  format_ = &now;
  catalog_ = format_->container->scan(*file_, limits_);
}

// Corrects bytes that the sums identify. Corrections are kept only if all sums of the slice, or of the field, agree
void FileRepair::mend_bytes(const FieldEntry& entry, engine::TransferStats& stats) {
  const std::vector<CorrectByte> bytes = correct_bytes(*file_, catalog_, entry, stats);
  if (bytes.empty()) return;
  base::EditedSource tried(*file_);
  for (const CorrectByte& byte : bytes) tried.replace(byte.offset, 1, base::Bytes(&byte.right, 1));
  engine::TransferStats corrected = read_past(tried, entry.payload, threads_);
  const std::vector<std::int64_t> left = damaged_slices(entry, corrected);
  bool all_proven = true;
  for (const CorrectByte& byte : bytes) {
    const bool is_proven = byte.slice ? std::ranges::find(left, *byte.slice) == left.end()
                                      : entry.sums.checksum() == corrected.sums.total();
    all_proven = all_proven && is_proven;
    if (!is_proven) continue;
    file_->replace(byte.offset, 1, base::Bytes(&byte.right, 1));
    warn("repair-byte", entry,
         fmt::format("byte {} was 0x{:02x} and is 0x{:02x} by the checksum", byte.offset,
                     std::to_integer<unsigned>(byte.found), std::to_integer<unsigned>(byte.right)));
  }
  stats = all_proven ? std::move(corrected) : read_past(*file_, entry.payload, threads_);
}

// True if the checksum can belong to these data, damaged: it is absent, or one of its words is still theirs. If both
// differ, the data and the sums of their slices may both come from an older file.
bool can_be_of(const std::optional<Checksum>& checksum, const Checksum& data) noexcept {
  return !checksum || checksum->suma == data.suma || checksum->sumb == data.sumb;
}

// Missing or damaged records of sums are rewritten if other sums prove the data. Sums that
// differ from the data stay: they show where the damage is.
void FileRepair::mend_sums(const FieldEntry& entry, const engine::TransferStats& stats) {
  const std::optional<Checksum> checksum = entry.sums.checksum();
  const bool has_slices = !entry.sums.slices().empty();
  const bool slices_agree = slices_prove(entry, stats);
  const bool total_agrees = checksum == stats.sums.total();
  if (!checksum && !has_slices) {
    const bool has_others = std::ranges::any_of(
        entry.sums.all, [](const Sum& sum) { return evidence_of(sum.name.kind) == Evidence::exact_sum; });
    if (was_damaged_ && !has_others) leave_unproven(entry, "none of their checksums could be read");
    return;
  }
  if (total_agrees && (slices_agree || !has_damaged_slices(entry))) return;
  // Slices that all differ, of which the record can be read, are those of other data.
  const std::size_t slices = entry.sums.slices().size();
  if (total_agrees && slices > 1 && damaged_slices(entry, stats).size() == slices) return;
  const bool is_proven =
      (slices_agree && can_be_of(checksum, stats.sums.total())) || (total_agrees && !are_misplaced(entry, stats));
  if (!is_proven) return;
  format_->for_fields().store_sums(*file_, catalog_, entry, {stats.sums.values()});
  end_is_restored_ = end_is_restored_ || (!checksum && &entry == &catalog_.fields.back());
  warn("repair-checksum", entry,
       total_agrees ? "the checksums of its slices were rewritten: the data agree with the checksum of the field"
                    : fmt::format("its checksum {} was rewritten: the data agree with the checksums of all slices",
                                  to_string(stats.sums.total())));
}

bool FileRepair::has_damaged_slices(const FieldEntry& entry) const {
  const std::uint64_t message = record_of(entry).message;
  return std::ranges::any_of(catalog_.findings, [&](const Finding& finding) {
    if (finding.rule != "limequat-slices-malformed" && finding.rule != "limequat-slices-contradict") return false;
    const auto record = std::ranges::find(catalog_.records, finding.offset.value_or(0), &Record::header_offset);
    return record != catalog_.records.end() && record->message == message;
  });
}

// Nothing proves the data: the new file tells every examination.
void FileRepair::leave_unproven(const FieldEntry& entry, const std::string& why) {
  findings_.error(
      Code::checksum_mismatch, "repair-unproven", record_of(entry),
      fmt::format("\"{}\": {}, so nothing proves these data; the new file marks them as unproven", entry.name, why));
  format_->for_fields().store_sums(*file_, catalog_, entry, {});
}

void FileRepair::mend_field(const FieldEntry& entry) {
  engine::TransferStats stats = read_past(*file_, entry.payload, threads_);
  if (entry.sums.checksum() != stats.sums.total()) mend_bytes(entry, stats);
  mend_sums(entry, stats);
}

// Processes the first fields from the last one on, so that records added to one do not move another.
void FileRepair::mend_fields(std::size_t count) {
  for (std::size_t i = count; i-- > 0;) {
    const FieldEntry& entry = catalog_.fields[i];
    if (is_encoded(entry)) continue;
    ends_early(entry) ? name_lost(entry) : mend_field(entry);
  }
}

const FieldEntry* FileRepair::cut_field() const {
  if (!cut_) return nullptr;
  for (const FieldEntry& entry : catalog_.fields) {
    const Payload& payload = entry.payload;
    if (payload.tile_sites == 0 && payload.offset <= *cut_ && *cut_ < payload.offset + payload.length) return &entry;
  }
  return nullptr;
}

// Parts of a lattice can be stored in files of LIME messages.
bool FileRepair::holds_messages() const {
  return format::format_named("lime").container->recognise(*file_) != format::Likeness::no;
}

bool FileRepair::ends_early(const FieldEntry& entry) const {
  const Payload& payload = entry.payload;
  if (!cut_) return false;
  if (payload.tile_sites == 0) return payload.offset + payload.length > *cut_;
  return std::ranges::any_of(payload.tiles, [&](const Tile& tile) { return tile.offset + tile.bytes > *cut_; });
}

// The field stays unchanged, with its sums.
void FileRepair::name_lost(const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  std::string lost = "some of its data are missing";
  if (payload.tile_sites == 0) {
    const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
    const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
    const std::uint64_t there = std::max(*cut_, payload.offset) - payload.offset;
    lost = fmt::format("its slices {} to {} of {} are missing, or parts of them", there / (payload.length / extent),
                       extent - 1, extent);
  }
  findings_.error(Code::truncated, "repair-lost", record_of(entry),
                  fmt::format("{}, because the file ended at byte {}; they are zeros in the new file", lost, *cut_));
}

// No field has lost data, but other records or data are lost.
void FileRepair::name_end() {
  const std::uint64_t end = cut_.value_or(original_.size());
  Finding finding{.severity = Severity::error, .code = Code::truncated, .rule = "repair-lost"};
  finding.message = fmt::format("the file ended at byte {}, and the data after it are lost{}", end,
                                cut_ ? "; zeros replace them" : "");
  finding.offset = end;
  findings_.add(std::move(finding));
}

// Lost records leave no trace in the new file, which would look complete: a text of the file states the loss.
void FileRepair::mark_losses(const std::vector<Finding>& findings) {
  const auto is_loss = [](const Finding& finding) {
    return finding.severity == Severity::error &&
           (finding.rule == "repair-left-out" || finding.rule == "repair-lost" || finding.rule == "repair-doubtful");
  };
  const auto loss = std::ranges::find_if(findings, is_loss);
  // Without bytes that were left out, or may be others, all that was found is there.
  const auto is_other = [](const Finding& finding) {
    return finding.rule == "repair-left-out" || finding.rule == "repair-doubtful";
  };
  const bool is_shorter = std::ranges::any_of(findings, is_other);
  if (loss == findings.end() || !is_shorter || cut_ || rescued_ || !holds_messages()) return;
  const Catalog now = scan(*file_);
  const bool is_damaged = std::ranges::find(now.findings, Severity::error, &Finding::severity) != now.findings.end();
  const bool holds_fields = format::format_named(now.format).info.contents == Contents::fields;
  if ((now.fields.empty() && !holds_fields) || is_damaged) return;
  const std::string why = fmt::format("since a repair: {}", loss->message);
  constexpr std::uint64_t alignment = 8;  // of messages
  const std::uint64_t offset = (file_->size() + alignment - 1) / alignment * alignment;
  format::Layout layout;
  try {
    layout = format_->for_records().plan_record(
        {.type = format::unproven_text, .contents = why, .offset = offset, .first = false});
  } catch (const Error& error) {
    if (error.code() != Code::unsupported) throw;
    return;  // the format has marks of its own
  }
  file_->append_zeros(layout.end.front() - file_->size());
  for (const format::Literal& literal : layout.head) {
    file_->replace(literal.offset, literal.bytes.size(), literal.bytes);
  }
}

// True if the file has its size, and its last record the header that it had: a length before it was wrong.
bool FileRepair::keeps_its_end() {
  const Catalog mended = scan(*file_);
  if (mended.records.empty() || file_->size() != original_.size()) return false;
  const Record& last = mended.records.back();
  // A length that was repaired is proven, or in doubt, which is told.
  constexpr std::size_t length_begin = 8, length_end = 16;  // in a header of LIME
  std::vector<std::byte> before(static_cast<std::size_t>(last.offset - last.header_offset)), now(before.size());
  const bool are_read = original_.read_at(last.header_offset, before) == before.size() &&
                        file_->read_at(last.header_offset, now) == now.size();
  if (holds_messages() && before.size() > length_end) {
    std::copy(now.begin() + length_begin, now.begin() + length_end, before.begin() + length_begin);
  }
  return are_read && before == now;
}

// The beginning of the message that contains a record.
std::uint64_t message_begin(const Catalog& catalog, const Record& record) {
  const auto first = std::ranges::find(catalog.records, record.message, &Record::message);
  return first->header_offset;
}

// The texts of a field that are also true for a part of it.
Metadata FileRepair::texts_of_part(const FieldEntry& entry, const std::string& part) {
  Metadata texts = entry.metadata;
  texts.insert(texts.end(), catalog_.metadata.begin(), catalog_.metadata.end());
  texts = format::format_named("scidac").for_fields().carried(texts, true);
  std::vector<std::string> left_out;
  std::erase_if(texts, [&](const auto& text) {
    if (text.first != format::rescued_text && !describes_all_sites(text.first, text.second)) return false;
    left_out.push_back(text.first);
    return true;
  });
  texts.emplace_back(format::rescued_text, part);
  if (!left_out.empty()) {
    findings_.note(
        "repair-texts-left-out", record_of(entry),
        fmt::format("texts about the complete file are not in the rescued part: {}", fmt::join(left_out, ", ")));
  }
  return texts;
}

// The stated sums of the first slices: slices whose data differ are damaged, and the part shows that, too.
// Weighted sums that are not stated are computed from the data.
Sums sums_of_part(const FieldEntry& entry, const Sums& found, std::size_t slices) {
  Sums sums = found;
  std::vector<Checksum> stated = entry.sums.slices();
  stated.resize(slices);
  sums.set_slices(stated);
  if (const Sum* const weights = entry.sums.find({SumKind::weighted, SumOf::slices})) {
    Sum first = *weights;
    first.words.resize(slices * words_of(SumKind::weighted));
    sums.set(std::move(first));
  }
  sums.set_checksum(sums.total_of_slices().value());
  return sums;
}

// Rescues the complete slices of a field whose data end early, as a box of the lattice.
void FileRepair::rescue(const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  const int slowest = order.back();
  const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  const std::uint64_t slices = (*cut_ - payload.offset) / (payload.length / extent);
  if (slices == 0) {
    throw Error(Code::truncated,
                fmt::format("{}: the data of \"{}\" end at byte {}, within their first time slice; none of them can "
                            "be rescued",
                            file_->path(), entry.name, *cut_),
                {.path = file_->path(), .record = entry.name, .offset = cut_});
  }
  const std::int64_t first = payload.stored.lower[slowest], count = static_cast<std::int64_t>(slices);
  const std::string part =
      fmt::format("time slices {} to {} of {}", first, first + count - 1, payload.extents[slowest]);
  const bool has_sums = entry.sums.slices().size() == extent;
  format::FieldRequest request;
  request.name = entry.name;
  request.spec = payload.spec;
  request.extents = payload.extents;
  request.stored = payload.stored;
  request.stored->extents[slowest] = count;
  request.metadata = texts_of_part(entry, part);
  request.checksum = has_sums;
  if (!has_sums) request.metadata.emplace_back(format::unproven_text, "the file had no checksums of its slices");
  // Fields before it stay unchanged.
  const bool is_first = &entry == catalog_.fields.data();
  const std::uint64_t kept = is_first ? 0 : message_begin(catalog_, catalog_.records[entry.record]);
  request.offset = kept;
  request.first = is_first;
  format::Layout layout = format::format_named("scidac").for_fields().plan(request);

  const Payload there = layout.payload.front();
  rescued_ = std::make_unique<base::EditedSource>(*file_, layout.end.front());
  if (kept > 0) rescued_->replace_by_original(0, kept, 0);
  rescued_->replace_by_original(there.offset, there.length, payload.offset);
  const engine::TransferStats stats = read_past(*rescued_, there, threads_);
  std::vector<format::Literal> literals = std::move(layout.head);
  if (has_sums) {
    std::ranges::move(layout.tail({sums_of_part(entry, stats.sums.values(), slices)}), std::back_inserter(literals));
  }
  for (const format::Literal& literal : literals) {
    rescued_->replace(literal.offset, literal.bytes.size(), literal.bytes);
  }

  const std::vector<std::int64_t> damaged = damaged_slices(entry, stats);
  const std::string vouched =
      !has_sums ? "nothing proves these data: the file had no checksums of slices; the part marks them as unproven"
      : damaged.empty()
          ? "all of them agree with their checksums"
          : fmt::format("slices {} differ from their checksums, which the part keeps", fmt::join(damaged, ", "));
  findings_.error(
      Code::truncated, "repair-rescued", record_of(entry),
      fmt::format(
          "the file ended at byte {}: time slices {} to {} are lost. {} are rescued as a part of the lattice (a "
          "SciDAC hypercube): {}",
          *cut_, first + count, first + static_cast<std::int64_t>(extent) - 1, part, vouched));
}

RepairedFile FileRepair::run() {
  repair_headers();
  // Contents behind the end were rebuilt, by a format that states them elsewhere, too.
  end_is_restored_ = !cut_ && std::ranges::any_of(catalog_.records, [&](const Record& record) {
    return record.offset + record.data_length > original_.size();
  });
  const FieldEntry* cut = holds_messages() ? cut_field() : nullptr;
  if (cut != nullptr) {
    // Data added to fields before it move it.
    const auto before = static_cast<std::size_t>(cut - catalog_.fields.data());
    const std::uint64_t bytes = file_->size();
    mend_fields(before);
    *cut_ += file_->size() - bytes;
    catalog_ = scan(*file_);
    rescue(catalog_.fields.at(before));
  } else {
    mend_fields(catalog_.fields.size());
    const auto is_cut = [&](const FieldEntry& entry) { return ends_early(entry); };
    if (cut_ && std::ranges::none_of(catalog_.fields, is_cut)) name_end();
  }
  if (was_cut_ && !end_is_restored_ && !keeps_its_end() && !findings_.has_errors()) name_end();
  RepairedFile result;
  std::vector<Finding> found = findings_.take();
  mark_losses(found);
  for (Finding& finding : found) findings_.add(std::move(finding));
  result.catalog = scan(rescued_ ? *rescued_ : *file_);
  const bool holds_fields = format::format_named(result.catalog.format).info.contents == Contents::fields;
  if (was_damaged_ && holds_fields && result.catalog.fields.empty() && !findings_.has_errors()) {
    findings_.add({.severity = Severity::error,
                   .code = Code::malformed,
                   .rule = "repair-lost",
                   .message = "no field was found in it: the records that describe or hold one are lost or damaged"});
  }
  result.findings = findings_.take();
  result.rescued = std::move(rescued_);
  result.complete = std::move(file_);
  return result;
}

}  // namespace

RepairedFile repair_records(base::ByteSource& file, const Limits& limits, int threads) {
  return FileRepair(file, limits, threads).run();
}

}  // namespace lq::io
