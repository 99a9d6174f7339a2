// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First along the chain of headers, then flags, which need the whole chain.
#include "format/lime/lime_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/lime/header.hpp"

namespace lq::format::lime {
namespace {

constexpr std::size_t block_bytes = 1 << 20;  // searched at a time
constexpr std::uint64_t longest_document = 1 << 20;
constexpr std::uint64_t flags_offset = 6;
constexpr std::uint64_t length_offset = 8;

std::uint64_t left_behind(const base::EditedSource& file, const Record& record) { return file.size() - record.offset; }

std::uint64_t end_of(const Record& record) { return record.offset + record.data_length + padding(record.data_length); }

int differing_bytes(std::uint64_t a, std::uint64_t b) noexcept {
  int count = 0;
  for (std::uint64_t change = a ^ b; change != 0; change >>= 8) count += (change & 0xff) != 0 ? 1 : 0;
  return count;
}

std::byte flags_of(const Record& record) noexcept {
  return static_cast<std::byte>((record.mb_flag ? mb_mask : 0U) | (record.me_flag ? me_mask : 0U));
}

class HeaderRepair {
 public:
  HeaderRepair(base::EditedSource& file, const RepairRules& rules, Findings& done)
      : file_(file), rules_(rules), done_(done) {}

  RepairedHeaders run();

 private:
  std::size_t read_header(std::uint64_t offset, HeaderBytes& bytes) { return file_.read_at(offset, bytes); }
  bool stands_header_at(std::uint64_t offset);
  std::optional<std::uint64_t> next_header(std::uint64_t from);
  void mend_header(std::uint64_t at, HeaderBytes& bytes);
  std::string_view mended_type(base::Bytes field) const;
  bool mend_length(Record& record);
  std::optional<std::uint64_t> length_up_to(const Record& record, std::uint64_t next);
  bool is_text(std::uint64_t offset, std::uint64_t end);
  bool is_document(std::uint64_t offset, std::uint64_t end);
  void mend_end_of_text(Record& record, std::uint64_t behind);
  std::uint64_t with_nul(std::uint64_t end, std::uint64_t limit) const;
  void learn_from(const Record& record);
  std::uint64_t last_byte_before(std::uint64_t offset, std::uint64_t begin);
  void set_length(Record& record, std::uint64_t length);
  void mend_padding(const Record& record);
  void leave_out(std::uint64_t from, const std::string& what, bool may_be_records);
  void name_lost_records(std::uint64_t from);
  void mend_flags();
  bool are_shown(std::size_t i, bool ends) const;
  void doubt(std::uint64_t record, std::string what, bool is_of_contents = true) {
    result_.doubts.push_back({record, std::move(what), is_of_contents});
  }
  void say(const char* rule, const Record& record, std::string message) {
    done_.warning(rule, record, std::move(message));
  }

