// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields site by site: all nodes begin and end the record together, the node with a site moves it.
#include <qio.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

// The run of a part's sites on this node that contains a site; null: it is elsewhere.
const SiteRun* run_of(const RecordPart& part, std::uint64_t rank) {
  const auto runs = part.sites.order->runs();
  const auto& numbers = part.runs_by_rank;
  const auto begins_behind = [&](std::uint64_t site, std::size_t run) { return site < runs[run].rank; };
  const auto run = std::upper_bound(numbers.begin(), numbers.end(), rank, begins_behind);
  if (run == numbers.begin()) return nullptr;
  const SiteRun& found = runs[*std::prev(run)];
  return rank < found.rank + found.sites ? &found : nullptr;
}

// Local. Prepares the search for sites.
void sort_runs(RecordPart& part) {
  const auto runs = part.sites.order->runs();
  part.runs_by_rank.resize(runs.size());
  std::iota(part.runs_by_rank.begin(), part.runs_by_rank.end(), std::size_t{0});
  std::ranges::sort(part.runs_by_rank, {}, [&](std::size_t run) { return runs[run].rank; });
}

// Collective. A record whose parts all exist.
SingleSites begun(comm::Comm& nodes, std::vector<RecordPart> parts, std::uint64_t site_bytes, DML_Checksum* checksum) {
  comm::agree(nodes, [&] { std::ranges::for_each(parts, sort_runs); });
  if (checksum != nullptr) DML_checksum_init(checksum);
  return {true, site_bytes, checksum, 0, std::move(parts)};
}

// The position of a site of this node in a file, and within its run.
struct SitePiece {
  std::uint64_t offset = 0;
  const SiteRun& run;
  std::uint64_t within = 0;
};

// Calls move(form, part, piece, space for its bytes) if the site belongs to this node. Returns a code.
template <class Move>
int at_site(int otherwise, SingleSites& single, DML_SiteRank site, const SiteCall& call, Move&& move) {
  const auto work = [&] {
    if (!single.is_open || call.site_bytes != single.site_bytes || !is_word(call.word_bytes) || site < 0) {
      throw Refusal(QIO_BAD_ARG, "no field is open for single sites, or its sites are of another size");
    }
    const auto rank = static_cast<std::uint64_t>(site);
    for (const RecordPart& part : single.parts) {
      const SiteRun* const run = run_of(part, rank);
      if (run == nullptr) continue;
      const std::uint64_t within = rank - run->rank;
      SiteForm form(call);
      std::vector<std::byte> bytes(static_cast<std::size_t>(call.site_bytes));
      move(form, part, SitePiece{part.offset + (run->position + within) * call.site_bytes, *run, within}, bytes);
      if (single.checksum != nullptr) {
        single.checksum->suma ^= form.checksum().suma;
        single.checksum->sumb ^= form.checksum().sumb;
      }
      single.moved_bytes += call.site_bytes;
      return;
    }
  };
  return outcome_of(otherwise, work).code;
}

// Local. The file of a part; of files that other nodes have written one is open at a time.
storage::File& file_of(OpenReader& open, const RecordPart& part) {
  std::unique_ptr<storage::File>& other = open.single.file;
  if (part.path.empty()) return *open.file;
  if (other == nullptr || other->path() != part.path) other = open.files->open(part.path);
  return *other;
}

bool is_listed(const std::string& type, char* const* types, int count) {
  return count == 0 || std::any_of(types, types + count, [&](const char* one) { return type == one; });
}

FoundRecord next_of_types(RecordsIn& records, char* const* types, int count) {
  while (const auto record = records.next()) {
    if (is_listed(record->type, types, count)) return *record;
  }
  throw Refusal(QIO_EOF, "no further record of these types");
}

int begin_reading(QIO_Reader& reader, std::uint64_t site_bytes, char* const* types, int count, DML_Checksum* checksum,
                  char** found_type) {
  OpenReader& open = open_of(reader);
  comm::Comm& nodes = *open.nodes;
  const int checked = agree_code(nodes, QIO_BAD_ARG, [&] {
    if (reader.read_state != QIO_RECORD_DATA_NEXT) throw Refusal(QIO_ERR_INFO_MISSED, "no record information was read");
    if (!open.knows_sites || reader.layout->recordtype == QIO_GLOBAL) throw Refusal(QIO_BAD_ARG, "no field");
  });
  if (checked != QIO_SUCCESS) return checked;
  const auto next = [&](RecordsIn& records) { return next_of_types(records, types, count); };
  std::vector<RecordPart> parts;
  if (open.volumes != nullptr) {
    parts = open.volumes->find(*reader.layout, site_bytes, next);
  } else {
    comm::agree(nodes, [&] { parts.resize(1); });
    const int code = open.find(*reader.layout, reader.volfmt, site_bytes, next, parts.front());
    if (code != QIO_SUCCESS) return code;
  }
  static char plain[] = QIO_LIMETYPE_BINARY_DATA, ildg[] = QIO_LIMETYPE_ILDG_BINARY_DATA;
  if (found_type != nullptr) *found_type = parts.front().is_ildg ? ildg : plain;
  open.single = begun(nodes, std::move(parts), site_bytes, checksum);
  return QIO_SUCCESS;
}

