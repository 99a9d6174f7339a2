// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the checks decides which code a damaged file gets; tests/golden/bad fixes it.
#include "format/lime/walk.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/format.hpp"

namespace lq::format::lime {
namespace {

// After the last message a lost header is followed by its text, then by the next header.
constexpr std::size_t searched_behind = 1 << 20;

// Begins like a header, except for at most one byte.
bool begins_header(base::Bytes rest) noexcept {
  constexpr std::array<std::byte, 6> start{std::byte{0x45}, std::byte{0x67}, std::byte{0x89},
                                           std::byte{0xab}, std::byte{0},    std::byte{version}};
  const std::size_t seen = std::min(rest.size(), start.size());
  std::size_t others = 0;
  for (std::size_t i = 0; i < seen; ++i) others += rest[i] != start[i] ? 1 : 0;
  return others == 0 || (others == 1 && seen > 2);
}

bool is_filler(base::Bytes bytes) noexcept {
  return std::ranges::all_of(base::as_text(bytes),
                             [](char c) { return c == '\0' || c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
}

std::string shown(base::Bytes bytes) {
  return base::printable(base::as_text(bytes.first(std::min<std::size_t>(bytes.size(), 16))));
}

std::string hex(base::Bytes bytes) {
  std::string text;
  for (std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 4))) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(b));
  }
  return text;
}

}  // namespace

bool Walker::stop() noexcept {
  done_ = true;
  return false;
}

void Walker::report(Severity severity, Code code, const char* rule, std::string message, std::string expected,
                    std::string found) {
  Finding finding;
  finding.severity = severity;
  finding.code = severity == Severity::error ? code : Code::ok;
  finding.rule = rule;
  finding.message = std::move(message);
  finding.offset = next_;
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  findings_.add(std::move(finding));
}

bool Walker::next(Record& record) {
  if (done_) return false;
  if (next_ >= file_.size()) return stop();
  const base::Bytes bytes = file_.view(next_, header_bytes);
  const bool is_header = has_magic(bytes) || (ignores_magic_ && resembles_header(bytes));
  if (bytes.size() < header_bytes || !is_header) return end_of_chain(bytes);
  if (count_ == limits_.records) {
    inside_message_ = false;
    report(Severity::error, Code::too_large, "lime-too-many-records",
           fmt::format("more than {} records; raise the limit on records to read on", limits_.records),
           fmt::format("at most {} records", limits_.records));
    return stop();
  }
  header_ = decode(bytes.first<header_bytes>());
  return accept(record, bytes);
}

// Anything that is not a header ends the chain of records; `rest` holds its first bytes, at most those of a header.
bool Walker::end_of_chain(base::Bytes rest) {
  const bool is_short = rest.size() < header_bytes;
  if (count_ > 0 && is_short && is_filler(rest)) {
    report_trailing(fmt::format("{} bytes of white space or NULs follow the last record", rest.size()));
  } else if (is_short && (!last_me_ || begins_header(rest))) {
    truncated_ = true;
    report(Severity::error, Code::truncated, "lime-header-truncated",
           fmt::format("the file ends {} bytes into a record header; copy it again from its source", rest.size()),
           fmt::format("{} bytes", header_bytes), fmt::format("{} bytes", rest.size()));
  } else {
    stale_or_damaged(rest);
  }
  return stop();
}

void Walker::stale_or_damaged(base::Bytes rest) {
  const std::string found = fmt::format("{} ({})", hex(rest), shown(rest));
  // formats/lime.md 6.5: programs that reopen a longer file without truncating leave old contents at its end.
  if (last_me_ && !resembles_header(rest)) {
    report_trailing(
        fmt::format("{} bytes after the last message are not a record; they may be left from an older, longer file",
                    file_.size() - next_),
        found);
    return check_end();
  }
  inside_message_ = false;  // where it would have ended is unknown
  report(Severity::error, Code::malformed, "lime-magic",
         fmt::format("no record header here: the bytes are {}, but a header begins with 45 67 89 ab", found),
         "45 67 89 ab", found);
}

void Walker::report_trailing(const std::string& what, std::string found) {
  if (is_closed_) {
    report(Severity::error, Code::ok, "lime-trailing-bytes",
           what + ", and files of this format end with it: a header was lost, or bytes were added", {},
           std::move(found));
  } else {
    report(Severity::warning, Code::ok, "lime-trailing-bytes", what, {}, std::move(found));
  }
}

// If a header follows other bytes, the header before it was lost, with a message, or these are old
// contents that have headers of their own: this cannot be decided.
void Walker::check_end() {
  if (!looks_for_losses_) return;
  std::vector<std::byte> bytes(searched_behind);
  bytes.resize(file_.file().read_at(next_, bytes));
  const base::Bytes all = bytes;
  for (std::size_t at = 1; at + header_bytes <= all.size(); ++at) {
    const base::Bytes candidate = all.subspan(at, header_bytes);
    if (!has_magic(candidate) || !resembles_header(candidate)) continue;
    report(Severity::error, Code::ok, "lime-records-lost",
           fmt::format("bytes after the last message are not a record, but a record \"{}\" follows them at byte {}: "
                       "the headers in between are damaged and their records are lost, or the end of an older, longer "
                       "file follows this one; use a good copy",
                       decode(candidate.first<header_bytes>()).type, next_ + at));
    return;
  }
}