  base::EditedSource& file_;
  const RepairRules& rules_;
  Findings& done_;
  RepairedHeaders result_;
  bool texts_end_with_nul_ = true;
};

// A whole header, except for damage that mend_header() repairs.
bool HeaderRepair::stands_header_at(std::uint64_t offset) {
  HeaderBytes bytes;
  return read_header(offset, bytes) == header_bytes && (has_magic(bytes) || resembles_header(bytes));
}

// Headers are at multiples of 8; an intact one does not occur in data by accident.
std::optional<std::uint64_t> HeaderRepair::next_header(std::uint64_t from) {
  std::vector<std::byte> block(block_bytes + header_bytes);
  for (std::uint64_t at = from; at < file_.size(); at += block_bytes) {
    const base::Bytes held = base::Bytes(block).first(file_.read_at(at, block));
    for (std::size_t i = 0; i < block_bytes && i + header_bytes <= held.size(); i += 8) {
      const base::Bytes candidate = held.subspan(i, header_bytes);
      if (has_magic(candidate) && resembles_header(candidate)) return at + i;
    }
  }
  return std::nullopt;
}

// The only known type that differs from these 128 bytes in a single byte; empty: none, or it is known.
std::string_view HeaderRepair::mended_type(base::Bytes field) const {
  std::string_view near;
  for (const std::string_view type : rules_.types) {
    std::size_t differing = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const char right = i < type.size() ? type[i] : '\0';
      differing += field[i] != static_cast<std::byte>(right) ? 1 : 0;
    }
    if (differing == 0) return {};
    if (differing == 1) near = type;
  }
  return near;
}

void HeaderRepair::mend_header(std::uint64_t at, HeaderBytes& bytes) {
  Header header = decode(bytes);
  std::vector<std::string> mended;
  if (!has_magic(bytes)) mended.emplace_back("the magic number");
  if (header.version != version) mended.push_back(fmt::format("the version, which was {}", header.version));
  if (header.reserved_flags != 0 || header.reserved != 0) mended.emplace_back("reserved bits");
  const base::Bytes type_field = base::Bytes(bytes).subspan(type_offset, type_bytes);
  const HeaderBytes before = bytes;
  if (const std::string_view type = mended_type(type_field); !type.empty()) {
    mended.push_back(fmt::format("the type, which was \"{}\"", base::printable(header.type)));
    header.type = type;
  } else if (header.type_terminated && !header.type_tail_is_zero) {
    mended.emplace_back("bytes after the end of the type");
  }
  if (mended.empty()) return;
  header.version = version;
  header.reserved_flags = 0;
  header.reserved = 0;
  const HeaderBytes right = encode_unchecked(header);
  // A type without its NUL is longer than encode_unchecked() accepts.
  const std::size_t changed = header.type.size() > type_limit ? type_offset : header_bytes;
  std::copy_n(right.begin(), changed, bytes.begin());
  file_.replace(at, changed, base::Bytes(right).first(changed));
  // Damage that reaches an end of the header may go on in the contents before or behind it.
  const auto is_known = [&] { return std::ranges::find(rules_.types, header.type) != rules_.types.end(); };
  if (before.front() != bytes.front() && !result_.records.empty()) {
    doubt(result_.records.back().header_offset, "the header behind it was damaged from its first byte on");
  }
  if (before.back() != bytes.back()) doubt(at, "its header was damaged up to its last byte");
  if (!header.type_tail_is_zero && !is_known()) doubt(at, "its type may be longer than what was left of it", false);
  Record record;
  record.type = header.type;
  record.header_offset = at;
  say("repair-header", record, fmt::format("repaired in its header: {}", fmt::join(mended, ", ")));
}

// Offset after the last nonzero byte in begin .. offset-1.
std::uint64_t HeaderRepair::last_byte_before(std::uint64_t offset, std::uint64_t begin) {
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (offset > begin) {
    const std::uint64_t from = offset - std::min<std::uint64_t>(offset - begin, block.size());
    const auto wanted = static_cast<std::size_t>(offset - from);
    std::size_t end = file_.read_at(from, base::MutableBytes(block).first(wanted));
    while (end > 0 && block[end - 1] == std::byte{0}) --end;
    if (end > 0) return from + end;
    offset = from;
  }
  return begin;
}

// The length of a record whose padding ends where the next header begins.
std::optional<std::uint64_t> HeaderRepair::length_up_to(const Record& record, std::uint64_t next) {
  const std::uint64_t padded = next - record.offset;
  const std::uint64_t used = last_byte_before(next, record.offset) - record.offset;
  std::vector<std::uint64_t> near;
  for (std::uint64_t length = padded - std::min<std::uint64_t>(padded, 7); length <= padded; ++length) {
    if (length >= used && differing_bytes(length, record.data_length) == 1) near.push_back(length);
  }
  if (near.size() == 1) return near.front();
  const bool impossible = record.data_length >= length_limit || record.data_length > left_behind(file_, record);
  if (near.empty() && !impossible) return std::nullopt;
  const bool is_words = is_text(record.offset, record.offset + used);
  const std::uint64_t likely = is_words ? with_nul(used, padded) : padded;
  // Not all texts of a file end the same way: this one without a NUL, if that makes the damage a single flipped bit.
  const auto is_flip = [&](std::uint64_t length) { return std::popcount(length ^ record.data_length) == 1; };
  if (is_words && is_flip(used) && !is_flip(likely) && std::ranges::find(near, used) != near.end()) return used;
  return near.empty() || std::ranges::find(near, likely) != near.end() ? likely : near.back();
}

// A complete XML document.
bool HeaderRepair::is_document(std::uint64_t offset, std::uint64_t end) {
  if (end <= offset || end - offset > longest_document) return false;
  std::string text(static_cast<std::size_t>(end - offset), '\0');
  if (file_.read_at(offset, std::as_writable_bytes(std::span(text))) < text.size()) return false;
  if (!text.starts_with('<')) return false;
  try {
    (void)base::xml::parse(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool HeaderRepair::is_text(std::uint64_t offset, std::uint64_t end) {
  if (end <= offset || end - offset > longest_document) return false;
  std::vector<std::byte> bytes(static_cast<std::size_t>(end - offset));
  return file_.read_at(offset, bytes) == bytes.size() && std::ranges::all_of(bytes, [](std::byte b) {
           return b >= std::byte{' '} ? b != std::byte{0x7f} : b >= std::byte{'\t'} && b <= std::byte{'\r'};
         });
}

// The end of a text whose last nonzero byte is at end-1: most programs count a NUL in all their texts, or in none.
std::uint64_t HeaderRepair::with_nul(std::uint64_t end, std::uint64_t limit) const {
  return std::min(end + (texts_end_with_nul_ ? 1 : 0), limit);
}

void HeaderRepair::learn_from(const Record& record) {
  std::array<std::byte, 1> last{};
  if (record.data_length < 2 || !is_text(record.offset, record.offset + record.data_length - 1)) return;
  if (file_.read_at(record.offset + record.data_length - 1, last) == 0) return;
  texts_end_with_nul_ = last[0] == std::byte{0};
}

void HeaderRepair::set_length(Record& record, std::uint64_t length) {
  std::array<std::byte, 8> bytes{};
  base::store_be(bytes.data(), length);
  say("repair-length", record,
      fmt::format("its length was {}; the records that follow show that it is {}", record.data_length, length));
  file_.replace(record.header_offset + length_offset, bytes.size(), bytes);
  doubt(record.header_offset, fmt::format("its length was {} and is now {}", record.data_length, length));
  record.data_length = length;
}

// False: the record ends early, or its end is unknown.
bool HeaderRepair::mend_length(Record& record) {
  const std::uint64_t left = left_behind(file_, record);
  const bool fits = record.data_length < length_limit && record.data_length <= left;
  const std::uint64_t behind = fits ? std::min(end_of(record), file_.size()) : 0;
  const bool is_last = fits && last_byte_before(file_.size(), behind) == behind && file_.size() - behind < header_bytes;
  if (fits && (is_last || stands_header_at(behind))) {
    mend_end_of_text(record, behind);
    return true;
  }
  if (const auto next = next_header(record.offset)) {
    if (const auto length = length_up_to(record, *next)) {
      set_length(record, *length);
      return true;
    }
    return fits;
  }
  if (fits && is_document(record.offset, record.offset + record.data_length)) return true;
  const std::uint64_t end = last_byte_before(file_.size(), record.offset);
  if (is_document(record.offset, end)) {
    set_length(record, with_nul(end - record.offset, left));
    return true;
  }
  if (fits) return true;
  result_.is_cut = true;
  return false;
}

// A text that continues in what would be padding by its length.
void HeaderRepair::mend_end_of_text(Record& record, std::uint64_t behind) {
  const std::uint64_t end = last_byte_before(behind, record.offset);
  if (end <= record.offset + record.data_length || !is_document(record.offset, end)) return;
  if (is_document(record.offset, record.offset + record.data_length)) return;
  set_length(record, with_nul(end - record.offset, behind - record.offset));
}

void HeaderRepair::mend_padding(const Record& record) {
  const std::uint64_t at = record.offset + record.data_length;
  const std::uint64_t wanted = padding(record.data_length);
  std::array<std::byte, 8> bytes{};
  const std::size_t held = file_.read_at(at, base::MutableBytes(bytes).first(static_cast<std::size_t>(wanted)));
  const bool is_zero = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
  if (held == wanted && is_zero) return;
  constexpr std::array<std::byte, 8> zeros{};
  file_.replace(at, held, base::Bytes(zeros).first(static_cast<std::size_t>(wanted)));
  doubt(record.header_offset, "the padding behind it was damaged");
  say("repair-padding", record, held < wanted ? "the padding after it was missing" : "its padding held other bytes");
}

// Anything that may have been a record is lost.
void HeaderRepair::leave_out(std::uint64_t from, const std::string& what, bool may_be_records) {
  Finding finding;
  finding.severity = may_be_records ? Severity::error : Severity::warning;
  finding.code = may_be_records ? Code::truncated : Code::ok;
  finding.rule = "repair-left-out";
  finding.offset = from;
  finding.length = file_.size() - from;
  finding.message = fmt::format("omitted: {} bytes, {}", *finding.length, what);
  file_.replace(from, *finding.length, {});
  if (!may_be_records && !result_.records.empty()) {
    doubt(result_.records.back().header_offset, "bytes behind it were omitted");
  }
  done_.add(std::move(finding));
}

// Nothing is made of them, and the record before still says that they are missing.
void HeaderRepair::name_lost_records(std::uint64_t from) {
  result_.is_broken = true;
  Finding finding;
  finding.severity = Severity::error;
  finding.code = Code::malformed;
  finding.rule = "repair-lost";
  finding.offset = from;
  finding.length = file_.size() - from;
  finding.message = fmt::format(
      "no header is here, although the previous record announces one: the contents of these {} bytes are lost",
      *finding.length);
  done_.add(std::move(finding));
}

// True if only a damaged flag explains that record i-1 and record i contradict each other. If a record between them is
// lost, their flags look the same, but for types that are always first or last.
bool HeaderRepair::are_shown(std::size_t i, bool ends) const {
  const std::vector<Record>& records = result_.records;
  const auto is_in = [](std::span<const std::string_view> types, const Record& record) {
    return std::ranges::find(types, record.type) != types.end();
  };
  if (i == 0) return is_in(rules_.first_types, records.front());
  if (i == records.size()) return is_in(rules_.last_types, records.back());
  const Record &before = records[i - 1], &after = records[i];
  if (ends) return is_in(rules_.last_types, before) && is_in(rules_.first_types, after);
  return before.me_flag ? is_in(rules_.first_types, before) : is_in(rules_.last_types, after);
}

void HeaderRepair::mend_flags() {
  constexpr const char* lost = "a record next to it may be lost: the flags of messages contradict each other";
  std::vector<Record>& records = result_.records;
  std::vector<std::byte> before;
  for (const Record& record : records) before.push_back(flags_of(record));
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    if (records[i].me_flag == records[i + 1].mb_flag) continue;
    const bool ends = !rules_.ends_message || rules_.ends_message(records, i);
    if (!are_shown(i + 1, ends)) doubt(records[i].header_offset, lost, false);
    records[i].me_flag = ends;
    records[i + 1].mb_flag = ends;
  }
  const bool has_end = !result_.is_cut && !result_.is_broken;
  if (!records.empty()) {
    if (!records.front().mb_flag && !are_shown(0, true)) doubt(records.front().header_offset, lost, false);
    records.front().mb_flag = true;
    if (has_end && !records.back().me_flag && !are_shown(records.size(), true)) {
      doubt(records.back().header_offset, lost, false);
    }
    if (has_end) records.back().me_flag = true;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::byte flags = flags_of(records[i]);
    if (flags == before[i]) continue;
    file_.replace(records[i].header_offset + flags_offset, 1, base::Bytes(&flags, 1));
    say("repair-flags", records[i],
        fmt::format("its message flags contradicted its neighbours; it now {} and {} a message",
                    records[i].mb_flag ? "begins (MB)" : "does not begin",
                    records[i].me_flag ? "ends (ME)" : "does not end"));
  }
}

RepairedHeaders HeaderRepair::run() {
  for (std::uint64_t at = 0; at < file_.size();) {
    HeaderBytes bytes;
    if (read_header(at, bytes) < header_bytes) {
      const bool is_inside = !result_.records.empty() && !result_.records.back().me_flag;
      leave_out(at, "too few for a header after the last record", is_inside);
      break;
    }
    if (!has_magic(bytes) && !resembles_header(bytes)) {
      const bool is_stale = !result_.records.empty() && result_.records.back().me_flag;
      if (is_stale) {
        leave_out(at, "no record; a writer may have left them from an older, longer file", may_hold_records(file_, at));
      } else if (!result_.records.empty()) {
        name_lost_records(at);
      }
      break;
    }
    mend_header(at, bytes);
    Record record = record_of(decode(bytes), at);
    const bool goes_on = mend_length(record);
    if (goes_on) {
      mend_padding(record);
      learn_from(record);
    }
    result_.records.push_back(record);
    if (!goes_on) break;
    at = end_of(record);
  }
  mend_flags();
  return std::move(result_);
}

}  // namespace

RepairedHeaders repair_headers(base::EditedSource& file, const RepairRules& rules, Findings& done) {
  return HeaderRepair(file, rules, done).run();
}

void report(const Doubt& doubt, const Record& record, Findings& done) {
  done.error(Code::malformed, "repair-doubtful", record,
             fmt::format("{}, and no checksum covers what may have changed with it", doubt.what));
}

// At any position: inserted or lost bytes move all headers after them.
bool may_hold_records(base::EditedSource& file, std::uint64_t from) {
  std::array<std::byte, 4> sought{};
  base::store_be(sought.data(), magic);
  std::vector<std::byte> block(block_bytes + sought.size() - 1);
  for (std::uint64_t at = from; at < file.size(); at += block_bytes) {
    const base::Bytes held = base::Bytes(block).first(file.read_at(at, block));
    if (std::search(held.begin(), held.end(), sought.begin(), sought.end()) != held.end()) return true;
  }
  return false;
}

void replace_contents(base::EditedSource& file, const Record& record, std::string_view contents) {
  std::array<std::byte, 8> length{};
  base::store_be(length.data(), std::uint64_t{contents.size()});
  file.replace(record.header_offset + length_offset, length.size(), length);
  std::string padded(contents);
  padded.append(static_cast<std::size_t>(padding(contents.size())), '\0');
  const std::uint64_t held = std::min(end_of(record), file.size()) - record.offset;
  file.replace(record.offset, held, base::as_bytes(padded));
}

void replace_type(base::EditedSource& file, const Record& record, std::string_view type) {
  Header header;
  header.type = type;
  const HeaderBytes bytes = encode(header);
  file.replace(record.header_offset + type_offset, type_bytes, base::Bytes(bytes).subspan(type_offset, type_bytes));
}

void add_record_behind(base::EditedSource& file, const Record& record, std::string_view type,
                       std::string_view contents) {
  Record before = record;
  before.me_flag = false;
  const std::byte flags = flags_of(before);
  file.replace(record.header_offset + flags_offset, 1, base::Bytes(&flags, 1));
  Header header;
  header.me_flag = record.me_flag;
  header.type = type;
  header.data_length = contents.size();
  const HeaderBytes bytes = encode(header);
  std::string added(base::as_text(bytes));
  added += contents;
  added.append(static_cast<std::size_t>(padding(contents.size())), '\0');
  file.replace(end_of(record), 0, base::as_bytes(added));
}

}  // namespace lq::format::lime
