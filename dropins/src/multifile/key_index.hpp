// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The key-value records of a stream for reading: found as far as they are asked for, with a position for each key.
// `read` gives bytes of the stream.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/stream.hpp"

namespace lq::multifile {

class KeyIndex {
 public:
  using ReadStream = format::sion::KeyWalker::ReadStream;
  using Record = format::sion::KeyRecord;

  // `stream` names the stream in messages.
  KeyIndex(std::uint64_t stream_bytes, ByteOrder order, std::string stream);

  // At most to the end of the current record of this key, whole items of `item` bytes only; the next call goes on, with
  // the next record of the key where this one is at its end. 0: there is none.
  std::size_t read(const ReadStream& read, std::uint64_t key, std::size_t item, base::MutableBytes buffer);

  // Record `record` of a key and a byte of it, its length included; no record or position: the current one. false: not
  // there.
  bool seek(const ReadStream& read, std::uint64_t key, std::optional<std::uint64_t> record,
            std::optional<std::uint64_t> position);

  // A byte of all data of a key, its records contiguous; false: not there.
  bool seek_bytes(const ReadStream& read, std::uint64_t key, std::uint64_t position);

  // Records in the order of the stream; the key's current record is the one that was returned.
  void begin_records() noexcept { next_record_ = 0; }
  std::optional<Record> next_record(const ReadStream& read);

  // All headers.
  void scan_all(const ReadStream& read);
  // Keys known so far, in the order in which they first appear.
  void begin_keys() noexcept { next_key_ = 0; }
  std::optional<std::uint64_t> next_key();

  struct Statistics {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  // Of a key known so far.
  std::optional<Statistics> statistics(std::uint64_t key) const;

  // Only this key is to be seen.
  void restrict_to(std::uint64_t key) noexcept { only_ = key; }

 private:
  struct Key {
    std::vector<std::size_t> records;  // indices into records_
    std::size_t current = 0;
    std::uint64_t position = 0;  // in the current record
  };

  // One more record; false at the end.
  bool scan_one(const ReadStream& read);
  // Scans until the key has that many records; nullptr where it never has.
  Key* find(const ReadStream& read, std::uint64_t key, std::size_t records);

  std::uint64_t stream_bytes_;
  ByteOrder order_;
  std::string stream_;
  std::uint64_t scanned_ = 0;  // bytes of the stream
  bool complete_ = false;
  std::vector<Record> records_;
  std::map<std::uint64_t, Key> keys_;
  std::size_t next_record_ = 0;
  std::vector<std::uint64_t> key_order_;  // those of keys_, as they were found
  std::size_t next_key_ = 0;              // in it
  std::optional<std::uint64_t> only_;
};

}  // namespace lq::multifile