int begin_writing(QIO_Writer& writer, const MessagePlace& place, std::uint64_t site_bytes, DML_Checksum* checksum,
                  const char* type) {
  OpenWriter& open = open_of(writer);
  comm::Comm& nodes = *open.nodes;
  const int checked = agree_code(nodes, QIO_BAD_ARG, [&] {
    if (writer.layout->recordtype == QIO_GLOBAL || type == nullptr) throw Refusal(QIO_BAD_ARG, "no field");
  });
  if (checked != QIO_SUCCESS) return checked;
  std::vector<RecordPart> parts = comm::agree(nodes, [] { return std::vector<RecordPart>(1); });
  RecordPart& part = parts.front();
  part.sites = sites_of_record(nodes, open.family, *writer.layout, writer.volfmt);
  const int begun_record = agree_code(nodes, QIO_ERR_OPEN_WRITE, [&] {
    if (!open.family.leads()) return;
    const MessagePlace in_message = open.is_master() ? place : MessagePlace{true, true};
    part.offset = open.records->begin(type, in_message, part.sites.of_family * site_bytes);
  });
  if (begun_record != QIO_SUCCESS) return begun_record;
  broadcast_facts(*open.family.comm, part.offset, open.family.leader);
  open.single = begun(nodes, std::move(parts), site_bytes, checksum);
  return QIO_SUCCESS;
}

void end(SingleSites& single, DML_Checksum& last, std::uint64_t* nbytes) {
  if (single.checksum != nullptr) last = *single.checksum;
  if (nbytes != nullptr) *nbytes = single.moved_bytes;
  single = {};
}

}  // namespace

extern "C" {

int QIO_init_read_field(QIO_Reader* in, size_t datum_size, LIME_type* lime_type_list, int ntypes,
                        DML_Checksum* checksum, LIME_type* lime_type) {
  if (in == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_OPEN_READ,
                      [&] { return begin_reading(*in, datum_size, lime_type_list, ntypes, checksum, lime_type); });
}

int QIO_seek_read_field_datum(QIO_Reader* in, DML_SiteRank seeksite,
                              void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                              int word_size, void* arg) {
  if (in == nullptr || put == nullptr) return QIO_BAD_ARG;
  OpenReader& open = open_of(*in);
  const auto take = [&](SiteForm& form, const RecordPart& part, const SitePiece& piece, std::vector<std::byte>& bytes) {
    storage::File& file = file_of(open, part);
    if (file.read_at(piece.offset, bytes) != bytes.size()) {
      throw Refusal(QIO_ERR_BAD_READ_BYTES, file.path() + ": the file ends within the sites");
    }
    form.put(*part.sites.order, piece.run, piece.within, 1, bytes.data());
  };
  return at_site(QIO_ERR_BAD_READ_BYTES, open.single, seeksite, {put, arg, count, datum_size, word_size}, take);
}

int QIO_close_read_field(QIO_Reader* in, uint64_t* nbytes) {
  if (in == nullptr) return QIO_BAD_ARG;
  OpenReader& open = open_of(*in);
  if (!open.single.is_open) return QIO_BAD_ARG;
  end(open.single, in->last_checksum, nbytes);
  in->read_state = QIO_RECORD_CHECKSUM_NEXT;
  return QIO_SUCCESS;
}

int QIO_init_write_field(QIO_Writer* out, int msg_begin, int msg_end, size_t datum_size, DML_Checksum* checksum,
                         const LIME_type lime_type) {
  if (out == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_OPEN_WRITE, [&] {
    return begin_writing(*out, {msg_begin != 0, msg_end != 0}, datum_size, checksum, lime_type);
  });
}

int QIO_seek_write_field_datum(QIO_Writer* out, DML_SiteRank seeksite,
                               void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                               int word_size, void* arg) {
  if (out == nullptr || get == nullptr) return QIO_BAD_ARG;
  OpenWriter& open = open_of(*out);
  const auto give = [&](SiteForm& form, const RecordPart& part, const SitePiece& piece, std::vector<std::byte>& bytes) {
    form.get(*part.sites.order, piece.run, piece.within, 1, bytes.data());
    open.file->write_at(piece.offset, bytes);
  };
  return at_site(QIO_ERR_BAD_WRITE_BYTES, open.single, seeksite, {get, arg, count, datum_size, word_size}, give);
}

int QIO_close_write_field(QIO_Writer* out, uint64_t* nbytes) {
  if (out == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_BAD_WRITE_BYTES, [&] {
    OpenWriter& open = open_of(*out);
    if (!open.single.is_open) return QIO_BAD_ARG;
    end(open.single, out->last_checksum, nbytes);
    return agree_code(*open.nodes, QIO_ERR_BAD_WRITE_BYTES, [&] {
      if (open.family.leads()) open.records->finish();
    });
  });
}

}  // extern "C"
