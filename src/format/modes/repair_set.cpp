// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/modes/set.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"

namespace lq::format::modes {
namespace {

constexpr std::array<std::string_view, 5> known_types{type::head, type::index, type::data, type::coefficients,
                                                      type::mode};

void replace(base::EditedSource& file, std::uint64_t offset, const std::vector<std::byte>& bytes) {
  file.replace(offset, bytes.size(), bytes);
}

std::vector<std::byte> read(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> found(static_cast<std::size_t>(bytes));
  found.resize(file.read_at(offset, found));
  return found;
}

// The end of a record with the given number of bytes of payload.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t bytes) noexcept {
  return offset + bytes + lime::padding(bytes);
}

lime::HeaderBytes header_of(std::string_view type, std::uint64_t bytes, bool begins, bool ends) {
  lime::Header header;
  header.type = type;
  header.mb_flag = begins;
  header.me_flag = ends;
  header.data_length = bytes;
  return lime::encode(header);
}

// A block of the index in the file, with the modes it will contain.
struct Slots {
  std::uint64_t offset = 0;  // of the payload of its record
  std::uint64_t first = 0, room = 0;
  std::optional<std::uint64_t> count = {};         // as its head states
  std::vector<std::optional<Entry>> entries = {};  // up to the last existing one
};

// A mode to keep.
struct Kept {
  std::uint64_t number = 0;  // original number
  Entry entry;
  bool is_of_index = true;  // else its record was found
};

// Bytes of the file that belong to the set.
struct OwnBytes {
  std::uint64_t begin = 0, end = 0;
};

// The index is used first: an entry with a correct sum is the committed mode. The records of modes are searched
// for those with damaged entries, and for all of a block with a damaged head.
class SetRepair {
 public:
  SetRepair(base::EditedSource& file, Findings& done) : file_(file), done_(done), walked_(file) {}

  void run() {
    find_records();
    correct_description();
    const Head head = best_head();
    description_ = head.description;
    document_bytes_ = head.document_bytes;
    entry_bytes_ = modes::entry_bytes(description_);
    find_slots(head);
    found_ = all_modes(walked_, description_, records_);
    choose();
    leave_out_gaps();
    mark();
    write();
  }

 private:
  void find_records();
  void correct_description();
  Head best_head();
  void find_slots(const Head& head);
  void read_entries(Slots& slots);
  void choose();
  std::optional<Kept> choose(std::uint64_t number, const std::optional<Entry>& entry, std::uint64_t end) const;
  bool overlaps_index(const Entry& entry) const;
  void leave_out_gaps();
  void leave_out(std::uint64_t begin, std::uint64_t end);
  void mark();
  void write();
  bool put(std::uint64_t offset, base::Bytes bytes);
  void put_header(std::uint64_t offset, std::string_view type, std::uint64_t bytes, bool begins, bool ends);
  void tell_lost(std::uint64_t first, std::uint64_t last, const std::string& why);
  void tell(Severity severity, Code code, const char* rule, std::string_view record, std::uint64_t offset,
            std::string message);

  Payload payload_of(const Entry& entry) const { return payload_at(description_, entry.offset, entry.is_whole()); }
  // Of the record of a mode.
  std::uint64_t record_of(const Entry& entry) const {
    return end_of(entry.offset, payload_of(entry).length) + lime::header_bytes;
  }

