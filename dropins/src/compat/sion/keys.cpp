// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Key-value records.
#include <fmt/format.h>

#include "compat/sion/alias.hpp"
#include "compat/sion/handles.hpp"
#include "format/sion/stream.hpp"

namespace lq::compat::sion {
namespace {

using format::sion::KeyValueMode;
using multifile::KeyIndex;

bool has_keys(const OpenFile& open, const char* function, bool writes) {
  const auto& facts = open.file->facts();
  if (facts.key_values == KeyValueMode::inline_records && open.file->writes() == writes) return true;
  report_error(SION_NOT_SUCCESS, open.rank,
               fmt::format("{}: {} ({}), aborting ...\n", function,
                           open.file->writes() == writes
                               ? "the file has no key-value records"
                               : (writes ? "the file is open for reading" : "the file is open for writing"),
                           facts.path));
  return false;
}

KeyIndex::ReadStream reader_of(OpenFile& open) {
  return
      [&open](std::uint64_t position, base::MutableBytes buffer) { return open.file->read_stream(position, buffer); };
}

// Runs work(KeyIndex&, reader) on a file that is read by keys.
template <class Result, class Work>
Result with_keys(const char* function, int sid, Result rc, Work&& work) noexcept {
  return with_file(function, rc, sid, [&](OpenFile& open) -> Result {
    if (!has_keys(open, function, false)) return rc;
    return work(open.file->keys(), reader_of(open), open);
  });
}

int success(bool good) noexcept { return good ? SION_SUCCESS : SION_NOT_SUCCESS; }

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

size_t sion_fwrite_key(const void* data, uint64_t key, size_t size, size_t nitems, int sid) {
  return with_file("sion_fwrite_key", size_t{0}, sid, [&](OpenFile& open) -> size_t {
    if (!has_keys(open, "sion_fwrite_key", true)) return 0;
    const auto bytes = bytes_of("sion_fwrite_key", open, data, size, nitems);
    if (!bytes || size == 0) return 0;
    const auto header = lq::format::sion::encode_record_header(key, *bytes, open.file->facts().metadata_order);
    open.file->write_across(header);
    open.file->write_across({static_cast<const std::byte*>(data), *bytes});
    return nitems;
  });
}

size_t sion_fread_key(void* data, uint64_t key, size_t size, size_t nitems, int sid) {
  return with_keys("sion_fread_key", sid, size_t{0}, [&](KeyIndex& keys, const auto& read, OpenFile& open) -> size_t {
    const auto bytes = bytes_of("sion_fread_key", open, data, size, nitems);
    if (!bytes || *bytes == 0) return 0;
    return keys.read(read, key, size, {static_cast<std::byte*>(data), *bytes}) / size;
  });
}

int sion_fread_key_iterator_reset(int sid) {
  return with_keys("sion_fread_key_iterator_reset", sid, SION_NOT_SUCCESS, [](KeyIndex& keys, const auto&, OpenFile&) {
    keys.begin_records();
    return SION_SUCCESS;
  });
}

int sion_fread_key_iterator_next(int sid, uint64_t* key, size_t* size) {
  return with_keys("sion_fread_key_iterator_next", sid, SION_NOT_SUCCESS,
                   [&](KeyIndex& keys, const auto& read, OpenFile&) {
                     const auto record = keys.next_record(read);
                     if (record && key != nullptr) *key = record->key;
                     if (record && size != nullptr) *size = record->length;
                     return success(record.has_value());
                   });
}

int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry) {
  return with_keys("sion_seek_key", sid, SION_NOT_SUCCESS, [&](KeyIndex& keys, const auto& read, OpenFile& open) {
    std::optional<std::uint64_t> record, position;
    if (entrynum != SION_CURRENT_BLOCK) record = static_cast<std::uint64_t>(entrynum);
    if (posinentry != SION_CURRENT_POS) position = static_cast<std::uint64_t>(posinentry);
    if (entrynum == SION_ABSOLUTE_POS && posinentry >= 0) return success(keys.seek_bytes(read, key, *position));
    const bool is_negative = (record && entrynum < 0) || (position && posinentry < 0);
    if (!is_negative && keys.seek(read, key, record, position)) return SION_SUCCESS;
    return report_error(
        SION_NOT_SUCCESS, open.rank,
        fmt::format("sion_seek_key: no byte {} of record {} of key {}, returning ...", posinentry, entrynum, key));
  });
}

int sion_key_full_scan(int sid) {
  return with_keys("sion_key_full_scan", sid, SION_NOT_SUCCESS, [](KeyIndex& keys, const auto& read, OpenFile&) {
    keys.scan_all(read);
    return SION_SUCCESS;
  });
}

int sion_key_list_iterator_reset(int sid) {
  return with_keys("sion_key_list_iterator_reset", sid, SION_NOT_SUCCESS, [](KeyIndex& keys, const auto&, OpenFile&) {
    keys.begin_keys();
    return SION_SUCCESS;
  });
}

int sion_key_list_iterator_next(int sid, uint64_t* keyptr) {
  return with_keys("sion_key_list_iterator_next", sid, SION_NOT_SUCCESS, [&](KeyIndex& keys, const auto&, OpenFile&) {
    const auto key = keys.next_key();
    if (key && keyptr != nullptr) *keyptr = *key;
    return success(key.has_value());
  });
}

int sion_key_get_stat(int sid, uint64_t key, sion_key_stat_t* stat) {
  return with_keys("sion_key_get_stat", sid, SION_NOT_SUCCESS, [&](KeyIndex& keys, const auto&, OpenFile&) {
    const auto statistics = keys.statistics(key);
    if (statistics && stat != nullptr) {
      *stat = {key, static_cast<sion_int64>(statistics->records), static_cast<sion_int64>(statistics->bytes)};
    }
    return success(statistics.has_value());
  });
}

int sion_get_keyval_mode(int sid) {
  return with_file("sion_get_keyval_mode", SION_SIZE_NOT_VALID, sid,
                   [&](OpenFile& open) { return static_cast<int>(open.file->facts().key_values); });
}

char* sion_keyval_type_to_str(int type) {
  static char names[][24] = {"SION_KEYVAL_NONE", "SION_KEYVAL_INLINE",  "SION_KEYVAL_META",
                             "SION_KEYVAL_HASH", "SION_KEYVAL_UNKNOWN", "SION_KEYVAL_NOTSET"};
  static char unknown[] = "unknown";
  return type >= SION_KEYVAL_NONE && type <= SION_KEYVAL_NOTSET ? names[type - SION_KEYVAL_NONE] : unknown;
}
}

LQ_ALSO_AS_LSION(sion_fwrite_key, sion_fread_key, sion_fread_key_iterator_reset, sion_fread_key_iterator_next,
                 sion_seek_key, sion_key_full_scan, sion_key_list_iterator_reset, sion_key_list_iterator_next,
                 sion_key_get_stat, sion_get_keyval_mode, sion_keyval_type_to_str);
