// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of a file: records, fields, findings. Any format, with or without a lattice, in one or several
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
  std::uint64_t pieces = 1;       // number of parts of the payload; `offset` is where the first begins
};

enum class ByteOrder { big, little };

// How the numbers of a site are stored in a file, apart from their precision and byte order.
struct SiteCodec {
  // Number k of the site in the file is number order[k] of the site in memory; empty: all of them, as in memory.
  std::vector<std::uint32_t> order = {};
  // The file omits the third row of every SU(3) matrix; it is computed from the other two: conj(row 0 x row 1).
  bool third_rows_missing = false;
  // The file omits the second column of every SU(2) matrix; it is computed from the first: (-conj(c), conj(a)).
  bool second_columns_missing = false;
  // Numbers are 16-bit integers, preceded by the largest magnitude of the site in single precision: number = magnitude
  // * integer / 32767. If their number is odd, two bytes of zeros follow. Excludes `order`.
  bool fixed16 = false;
  friend bool operator==(const SiteCodec&, const SiteCodec&) = default;
};

// The place of some of the stored sites.
struct Tile {
  int file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // in the file; 0: never written, so the sites are zero (or not encoded yet)
  friend bool operator==(const Tile&, const Tile&) = default;
};

// The place of the sites of a field (or of the bytes of a stream) in a file: contiguous, or in tiles. A tile holds a
// run of the sequence of sites or a block of the lattice, with all numbers of each site, or some of them if they are
// distributed over several arrays.
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
  // Number of sites in each tile, of which the last one may have fewer; 0: all sites are contiguous from `offset` on.
  std::uint64_t tile_sites = 0;
  std::vector<Tile> tiles = {};  // all of them, in the order of the sequence, array by array
  std::string encoding = {};     // name of the encoding of the tiles; empty: sites are stored unencoded
  std::uint64_t arrays = 1;      // arrays that share the numbers of a site, equally many consecutive ones in each
  // Tiles are blocks of these extents, with tile_sites sites; blocks, and the sites within a block, are in `order`.
  // Blocks at the far edge have full size; sites outside the lattice are padding. Empty: tiles are runs of the
  // sequence.
  Extents block = {};
  // Only odd sites (x + y + z + t odd, periodic) have a place in the file, in `order`, with eight links each: for each
  // link mu of a site, in the order of the codec, U_mu(x) and U_mu(x - mu). Extents are even, and so is the extent of
  // blocks along the fastest dimension, so that a site and its neighbour in that direction are in one block.
  bool at_odd_points = false;

  // Bytes of a site in the file, before tiles are encoded.
  std::uint64_t site_bytes() const noexcept {
    if (codec.fixed16) return 4 * (1 + (spec.numbers + 1) / 2);
    return codec.order.empty() ? spec.site_bytes() : codec.order.size() * spec.number_bytes();
  }
  // The first byte of the sequence: its offset in the file, or 0 if tiles give the places.
  std::uint64_t origin() const noexcept { return is_in_one_piece() ? offset : 0; }
  // True if the bytes of the sequence are contiguous in the file.
  bool is_in_one_piece() const noexcept { return tile_sites == 0 && !at_odd_points; }
};

// A field found in a file.
struct FieldEntry {
  std::string name;  // "gauge", "spinor", "propagator", "field", or as the file calls it
  Payload payload;
  std::uint64_t record = 0;          // index into Catalog::records of the data
  Sums sums;                         // as the file states them
  Metadata metadata;                 // texts that belong to this field
  std::optional<double> plaquette;   // as the file's texts state it: average of Re Tr U_P / N
  std::optional<double> link_trace;  // as the file's texts state it: average of Re Tr U / N
};

enum class Severity { note, warning, error };
LQ_API std::string_view name(Severity severity) noexcept;

// A notable fact about a file; errors make it unusable in part or completely.
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
  std::vector<std::string> files;  // paths of the physical files if there are several; Record::file counts them
  std::vector<Record> records;
  std::vector<FieldEntry> fields;
  Metadata metadata;  // texts that belong to the whole file
  std::vector<Finding> findings;
  bool complete = true;  // false: the file ends early

  // The first finding of severity error, or nullptr.
  const Finding* first_error() const noexcept;
  // Throws that finding, if there is one, as an Error that names the path.
  void require_sound() const;
  // Record number `index` (from 0) of that type; no_such_record lists the existing ones.
  const Record& record(std::string_view type, std::uint64_t index = 0) const;
  // The field `name` number `index`; an empty name is any field. no_such_record lists the existing ones.
  const FieldEntry& field(std::string_view name = {}, std::uint64_t index = 0) const;
};

}  // namespace lq