bool Walker::accept(Record& record, base::Bytes header) {
  ++count_;
  record = record_of(header_, next_);
  count_message(record);
  if (header_.version != version) {
    findings_.error(Code::malformed, "lime-version", record,
                    fmt::format("LIME version {}, but only version {} is known", header_.version, version),
                    fmt::format("{}", version), fmt::format("{}", header_.version));
  }
  if (!header_.type_terminated) {
    findings_.warning("lime-type-unterminated", record,
                      "the type fills all 128 bytes, so no NUL ends it; it is read as 128 characters");
  } else if (header_.type.empty()) {
    findings_.error(
        Code::ok, "lime-type-empty", record,
        "the record has no type: its header is damaged, and what it holds is not found; copy the file again "
        "from its source");
  }
  if (looks_for_losses_) check_type(record, header);
  return check_length(record);
}

// Readers skip a record of unknown type, and therefore one with a damaged type.
void Walker::check_type(const Record& record, base::Bytes header) {
  const auto field = header.subspan<type_offset, type_bytes>();
  const std::string_view meant = near_type(field, known_record_types());
  if (meant.empty() && base::printable_text(record.type) != record.type) {
    findings_.error(Code::ok, "lime-type-damaged", record,
                    "its type is not a text: its header is damaged, and its contents unrecognised; copy the file again "
                    "from its source");
  }
  if (meant.empty()) return;
  findings_.error(
      Code::ok, "lime-type-damaged", record,
      fmt::format(
          "\"{}\" is not a known type, but one or two letters away from \"{}\"; `lq repair` repairs a damaged letter",
          base::printable(record.type), meant),
      std::string(meant), base::printable(record.type));
}

bool Walker::check_length(const Record& record) {
  const std::uint64_t length = record.data_length;
  const std::uint64_t left = file_.size() - record.offset;  // at least 0: the header was read
  if (length >= length_limit) {
    inside_message_ = false;
    findings_.error(Code::malformed, "lime-length", record,
                    fmt::format("a length of {} bytes, but lengths are below 2^63", length), "below 2^63",
                    fmt::format("{}", length));
    done_ = true;
    return true;
  }
  if (length > left) {
    truncated_ = true;
    findings_.error(Code::truncated, "lime-payload-truncated", record,
                    fmt::format("the record holds {} bytes, but the file ends after {} of them; copy it again from its "
                                "source",
                                length, left),
                    fmt::format("{} bytes", length), fmt::format("{} bytes", left));
    done_ = true;
    return true;
  }
  if (padding(length) > left - length) {
    findings_.warning("lime-padding-missing", record,
                      fmt::format("the file ends {} bytes before the padding of the last record does",
                                  padding(length) - (left - length)));
    done_ = true;
    return true;
  }
  next_ = record.offset + length + padding(length);
  return true;
}

// formats/lime.md 3: MB opens a message, ME closes it. If they contradict each other, the record is kept and
// a new message is counted from the stronger hint.
void Walker::count_message(Record& record) {
  const bool expected_mb = count_ == 1 || last_me_;
  if (record.mb_flag || expected_mb) {
    ++message_;
    number_ = 0;
  }
  record.message = message_;
  record.number = ++number_;
  if (record.mb_flag && !expected_mb) {
    findings_.warning("lime-message-end", record,
                      "this record begins a message (MB), but the previous one was not ended (ME)");
  } else if (!record.mb_flag && expected_mb) {
    findings_.warning("lime-message-begin", record,
                      count_ == 1 ? "the first record of the file does not begin a message (MB)"
                                  : "the previous record ended a message (ME), but this one does not begin one (MB)");
  }
  inside_message_ = !record.me_flag && (record.mb_flag || (inside_message_ && !expected_mb));
  last_me_ = record.me_flag;
}

Walk walk(ReadAhead& file, const Limits& limits, Findings& findings, Ending ending) {
  Walk result;
  Walker walker(file, limits, findings);
  walker.look_for_losses(ending == Ending::closed);
  for (Record record; walker.next(record);) result.records.push_back(std::move(record));
  result.truncated = walker.truncated();
  result.inside_message = walker.inside_message();
  return result;
}

bool has_record(base::ByteSource& file, const std::function<bool(std::string_view type)>& wanted) {
  ReadAhead window(file);
  const Limits limits;
  Findings findings;
  Walker walker(window, limits, findings);
  walker.ignore_magic();
  for (Record record; walker.next(record);) {
    if (wanted(record.type)) return true;
  }
  return false;
}

}  // namespace lq::format::lime
