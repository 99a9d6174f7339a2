// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The two small interfaces between formats and everything else: a container of records, and fields in it. A format
// never does I/O on payload and sees no ranks: it returns a file as data (what bytes go where), and io/ carries it out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/inspect.hpp>
#include <limequat/metadata.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "format/findings.hpp"
#include "format/tile_codec.hpp"

namespace lq::format {

// Bytes at a known place in one of the physical files.
struct Literal {
  int file = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

// Many bytes at a known place, which are made while they are written: `fill` makes those from byte `at` of them on, in
// pieces of a multiple of 4096 bytes except for the last one.
struct Bulk {
  int file = 0;
  std::uint64_t offset = 0, length = 0;
  std::function<void(std::uint64_t at, base::MutableBytes bytes)> fill;
};

// What the tail of a file may need to know of the data.
struct Digest {
  Sums sums;                                // those of Layout::sums
  std::vector<Tile> tiles = {};             // where they lie: as planned, or as it turned out when they were encoded
  std::vector<double> plaquette_sums = {};  // of Layout::plaquettes_of
  std::optional<double> plaquette = {}, link_trace = {};  // where FieldRequest::has_late_observables
};

// A piece of a file as data. Several physical files: `suffixes` are appended to the path, one per file. One rank plans
// it; head and tail stay there, all ranks learn the rest.
struct Layout {
  std::vector<std::string> suffixes = {""};
  std::vector<Literal> head;       // bytes known before the data
  std::vector<Bulk> bulk;          // of these, what would take much memory
  std::vector<Payload> payload;    // where the sites (or streams) go
  std::vector<SumName> sums;       // that the tail needs
  std::vector<Box> plaquettes_of;  // likewise, over the sites of each: the sum of Re Tr U_P / N of all plaquettes
  std::function<std::vector<Literal>(const Digest&)> tail;  // bytes that depend on the data; may be empty
  std::vector<std::uint64_t> end;                           // size of each file after this piece
};

// What was asked of a format that knows several ways; empty: its own default.
struct Choices {
  std::string layout;           // by name
  std::string dataset_chunk;    // extents of chunks, or "slice"
  std::string filters;          // of chunks, contiguous, separated by commas
  std::string parts;            // into how many files each dimension is cut
  bool time_stamps = true;      // false: bytes depend on nothing but what is written
  std::uint64_t alignment = 0;  // data begin at its multiples where the format may choose; 0: as it likes
};
Choices choices_of(const WriteOptions& options);
// unsupported: a choice was made that is none of `known`; names the option.
void refuse_choices(const Choices& choices, std::span<const std::string_view> known, std::string_view format);

// A field to be placed in a file.
struct FieldRequest {
  std::string name;  // of the field
  FieldSpec spec;    // links and numbers filled in, precision as in the file
  Extents extents;
  Metadata metadata;
  std::optional<Box> stored;  // only a part of the lattice; empty: all of it
  std::uint64_t offset = 0;   // where this piece starts: the end of what is there already
  bool first = true;          // first piece of the file: the file's own header comes before it
  bool checksum = true;
  bool slice_checksums = true;
  std::optional<double> plaquette, link_trace;  // of a gauge field, where they are known
  bool has_late_observables = false;            // they are known when the data have passed: Digest has them
  Choices choices = {};
  // The file as it is so far, readable until the tail was made. nullptr: there is nothing yet, or nothing is written.
  base::ByteSource* before = nullptr;
};

// A record of the user's, without a lattice, to be placed in a file; members as above.
struct RecordRequest {
  std::string_view type;
  std::string_view contents;
  std::uint64_t offset = 0;
  bool first = true;
  Choices choices = {};
  base::ByteSource* before = nullptr;
};

// Part of a record that lies in one piece.
struct RecordPiece {
  int file = 0;  // index into Catalog::files
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

enum class Likeness { no, maybe, yes };

// A format as a container of records, of whatever kind. Stateless; one object per format.
class LQ_INNER Container {
 public:
  virtual ~Container() = default;
  // From the content, whatever the bytes; only failures to read are thrown.
  virtual Likeness recognise(base::ByteSource& file) const = 0;
  // What is where. Damage becomes findings; only failures to read are thrown.
  virtual Catalog scan(base::ByteSource& file, const Limits& limits) const = 0;
  // Where the payload of a record lies, in order; for most formats in one piece.
  virtual std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const;
  // The payload of a record as one sequence of bytes, where it takes more than putting pieces together: chunks that are
  // encoded. nullptr: pieces() say it. Reads from `file`, which outlives it. unsupported: it cannot be read.
  virtual std::unique_ptr<base::ByteSource> contents(base::ByteSource& file, const Catalog& catalog,
                                                     const Record& record) const;
  // Rules of the specification that the file breaks, those of scan() included.
  virtual std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const = 0;
  // Every header byte, in order of offset.
  virtual std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const = 0;
};

// A container that takes records of the user's.
class LQ_INNER RecordFormat {
 public:
  virtual ~RecordFormat() = default;
  // What bytes go where for a record without a lattice.
  virtual Layout plan_record(const RecordRequest& request) const = 0;
  // Of what requests choose, the options that it knows; others are refused for it.
  virtual std::span<const std::string_view> known_choices() const { return {}; }
};

// A field whose numbers lie in a file of another format, in one piece.
struct Reference {
  std::string name;
  std::string path;  // of that file, as it will be opened
  Payload payload;
  Sums sums;
  Metadata metadata;
};

// What files of a format say of a gauge field's plaquette and link trace.
enum class Observables {
  in_texts,  // what texts say, if anything
  stated,    // both, in places of their own
  measured,  // the plaquette, as the value by which readers check the links: as exact as can be
};

// What a field is called that has no name.
std::string_view default_name(FieldKind kind) noexcept;

// How fields are laid in a container.
class LQ_INNER FieldFormat : public RecordFormat {
 public:
  // Whether it is made for such fields: the first of the formats with the suffix of a path that is gets the field.
  virtual bool is_for(const FieldSpec& spec, const Extents& extents) const = 0;
  // What bytes go where for one field. unsupported / invalid_argument when the format cannot hold it.
  virtual Layout plan(const FieldRequest& request) const = 0;
  // Which texts of another file can stand beside a field in this format. Left out are names it cannot hold, second
  // texts where it has one, and what describes the numbers themselves when their precision changes.
  virtual Metadata carried(const Metadata& texts, bool precision_changes) const = 0;
  virtual Observables observables() const { return Observables::in_texts; }
  // Whether they may be known when the data have passed: nothing lies elsewhere for what they are.
  virtual bool takes_late_observables() const { return false; }
  // Of Payload::encoding; nullptr: there is none of that name.
  virtual const TileCodec* tile_codec(std::string_view encoding) const;
  // The bytes of a file through which the numbers of other files are seen, without a copy. unsupported: files of this
  // format hold their own numbers, or the payload is not in one piece.
  virtual std::vector<Literal> refer(std::span<const Reference> fields) const;
  // Puts the sums of a field that is there in their place, or adds the record that has room for them.
  virtual void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                          const Digest& sums) const = 0;
};

// What a format knows of the right bytes of a damaged file. Says what it did; never touches payload.
class LQ_INNER Mender {
 public:
  virtual ~Mender() = default;
  // Headers and texts are put right where their right bytes are known. Missing data at the end become zeros: the
  // offset from which on they are missing is returned.
  virtual std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const = 0;
};

// What an examination found out about a file beyond its scan and the sums of its fields.
struct Examined {
  std::vector<Claim> claims;
  std::vector<Finding> findings;
};

// Of a text that no checksum covers.
inline Claim uncovered(const Record& record) {
  return {record.type, "text", Evidence::structure, Outcome::uncovered, record.offset, record.data_length};
}

// Of all records of that type.
inline void claim_uncovered(const Catalog& catalog, std::string_view type, Examined& examined) {
  for (const Record& record : catalog.records) {
    if (record.type == type) examined.claims.push_back(uncovered(record));
  }
}

// What a format can compare in a file besides the sums of fields: records, small objects, an index, chunks, and
// whatever is stored twice. lq::verify() asks it once for each file, on one rank, and all ranks get its answer.
class LQ_INNER Examiner {
 public:
  virtual ~Examiner() = default;
  // A claim about all content that is no payload of a field, `absent` where nothing vouches for it, and a finding for
  // whatever is wrong, except what is among the findings of the catalog. Reads in pieces, so that memory does not grow
  // with the file. Only failures to read are thrown.
  virtual Examined examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const = 0;
};

// Of formats whose header is a text without a checksum, and in which scans and readers compare all else.
class LQ_INNER UncoveredHeader final : public Examiner {
 public:
  // Static storage.
  explicit constexpr UncoveredHeader(std::string_view record_type) noexcept : record_type_(record_type) {}
  Examined examine(base::ByteSource&, const Catalog& catalog, const Limits&) const override {
    Examined examined;
    claim_uncovered(catalog, record_type_, examined);
    return examined;
  }

