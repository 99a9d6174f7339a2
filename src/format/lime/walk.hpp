// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From record to record through a LIME file (formats/lime.md 4). Nothing in the file is trusted: lengths are
// compared with the file before anything else happens, flags are reported and otherwise ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/lime/header.hpp"
#include "format/record_texts.hpp"

namespace lq::format::lime {

class Walker {
 public:
  Walker(ReadAhead& file, const Limits& limits, Findings& findings)
      : file_(file), limits_(limits), findings_(findings) {}

  // Also counts headers with a wrong magic number.
  void ignore_magic() noexcept { ignores_magic_ = true; }
  // Also reports nearly known types, and headers after other bytes; for a format whose
  // files end with their last message, `is_closed`, any byte after it.
  void look_for_losses(bool is_closed) noexcept {
    looks_for_losses_ = true;
    is_closed_ = is_closed;
  }
  // The next record; false at the end of the file, or if the damage is too great to continue.
  bool next(Record& record);

  // The header of the last record, with more details than in the Record.
  const Header& header() const noexcept { return header_; }
  // The file ends before its last record does.
  bool truncated() const noexcept { return truncated_; }
  // The last message was begun (MB) but not ended (ME).
  bool inside_message() const noexcept { return inside_message_; }

 private:
  bool stop() noexcept;
  bool end_of_chain(base::Bytes rest);
  void stale_or_damaged(base::Bytes rest);
  void report_trailing(const std::string& what, std::string found = {});
  void check_end();
  bool accept(Record& record, base::Bytes header);
  void check_type(const Record& record, base::Bytes header);
  bool check_length(const Record& record);
  void count_message(Record& record);
  void report(Severity severity, Code code, const char* rule, std::string message, std::string expected = {},
              std::string found = {});

  ReadAhead& file_;
  const Limits& limits_;
  Findings& findings_;
  Header header_;
  std::uint64_t next_ = 0;  // offset of the next header
  std::uint64_t count_ = 0;
  std::uint64_t message_ = 0, number_ = 0;
  bool last_me_ = false;
  bool inside_message_ = false;
  bool truncated_ = false;
  bool done_ = false;
  bool ignores_magic_ = false;
  bool looks_for_losses_ = false;
  bool is_closed_ = false;
};

struct Walk {
  std::vector<Record> records;
  bool truncated = false;
  bool inside_message = false;
};
// What may follow the last message.
enum class Ending {
  open,    // bytes that are not a record: an older, longer file was not truncated
  closed,  // nothing
};
Walk walk(ReadAhead& file, const Limits& limits, Findings& findings, Ending ending = Ending::open);

// Inspects the record types of a file, to determine its format.

// True if any record before the first damage (other than of magic numbers) has a type accepted by `wanted`,
// for any bytes.
bool has_record(base::ByteSource& file, const std::function<bool(std::string_view type)>& wanted);

}  // namespace lq::format::lime
