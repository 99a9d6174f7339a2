// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in a file: records, fields, findings. Any format, with or without a lattice, of one or of several
// physical files.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/metadata.hpp>
#include <limequat/report.hpp>

namespace lq {

// A named piece of a file: a LIME record, a dataset, a logical file.
struct Record {
  std::string type;
  int file = 0;               // which physical file
  std::uint64_t message = 0;  // LIME: number of the message, from 1
  std::uint64_t number = 0;   // number within the message, from 1
  bool mb_flag = false;
  bool me_flag = false;
  std::uint64_t header_offset = 0;
  std::uint64_t offset = 0;       // of the payload
  std::uint64_t data_length = 0;  // of the payload, without padding
  std::uint64_t pieces = 1;       // that the payload lies in; `offset` is that of the first
};

enum class ByteOrder { big, little };

// How the numbers of a site lie in a file, beside their precision and byte order.
struct SiteCodec {
  // Number k of the site in the file is number order[k] of the site in memory; empty: all of them, as in memory.
  std::vector<std::uint32_t> order = {};
  // The file lacks the third row of every SU(3) matrix; it is made anew of the other two: conj(row 0 x row 1).
  bool third_rows_missing = false;
  // The file lacks the second column of every SU(2) matrix; it is made anew of the first: (-conj(c), conj(a)).
  bool second_columns_missing = false;
  // Numbers are integers of 16 bits, behind the largest magnitude of the site in single precision: number = magnitude *
  // integer / 32767. With an odd number of them two bytes of zeros follow. Without `order`.
  bool fixed16 = false;
  friend bool operator==(const SiteCodec&, const SiteCodec&) = default;
};

// Where some of the stored sites lie.
struct Tile {
  int file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // in the file; 0: they were never written and are zeros (or are not encoded yet)
  friend bool operator==(const Tile&, const Tile&) = default;
};

// Where the sites of a field (or the bytes of a stream) lie in a file: in one piece, or in tiles. A tile holds a run of
// the sequence of sites or a block of the lattice, of all numbers of each site or, where these are dealt into several
// arrays, of some.
struct Payload {
  int file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  FieldSpec spec;   // numbers per site and precision in the file; kind generic with numbers 0: a stream of bytes
  Extents extents;  // the lattice; size() 0 for a payload without a lattice
  Box stored;       // the sites that are stored (whole(extents), or a SciDAC hypercube)
  SiteOrder order;  // of the stored sites; empty: x fastest
  ByteOrder byte_order = ByteOrder::big;
  SiteCodec codec = {};
  // Of each tile, the last one may have fewer; 0: all sites lie in one piece from `offset` on.
  std::uint64_t tile_sites = 0;
  std::vector<Tile> tiles = {};  // all of them, in the order of the sequence; those of one array after the other
  std::string encoding = {};     // of the tiles, by name; empty: they hold sites as they are
  std::uint64_t arrays = 1;      // into which a site's numbers are dealt, equally many consecutive ones to each
  // Tiles are blocks of these extents, of tile_sites sites; blocks and the sites within are in `order`. At the far edge
  // they are of full size, too; what lies outside the lattice is padding. Empty: tiles are runs of the sequence.
  Extents block = {};
  // Only odd sites (x + y + z + t odd, periodic) have a place in the file, in `order`, with eight links each: for each
  // link mu of a site, in the order of the codec, U_mu(x) and U_mu(x - mu). Extents are even, and so is that of
  // blocks along the fastest dimension, so that a site and its neighbour there are in one block.
  bool at_odd_points = false;

  // Bytes of a site in the file, before tiles are encoded.
  std::uint64_t site_bytes() const noexcept {
    if (codec.fixed16) return 4 * (1 + (spec.numbers + 1) / 2);
    return codec.order.empty() ? spec.site_bytes() : codec.order.size() * spec.number_bytes();
  }
  // The first byte of the sequence: in the file, or, where tiles say what lies where, its own.
  std::uint64_t origin() const noexcept { return is_in_one_piece() ? offset : 0; }
  // The bytes of the sequence are those of the file.
  bool is_in_one_piece() const noexcept { return tile_sites == 0 && !at_odd_points; }
};

// A field found in a file.
struct FieldEntry {
  std::string name;  // "gauge", "spinor", "propagator", "field", or as the file calls it
  Payload payload;
  std::uint64_t record = 0;          // index into Catalog::records of the data
  Sums sums;                         // those that the file states
  Metadata metadata;                 // texts that belong to this field
  std::optional<double> plaquette;   // as the file's texts state it: average of Re Tr U_P / N
  std::optional<double> link_trace;  // as the file's texts state it: average of Re Tr U / N
};

enum class Severity { note, warning, error };
LQ_API std::string_view name(Severity severity) noexcept;

// Something worth saying about a file; errors make it unusable in part or whole.
struct Finding {
  Severity severity = Severity::note;
  Code code = Code::ok;                      // for errors: what a reader throws
  std::string rule = {};                     // stable identifier, for example "lime-magic"
  std::string message = {};                  // a sentence
  std::string record = {};                   // type of the record concerned
  std::optional<std::uint64_t> offset = {};  // first byte concerned
  std::optional<std::uint64_t> length = {};  // bytes concerned
  std::string expected = {};
  std::string found = {};
};

struct LQ_API Catalog {
  std::string path;
  std::string format;  // "ildg", "scidac", "lime", "sion"
  std::uint64_t file_bytes = 0;
  std::vector<std::string> files;  // paths of the physical files where there are several; Record::file counts them
  std::vector<Record> records;
  std::vector<FieldEntry> fields;
  Metadata metadata;  // texts that belong to the whole file
  std::vector<Finding> findings;
  bool complete = true;  // false: the file ends early

  // The first finding of severity error, or nullptr.
  const Finding* first_error() const noexcept;
  // Throws it as an Error that names the path.
  void require_sound() const;
  // Record number `index` (from 0) of that type; no_such_record lists what there is.
  const Record& record(std::string_view type, std::uint64_t index = 0) const;
  // The field `name` number `index`; an empty name is any field. no_such_record lists what there is.
  const FieldEntry& field(std::string_view name = {}, std::uint64_t index = 0) const;
};

}  // namespace lq
