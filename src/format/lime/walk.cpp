// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of the checks decides which code a damaged file gets; tests/golden/bad pins it.
#include "format/lime/walk.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::format::lime {
namespace {

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
  return accept(record);
}

// Whatever is no header ends the chain of records; `rest` holds its first bytes, at most those of a header.
bool Walker::end_of_chain(base::Bytes rest) {
  if (count_ > 0 && rest.size() < header_bytes && is_filler(rest)) {
    report(Severity::warning, Code::ok, "lime-trailing-bytes",
           fmt::format("{} bytes of white space or NULs follow the last record", rest.size()));
  } else if (rest.size() < header_bytes) {
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
  // formats/lime.md 6.5: programs that reopen a longer file without truncating leave old contents behind.
  if (last_me_ && !resembles_header(rest)) {
    report(Severity::warning, Code::ok, "lime-trailing-bytes",
           fmt::format("{} bytes behind the last message are no record; a writer may have left them from an older, "
                       "longer file",
                       file_.size() - next_),
           {}, found);
    return;
  }
  inside_message_ = false;  // where it would have ended is unknown
  report(Severity::error, Code::malformed, "lime-magic",
         fmt::format("no record header here: the bytes are {}, but a header begins with 45 67 89 ab", found),
         "45 67 89 ab", found);
}

bool Walker::accept(Record& record) {
  ++count_;
  record = Record{};
  record.type = header_.type;
  record.mb_flag = header_.mb_flag;
  record.me_flag = header_.me_flag;
  record.header_offset = next_;
  record.offset = next_ + header_bytes;
  record.data_length = header_.data_length;
  count_message(record);
  if (header_.version != version) {
    findings_.error(Code::malformed, "lime-version", record,
                    fmt::format("LIME version {}, but only version {} is known", header_.version, version),
                    fmt::format("{}", version), fmt::format("{}", header_.version));
  }
  if (!header_.type_terminated) {
    findings_.warning("lime-type-unterminated", record,
                      "the type fills all 128 bytes, so that no NUL ends it; it is read as 128 characters");
  } else if (header_.type.empty()) {
    findings_.warning("lime-type-empty", record, "the record has no type");
  }
  return check_length(record);
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

// formats/lime.md 3: MB opens a message, ME closes it. Where they contradict each other, the record is kept and
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
                      "this record begins a message (MB), but the one before it was not ended (ME)");
  } else if (!record.mb_flag && expected_mb) {
    findings_.warning("lime-message-begin", record,
                      count_ == 1 ? "the first record of the file does not begin a message (MB)"
                                  : "the record before this one ended a message (ME), but this one begins none (MB)");
  }
  inside_message_ = !record.me_flag && (record.mb_flag || (inside_message_ && !expected_mb));
  last_me_ = record.me_flag;
}

Walk walk(ReadAhead& file, const Limits& limits, Findings& findings) {
  Walk result;
  Walker walker(file, limits, findings);
  for (Record record; walker.next(record);) result.records.push_back(std::move(record));
  result.truncated = walker.truncated();
  result.inside_message = walker.inside_message();
  return result;
}

}  // namespace lq::format::lime