 private:
  std::string_view record_type_;
};

// Those of `texts` that say something and are not among the `kept` ones: what a conversion loses.
Metadata lost_texts(const Metadata& texts, const Metadata& kept);

// A row of the table of formats.
struct Format {
  FormatInfo info;
  const Container* container = nullptr;
  const RecordFormat* records = nullptr;                // none: takes no records of the user's
  const FieldFormat* fields = nullptr;                  // none: takes no fields
  const Mender* mender = nullptr;                       // none: nothing is known of the right bytes of a damaged file
  const Examiner* examiner = nullptr;                   // none: there is nothing but fields and what scan() looks at
  std::span<const std::string_view> record_types = {};  // of LIME records that its readers look for

  std::string_view name() const noexcept { return info.name; }
  // unsupported: it takes none; says which formats do.
  const RecordFormat& for_records() const;
  const FieldFormat& for_fields() const;
};

// A format of a room or component of its own. An object of static storage there registers it: before the formats that
// begin alike, else after those with a magic. It asks for no memory, and other threads may use formats meanwhile.
class LQ_INNER Registration {
 public:
  explicit Registration(const Format& (*make)()) noexcept;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  const Format& format() const { return format_(); }
  const Registration* next() const noexcept { return next_; }

 private:
  const Format& (*format_)();
  const Registration* next_;
};

// A format more, before all others, while the object lives; the last one added goes first: for tests of what no format
// of the table needs.
class AddedFormat {
 public:
  explicit AddedFormat(const Format& format);
  ~AddedFormat();
  AddedFormat(const AddedFormat&) = delete;
  AddedFormat& operator=(const AddedFormat&) = delete;
};

// All formats that are registered, most specific first. The span stays valid when another one is.
LQ_INNER std::span<const Format* const> formats();
// Types of LIME records that readers of any format look for.
std::span<const std::string_view> known_record_types();
// By name; nullptr: none that is registered has it.
const Format* find_format(std::string_view name);
// Whether a suffix is that of a format, whatever letters are capitals.
bool is_suffix(std::string_view suffix, std::string_view of_format) noexcept;

// What follows loads the component that has the format (component.hpp), or throws what to install.

// Only that, for a file to be written in the format of this name, or in that of its suffix where the name is empty.
void load_format_of(const std::string& path, std::string_view name);
// By name; invalid_argument with the names there are.
const Format& format_named(std::string_view name);
// By suffix of the path; the default is that of ".lime": ILDG for gauge fields in four dimensions, SciDAC for others.
const Format& format_for(const std::string& path, const FieldSpec& spec, const Extents& extents);
// By content; unknown_format says what the file begins with.
LQ_INNER const Format& recognise(base::ByteSource& file);
// What is in a file of whatever format.
Catalog scan(base::ByteSource& file, const Limits& limits);

// What the FieldFormat of some formats is beside: sides that most formats do without.

// No two fields of a file may have one name.
class LQ_INNER RequiresUniqueNames {
 public:
  virtual ~RequiresUniqueNames() = default;
};

inline bool needs_unique_names(const FieldFormat& format) noexcept {
  return dynamic_cast<const RequiresUniqueNames*>(&format) != nullptr;
}

// Something can be said of a field that fits the format: that the programs which the format is from do not read it.
class LQ_INNER Advises {
 public:
  virtual ~Advises() = default;
  // A sentence without the name of the file, or nothing.
  virtual std::string advice(const FieldSpec& in_file) const = 0;
};

inline std::string advice_of(const FieldFormat& format, const FieldSpec& in_file) {
  const auto* const adviser = dynamic_cast<const Advises*>(&format);
  return adviser == nullptr ? std::string{} : adviser->advice(in_file);
}

// Marks that a repair leaves. The first is that of data that nothing proves since they were repaired: a text of the
// field or of the file, which makes every examination call them unproven (io/judgement.hpp). FieldFormat::store_sums()
// without any sums puts it in their place. Conversions carry it like other texts.

inline constexpr std::string_view unproven_text = "limequat-unproven";
// The text of a part that was rescued of a field whose data ended early: which part it is.
inline constexpr std::string_view rescued_text = "limequat-rescued";

// A field spread over several files on writing: equal blocks of the lattice, a file for each.
class Parts {
 public:
  // Nothing: all in one file. invalid_argument, unsupported: the field cannot be spread like that.
  static std::optional<Parts> of(const FieldRequest& request);

  std::uint64_t count() const noexcept { return volume(counts_); }
  std::uint64_t sites() const noexcept { return volume(block_); }  // of each
  const Extents& extents() const noexcept { return extents_; }     // of the lattice
  const Extents& block() const noexcept { return block_; }
  // The first site of part `number`; the dimension of `order` that is named first runs fastest.
  Coord lower(std::uint64_t number, const SiteOrder& order) const;
  // Puts a part of the field into each of these places: part k, in the payload's order, into file k.
  void place(Payload& payload, const std::vector<std::uint64_t>& offsets) const;

 private:
  Extents extents_, counts_, block_;
};

// What numbers look like, where a description and a length contradict each other: the lower half of a double is noise,
// which as a number in single precision would often be huge.

// The precision of the numbers in these bytes, of which a few thousand are looked at; nothing where it cannot be told,
// as of zeros and of small integers.
std::optional<Precision> likely_precision(base::ByteSource& file, std::uint64_t offset, std::uint64_t length,
                                          ByteOrder order);

}  // namespace lq::format