  base::EditedSource& file_;
  Findings& done_;
  base::EditedSource walked_;  // with repaired headers, for finding records
  std::vector<Record> records_;
  Description description_;
  std::uint64_t document_bytes_ = 0, entry_bytes_ = 0;
  std::vector<Slots> blocks_;
  std::uint64_t stated_ = 0;      // modes that the set had, as far as known
  bool is_whole_ = true;          // the chain of blocks
  bool goes_on_ = false;          // the last existing block refers to a missing one
  std::vector<FoundMode> found_;  // by their records, in file order
  std::vector<Kept> kept_;
  std::vector<std::string> missing_;  // descriptions of what is missing
  bool is_marked_ = false;
};

void SetRepair::tell(Severity severity, Code code, const char* rule, std::string_view record, std::uint64_t offset,
                     std::string message) {
  done_.add({.severity = severity,
             .code = code,
             .rule = rule,
             .message = std::move(message),
             .record = std::string(record),
             .offset = offset});
}

void SetRepair::find_records() {
  Findings ignored;
  records_ = lime::repair_headers(walked_, {.types = known_types}, ignored).records;
  if (records_.size() > 1 && records_[0].type == type::head && records_[1].type == type::index) return;
  throw Error(
      Code::malformed,
      fmt::format("{}: the index does not follow the description of the set; nothing can be kept", file_.path()),
      {.path = file_.path(), .record = std::string(type::index)});
}

void SetRepair::correct_description() {
  const Record& head = records_[0];
  if (head.offset != lime::header_bytes || head.data_length > largest_document) return;
  const auto right = corrected(base::as_text(read(walked_, head.offset, head.data_length)));
  if (!right) return;
  for (base::EditedSource* const file : {&file_, &walked_}) {
    file->replace(head.offset, right->size(), base::as_bytes(*right));
  }
  tell(Severity::warning, Code::ok, "repair-modes-head", type::head, 0,
       "one damaged byte of the description was corrected: its sum agrees now");
}

// For the original file, if all of its blocks can be read: walking does not find records after damaged headers.
Head SetRepair::best_head() {
  try {
    Head head = read_head(file_);
    if (head.is_whole) return head;
  } catch (const Error& error) {
    if (error.code() != Code::malformed) throw;
  }
  return read_head(walked_);
}

// The blocks that the chain of heads leads to if all of these are intact; else those that are records of the file.
void SetRepair::find_slots(const Head& head) {
  is_whole_ = head.is_whole;
  if (head.is_whole) {
    for (const PlacedBlock& at : head.blocks) {
      blocks_.push_back({at.offset, at.block.first, at.block.room, at.block.count});
    }
  } else {
    std::uint64_t first = 0;
    for (const Record& record : records_) {
      const bool is_block = record.type == type::index && record.data_length >= Block::head_bytes + entry_bytes_ &&
                            record.data_length <= file_.size() && record.offset <= file_.size() - record.data_length &&
                            (record.data_length - Block::head_bytes) % entry_bytes_ == 0;
      if (!is_block) continue;
      const std::uint64_t room = (record.data_length - Block::head_bytes) / entry_bytes_;
      Slots slots{record.offset, first, room};
      const auto block = decode_block(read(file_, record.offset, Block::head_bytes));
      const bool fits = block && block->entry_bytes == entry_bytes_ && block->room == room && block->first == first &&
                        block->count <= room;
      if (fits) slots.count = block->count;
      goes_on_ = fits && block->next != 0;
      blocks_.push_back(std::move(slots));
      first += room;
    }
  }
  if (blocks_.empty()) {
    throw Error(Code::truncated, fmt::format("{}: the file ends within its index; nothing can be kept", file_.path()),
                {.path = file_.path(), .record = std::string(type::index)});
  }
  for (Slots& slots : blocks_) read_entries(slots);
}

// As many as the head states, else up to the last nonempty one.
void SetRepair::read_entries(Slots& slots) {
  std::size_t last = 0;
  const std::uint64_t wanted = slots.count.value_or(slots.room);
  for (std::uint64_t k = 0; k < wanted; ++k) {
    const std::vector<std::byte> bytes = read(file_, slots.offset + Block::head_bytes + k * entry_bytes_, entry_bytes_);
    if (bytes.size() < entry_bytes_) break;
    auto entry = decode_entry(bytes, description_);
    if (entry && entry->number != slots.first + k) entry.reset();
    const bool is_blank = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
    slots.entries.push_back(std::move(entry));
    if (!is_blank) last = slots.entries.size();
  }
  slots.entries.resize(slots.count ? static_cast<std::size_t>(*slots.count) : last);
}

// True if the records of the mode would lie in a block of the index.
bool SetRepair::overlaps_index(const Entry& entry) const {
  const std::uint64_t begin = entry.offset - lime::header_bytes, end = end_of(record_of(entry), entry_bytes_);
  return std::ranges::any_of(blocks_, [&](const Slots& slots) {
    return begin < end_of(slots.offset, Block::head_bytes + slots.room * entry_bytes_) &&
           slots.offset - lime::header_bytes < end;
  });
}

std::optional<Kept> SetRepair::choose(std::uint64_t number, const std::optional<Entry>& entry,
                                      std::uint64_t end) const {
  const auto fits = [&](const Entry& one) {
    const Payload payload = payload_of(one);
    return one.offset >= end + lime::header_bytes && one.offset <= file_.size() &&
           payload.length <= file_.size() - one.offset && !overlaps_index(one);
  };
  if (entry) return fits(*entry) ? std::optional(Kept{number, *entry}) : std::nullopt;
  // The last one with that number: an earlier one was never committed, otherwise its number would not have been reused.
  const auto found = std::find_if(found_.rbegin(), found_.rend(),
                                  [&](const FoundMode& one) { return one.entry.number == number && fits(one.entry); });
  return found != found_.rend() ? std::optional(Kept{number, found->entry, false}) : std::nullopt;
}

void SetRepair::choose() {
  std::uint64_t end = end_of(blocks_.front().offset, blocks_.front().room * entry_bytes_ + Block::head_bytes);
  std::vector<std::uint64_t> lost;
  bool is_cut = false;
  for (Slots& slots : blocks_) {
    for (std::uint64_t k = 0; k < slots.room; ++k) {
      const bool is_known = k < slots.entries.size();
      if (!is_known && slots.count) break;
      const std::uint64_t number = slots.first + k;
      auto kept = choose(number, is_known ? slots.entries[static_cast<std::size_t>(k)] : std::nullopt, end);
      if (!is_known && !kept) break;
      stated_ = number + 1;
      // In a set of coefficients the modes of the basis come first, and all others need them.
      const bool lacks_basis = !lost.empty() && lost.front() < description_.coherence.basis;
      if (!kept || lacks_basis) {
        lost.push_back(number);
        const std::optional<Entry> entry = is_known ? slots.entries[static_cast<std::size_t>(k)] : std::nullopt;
        is_cut = is_cut || (entry && entry->offset + payload_of(*entry).length > file_.size());
        continue;
      }
      end = record_of(kept->entry) + entry_bytes_ + lime::padding(entry_bytes_);
      kept_.push_back(*std::move(kept));
    }
  }
  for (std::size_t i = 0; i < lost.size();) {
    std::size_t j = i + 1;
    while (j < lost.size() && lost[j] == lost[j - 1] + 1) ++j;
    tell_lost(lost[i], lost[j - 1],
              is_cut ? fmt::format("the file ends at byte {}, before the end of their data", file_.size())
                     : "neither the index nor a record states where they are");
    i = j;
  }
  if (goes_on_) {
    tell(Severity::error, Code::truncated, "repair-modes-lost", type::index, blocks_.back().offset,
         fmt::format("modes from {} on are lost: the index continues in a missing block", stated_));
    missing_.push_back(fmt::format("the former modes {} and higher", stated_));
  }
}

void SetRepair::tell_lost(std::uint64_t first, std::uint64_t last, const std::string& why) {
  const bool is_one = first == last;
  std::string message = is_one ? fmt::format("mode {} is lost and omitted", first)
                               : fmt::format("modes {} to {} are lost and omitted", first, last);
  message += fmt::format(": {}", why);
  missing_.push_back(is_one ? fmt::format("the former mode {}", first)
                            : fmt::format("the former modes {} to {}", first, last));
  const bool moves = !kept_.empty() && kept_.back().number > last;
  if (moves) message += fmt::format("; the modes after {} get lower numbers", is_one ? "it" : "them");
  tell(Severity::error, Code::truncated, "repair-modes-lost", type::data, file_.size(), std::move(message));
}

// Bytes between the pieces of the set: from the last on, so that those before them keep their positions.
void SetRepair::leave_out_gaps() {
  std::vector<OwnBytes> pieces{{0, end_of(lime::header_bytes, document_bytes_)}};
  for (const Slots& slots : blocks_) {
    pieces.push_back(
        {slots.offset - lime::header_bytes, end_of(slots.offset, Block::head_bytes + slots.room * entry_bytes_)});
  }
  for (const Kept& one : kept_) {
    pieces.push_back({one.entry.offset - lime::header_bytes, end_of(record_of(one.entry), entry_bytes_)});
  }
  std::ranges::sort(pieces, {}, &OwnBytes::begin);
  const std::uint64_t size = file_.size();
  if (pieces.back().end < size) leave_out(pieces.back().end, size);
  for (std::size_t i = pieces.size(); i-- > 1;) {
    const std::uint64_t begin = pieces[i - 1].end, end = pieces[i].begin;
    if (end <= begin) continue;
    leave_out(begin, end);
    for (Slots& slots : blocks_) slots.offset -= slots.offset >= end ? end - begin : 0;
    for (Kept& one : kept_) one.entry.offset -= one.entry.offset >= end ? end - begin : 0;
  }
  const std::uint64_t needed = pieces.back().end;
  std::uint64_t last = 0;
  for (const Kept& one : kept_) last = std::max(last, end_of(record_of(one.entry), entry_bytes_));
  for (const Slots& one : blocks_) {
    last = std::max(last, end_of(one.offset, Block::head_bytes + one.room * entry_bytes_));
  }
  if (needed > size && last > file_.size()) file_.append_zeros(last - file_.size());
}

void SetRepair::leave_out(std::uint64_t begin, std::uint64_t end) {
  bool holds_modes = false;
  for (const FoundMode& one : found_) {
    if (one.entry.offset < begin || one.end > end) continue;
    const bool is_kept =
        std::ranges::any_of(kept_, [&](const Kept& kept) { return kept.entry.number == one.entry.number; });
    holds_modes = true;
    const auto& value = one.entry.mode.eigenvalue;
    tell(Severity::error, Code::malformed, "repair-modes-uncommitted", type::data, one.entry.offset,
         fmt::format(
             "omitted: a vector with eigenvalue {}{}, which the index does not list: its append was not completed{}",
             value.real(), value.imag() == 0 ? "" : fmt::format(" {:+}i", value.imag()),
             is_kept ? fmt::format(", and mode {} is another one", one.entry.number) : ""));
  }
  file_.replace(begin, end - begin, {});
  // A damaged index may lack committed modes.
  Finding finding{.severity = is_whole_ ? Severity::warning : Severity::error,
                  .code = is_whole_ ? Code::ok : Code::malformed,
                  .rule = "repair-left-out",
                  .message = fmt::format("omitted: {} bytes{}", end - begin,
                                         holds_modes ? ""
                                         : is_whole_ ? " that belong to no mode of the index"
                                                     : "; the index is damaged, and they may hold modes")};
  finding.offset = begin;
  finding.length = end - begin;
  done_.add(std::move(finding));
  if (!is_whole_ && !holds_modes && missing_.empty()) {
    missing_.push_back(fmt::format("perhaps the contents of {} bytes", end - begin));
  }
}

// Otherwise the new set would not mention its losses. Everything after the description moves.
void SetRepair::mark() {
  if (missing_.empty()) return;
  put_header(lime::header_bytes, type::head, document_bytes_, true, false);
  constexpr std::size_t most_listed = 4;
  if (missing_.size() > most_listed) {
    missing_.resize(most_listed);
    missing_.emplace_back("and more");
  }
  const std::string marked =
      with_unproven(base::as_text(read(file_, lime::header_bytes, document_bytes_)),
                    fmt::format("since a repair modes are missing: {}", fmt::join(missing_, ", ")));
  const base::Bytes bytes = base::as_bytes(marked);
  std::vector<std::byte> padded(bytes.begin(), bytes.end());
  padded.resize(bytes.size() + lime::padding(bytes.size()));
  const std::uint64_t before = document_bytes_ + lime::padding(document_bytes_), moved = padded.size() - before;
  file_.replace(lime::header_bytes, before, padded);
  document_bytes_ = bytes.size();
  file_.replace(0, lime::header_bytes, header_of(type::head, document_bytes_, true, false));
  for (Slots& slots : blocks_) slots.offset += moved;
  for (Kept& one : kept_) one.entry.offset += moved;
  is_marked_ = true;
  tell(Severity::warning, Code::ok, "repair-modes-marked", type::head, 0,
       "the description of the new set states that modes are missing, so it is called unproven");
}

bool SetRepair::put(std::uint64_t offset, base::Bytes bytes) {
  if (read(file_, offset, bytes.size()) == std::vector<std::byte>(bytes.begin(), bytes.end())) return false;
  file_.replace(offset, bytes.size(), bytes);
  return true;
}

// The header of a record, and the zeros after its payload.
void SetRepair::put_header(std::uint64_t offset, std::string_view type, std::uint64_t bytes, bool begins, bool ends) {
  const lime::HeaderBytes right = header_of(type, bytes, begins, ends);
  const std::uint64_t at = offset - lime::header_bytes;
  if (put(at, right)) {
    tell(Severity::warning, Code::ok, "repair-header", type, at, "its header was repaired");
  }
  constexpr std::array<std::byte, 8> zeros{};
  if (put(offset + bytes, base::Bytes(zeros).first(static_cast<std::size_t>(lime::padding(bytes))))) {
    tell(Severity::warning, Code::ok, "repair-padding", type, at, "its padding was repaired");
  }
}

void SetRepair::write() {
  put_header(lime::header_bytes, type::head, document_bytes_, true, false);
  const std::vector<std::byte> nothing(static_cast<std::size_t>(entry_bytes_));
  bool changes_index = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Slots& slots = blocks_[b];
    const bool is_first = b == 0;
    put_header(slots.offset, type::index, Block::head_bytes + slots.room * entry_bytes_, !is_first, true);
    const std::uint64_t modes = kept_.size(),
                        count = modes > slots.first ? std::min(modes - slots.first, slots.room) : 0;
    const std::uint64_t next = b + 1 < blocks_.size() ? blocks_[b + 1].offset : 0;
    changes_index =
        put(slots.offset, encode(Block{entry_bytes_, slots.room, slots.first, count, next})) || changes_index;
    for (std::uint64_t k = 0; k < slots.room && slots.first + k < std::max(stated_, modes); ++k) {
      const std::uint64_t number = slots.first + k;
      std::vector<std::byte> bytes = nothing;
      if (number < modes) {
        Entry entry = kept_[static_cast<std::size_t>(number)].entry;
        entry.number = number;
        bytes = encode(entry, description_);
      }
      changes_index = put(slots.offset + Block::head_bytes + k * entry_bytes_, bytes) || changes_index;
    }
  }
  if (changes_index) {
    tell(Severity::warning, Code::ok, "repair-modes-index", type::index, blocks_.front().offset - lime::header_bytes,
         fmt::format("the index was rebuilt for {} modes", kept_.size()));
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    Entry entry = kept_[k].entry;
    entry.number = k;
    const std::uint64_t at = record_of(entry);
    put_header(entry.offset, entry.is_whole() ? type::data : type::coefficients, payload_of(entry).length, true, false);
    put_header(at, type::mode, entry_bytes_, false, true);
    if (!put(at, encode(entry, description_)) || !kept_[k].is_of_index || is_marked_) continue;
    tell(Severity::warning, Code::ok, "repair-modes-record", type::mode, at - lime::header_bytes,
         fmt::format("the record of mode {} was rewritten from the index", k));
  }
}

}  // namespace

void mend(base::EditedSource& file, const Limits&, Findings& done) { SetRepair(file, done).run(); }

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums) {
  const Head head = read_head(file);
  const auto number = static_cast<std::uint64_t>(&entry - catalog.fields.data());
  const std::vector<std::byte> bytes =
      encode(Entry{number, entry.payload.offset, mode_of(entry.metadata), sums.sums}, head.description);
  replace(file, catalog.records.at(static_cast<std::size_t>(entry.record) + 1).offset, bytes);
  for (const PlacedBlock& at : head.blocks) {
    if (number < at.block.first || number >= at.block.first + at.block.count) continue;
    replace(file, at.offset + Block::head_bytes + (number - at.block.first) * at.block.entry_bytes, bytes);
  }
}

}  // namespace lq::format::modes
