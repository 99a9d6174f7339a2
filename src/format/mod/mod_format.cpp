// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors in object files of QDP++ (docs/formats/mod.md): a record for each time slice of each vector.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/flat/flat.hpp"
#include "format/format.hpp"
#include "format/formats.hpp"
#include "kernels/crc32.hpp"

namespace lq::format::mod {
namespace {

// Object files of QDP++ as a map from keys to positions (formats/mod.md 2): read whole, and made for vectors by time
// slices.

constexpr std::string_view magic = "XXXXQDPLazyDiskMapObjFileXXXX";

struct Entry {
  std::string key;  // raw bytes
  std::uint64_t offset = 0;
};

struct Map {
  std::uint32_t version = 0;
  std::string text;  // XML of the program
  std::uint64_t text_at = 0, link_at = 0;
  std::uint64_t begin = 0, end = 0;  // of the map
  std::vector<Entry> entries = {};   // in order of the file
  std::uint32_t stated_crc = 0, computed_crc = 0;

  std::uint64_t header_end() const noexcept { return link_at + 16; }
};

// Two numbers: the key of a time slice of a vector.
struct SliceKey {
  std::int32_t slice = 0, vector = 0;
};

constexpr std::size_t place_bytes = 16, word_bytes = 4;  // the first 8 bytes of a position mean nothing
constexpr std::size_t longest_key = 4096;
constexpr std::uint64_t least_entry = word_bytes + place_bytes;

// The bytes of a file in sequence.
class Walker {
 public:
  Walker(base::ByteSource& file, std::uint64_t at) : file_(file), at_(at) {}
  std::uint64_t at() const noexcept { return at_; }
  std::uint32_t crc() const noexcept { return crc_; }

  std::string take(std::size_t length, std::string_view what) {
    std::string bytes(length, '\0');
    if (length > file_.size() || file_.read_at(at_, std::as_writable_bytes(std::span(bytes))) < length) {
      base::fail(Code::truncated, {}, "the file ends at byte {} within {}; copy it again from its source", file_.size(),
                 what);
    }
    crc_ = kernels::crc32(crc_, base::as_bytes(bytes));
    at_ += length;
    return bytes;
  }
  std::uint32_t word(std::string_view what) {
    return base::load_be<std::uint32_t>(base::as_bytes(take(word_bytes, what)).data());
  }
  std::string text(std::uint64_t most, std::string_view what) {
    const std::uint32_t length = word(what);
    if (length > most) {
      base::fail(Code::malformed, {.offset = at_ - word_bytes, .found = fmt::format("{}", length)},
                 "{} of {} bytes, expected at most {}", what, length, most);
    }
    return take(length, what);
  }
  std::uint64_t place(std::string_view what) {
    const std::string bytes = take(place_bytes, what);
    return base::load_be<std::uint64_t>(base::as_bytes(bytes).data() + 8);
  }

 private:
  base::ByteSource& file_;
  std::uint64_t at_;
  std::uint32_t crc_ = 0;
};

void put_word(std::string& bytes, std::uint32_t value) {
  std::array<std::byte, word_bytes> word{};
  base::store_be(word.data(), value);
  bytes += base::as_text(word);
}

void put_place(std::string& bytes, std::uint64_t value) {
  std::array<std::byte, place_bytes> place{};
  base::store_be(place.data() + 8, value);
  bytes += base::as_text(place);
}

void put_text(std::string& bytes, std::string_view text) {
  put_word(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void read_entries(base::ByteSource& file, const Limits& limits, Map& map) {
  Walker walker(file, map.begin);
  const std::uint64_t count = walker.word("the map");
  if (count > limits.records || count > (file.size() - map.begin) / least_entry) {
    base::fail(Code::malformed, {.offset = map.begin, .found = fmt::format("{}", count)},
               "the map at byte {} has {} keys, which do not fit there", map.begin, count);
  }
  map.entries.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t k = 0; k < count; ++k) {
    std::string key = walker.text(longest_key, "a key of the map");
    map.entries.push_back({std::move(key), walker.place("the map")});
  }
  map.computed_crc = walker.crc();
  map.stated_crc = walker.word("the checksum of the map");
  map.end = walker.at();
  std::ranges::sort(map.entries, {}, &Entry::offset);
}

bool begins_with_magic(base::ByteSource& file) {
  std::array<std::byte, word_bytes + magic.size()> start{};
  if (file.read_at(0, start) < start.size()) return false;
  return base::load_be<std::uint32_t>(start.data()) == magic.size() && base::as_text(start).substr(word_bytes) == magic;
}

// malformed, truncated, too_large: the error, in a sentence without the file name.
Map read_map(base::ByteSource& file, const Limits& limits) {
  Walker walker(file, word_bytes + magic.size());
  Map map;
  map.version = walker.word("the header");
  map.text = walker.text(limits.text_bytes, "the text of the header");
  map.text_at = walker.at() - map.text.size();
  map.link_at = walker.at();
  map.begin = walker.place("the header");
  // The writer stores another position there until it closes the file.
  if (map.begin < map.header_end() || map.begin >= file.size()) {
    base::fail(Code::truncated, {.offset = map.link_at, .found = fmt::format("{}", map.begin)},
               "the header states that the map is at byte {} of {}, which is impossible: the program that wrote the "
               "file ended before it wrote the map; let it write the file again",
               map.begin, file.size());
  }
  read_entries(file, limits, map);
  return map;
}

bool is_slice_key(std::string_view key) noexcept { return key.size() == 2 * word_bytes; }

SliceKey slice_key(std::string_view key) noexcept {
  const std::byte* const bytes = base::as_bytes(key).data();
  return {static_cast<std::int32_t>(base::load_be<std::uint32_t>(bytes)),
          static_cast<std::int32_t>(base::load_be<std::uint32_t>(bytes + word_bytes))};
}

// The beginning of a file with the given number of vectors: header and map, which states that record number (vector *
// slices + slice) is `record_bytes` after the previous one, the first one directly after the map.
std::string header_and_map(std::string_view text, std::uint64_t vectors, std::uint64_t slices,
                           std::uint64_t record_bytes) {
  std::string bytes;
  put_text(bytes, magic);
  put_word(bytes, 1);
  put_text(bytes, text);
  const std::uint64_t count = base::multiply_or_throw(vectors, slices, "the map");
  put_place(bytes, bytes.size() + place_bytes);
  const std::size_t begin = bytes.size();
  const std::uint64_t map_bytes = base::multiply_or_throw(count, least_entry + 2 * word_bytes, "the map");
  std::uint64_t record = begin + word_bytes + map_bytes + word_bytes;
  put_word(bytes, static_cast<std::uint32_t>(count));
  for (std::uint64_t vector = 0; vector < vectors; ++vector) {
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      std::string key;
      put_word(key, static_cast<std::uint32_t>(slice));
      put_word(key, static_cast<std::uint32_t>(vector));
      put_text(bytes, key);
      put_place(bytes, record);
      record = base::add_or_throw(record, record_bytes, "the size of the file");
    }
  }
  put_word(bytes, kernels::crc32(0, base::as_bytes(std::string_view(bytes).substr(begin))));
  return bytes;
}

constexpr std::string_view mod_name = "mod";
constexpr std::string_view holds = "vectors of three colors and one spin in four dimensions, all of one lattice";
constexpr std::string_view header_type = "mod-header", vector_type = "mod-vector", map_type = "mod-map",
                           record_type = "mod-record";
constexpr SumName slice_sums{SumKind::crc32, SumOf::tiles};
constexpr std::uint64_t crc_bytes = 4, numbers = 6;
constexpr std::string_view data_section = "formats/mod.md 3";
// For the text: numbers for each time slice of each vector.
constexpr base::xml::Limits text_limits{.bytes = 16 << 20, .depth = 16, .elements = 200'000};
// The record of the text at the beginning of a file.
constexpr std::string_view text_name = "mod-metadata";

// The lattice as described by the text.
struct Described {
  Extents lattice;
  std::uint64_t vectors = 1;
};

[[noreturn]] void refuse_text(const std::string& sentence) { throw Error(Code::malformed, sentence); }

Described described_in(std::string_view text) {
  const base::xml::Element root = base::xml::parse(text, text_limits);
  const std::string sizes(root.text_of("lattSize").value_or(""));
  const std::vector<std::string_view> words = base::split_words(sizes);
  if (words.size() != 4)
    refuse_text(fmt::format("lattSize \"{}\" is not a lattice of four extents", base::printable(sizes)));
  Described found{.lattice = Coord::filled(4, 0)};
  for (std::size_t d = 0; d < words.size(); ++d) {
    const auto extent = base::parse_u64(words[d]);
    if (!extent || *extent < 1 || *extent >> 31 != 0) {
      refuse_text(fmt::format("lattSize \"{}\" is not a lattice of four extents", base::printable(sizes)));
    }
    found.lattice[static_cast<int>(d)] = static_cast<std::int64_t>(*extent);
  }
  if (root.text_of("decay_dir").value_or("3") != "3") {
    throw Error(Code::unsupported, "decay_dir is not 3: only slices of constant time are read");
  }
  if (const auto count = base::parse_u64(root.text_of("num_vecs").value_or("1"))) found.vectors = *count;
  return found;
}

std::uint64_t slice_sites(const Extents& lattice) {
  std::uint64_t sites = 1;
  for (int d = 0; d < 3; ++d) sites = base::multiply_or_throw(sites, static_cast<std::uint64_t>(lattice[d]), "a slice");
  return sites;
}

Payload payload_of(const Extents& lattice, Precision precision) {
  Payload payload;
  payload.spec = spinor_spec(precision, 3, 1);
  payload.spec.numbers = numbers;
  payload.extents = lattice;
  flat::set_length(payload);
  payload.tile_sites = slice_sites(lattice);
  return payload;
}

// The size of a record is the distance between its position and the next one.
std::optional<Precision> precision_of(const Map& map, std::uint64_t file_bytes, std::uint64_t sites) {
  std::uint64_t least = file_bytes;
  for (std::size_t k = 0; k < map.entries.size(); ++k) {
    const std::uint64_t begin = map.entries[k].offset;
    std::uint64_t next = k + 1 < map.entries.size() ? map.entries[k + 1].offset : file_bytes;
    if (map.begin > begin) next = std::min(next, map.begin);
    if (next > begin) least = std::min(least, next - begin);
  }
  if (least == sites * numbers * 8 + crc_bytes) return Precision::double_;
  if (least == sites * numbers * 4 + crc_bytes) return Precision::single;
  return {};
}

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits) {
    catalog_.path = file.path();
    catalog_.format = mod_name;
    catalog_.file_bytes = file.size();
  }

  Catalog run() {
    try {
      map_ = read_map(file_, limits_);
      add_record(header_type, 0, map_.header_end());
      if (const auto text = text_in(map_.text)) catalog_.metadata.emplace_back(text_name, *text);
      check_map();
      list();
      add_record(map_type, map_.begin, map_.end - map_.begin);
    } catch (const Error& error) {
      if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
      catalog_.complete = error.code() != Code::truncated;
      findings_.error(error.code(), "mod-header", record_at(header_type, 0, 0), error.what(), error.facts().expected,
                      error.facts().found);
    }
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  static std::optional<std::string> text_in(const std::string& text) {
    const std::string_view kept = base::trim(text);
    return kept.empty() ? std::nullopt : std::optional<std::string>(kept);
  }
  Record record_at(std::string_view type, std::uint64_t offset, std::uint64_t length) const {
    Record record;
    record.type = type;
    record.message = 1;
    record.number = catalog_.records.size() + 1;
    record.header_offset = record.offset = offset;
    record.data_length = length;
    return record;
  }
  Record& add_record(std::string_view type, std::uint64_t offset, std::uint64_t length) {
    return catalog_.records.emplace_back(record_at(type, offset, length));
  }

  void check_map() {
    if (map_.stated_crc == map_.computed_crc) return;
    findings_.error(Code::malformed, "mod-map-checksum", record_at(map_type, map_.begin, map_.end - map_.begin),
                    fmt::format("the map has the checksum {:08x}, it states {:08x}: keys or places are wrong; copy the "
                                "file again from its source",
                                map_.computed_crc, map_.stated_crc),
                    fmt::format("{:08x}", map_.stated_crc), fmt::format("{:08x}", map_.computed_crc));
  }

  void list() {
    if (!std::ranges::all_of(map_.entries, [](const Entry& entry) { return is_slice_key(entry.key); })) {
      for (const Entry& entry : map_.entries) add_record(record_type, entry.offset, 0);
      findings_.warning("mod-keys", catalog_.records.front(),
                        "the keys are not keys of time slices of vectors (two numbers); the contents of the file are "
                        "listed, not read");
      return;
    }
    const Described described = described_in(map_.text);
    const auto precision = precision_of(map_, file_.size(), slice_sites(described.lattice));
    if (map_.entries.empty()) return;
    if (!precision) {
      base::fail(Code::unsupported, {}, "its records do not match a time slice of {} with 6 numbers a site",
                 to_string(described.lattice));
    }
    require_likely(described, *precision);
    for (const auto& [vector, slices] : by_vector()) {
      add_vector(vector, slices, payload_of(described.lattice, *precision));
    }
  }

  // The precision follows from the lattice alone, which is a text without a checksum.
  void require_likely(const Described& described, Precision precision) {
    const Entry& first = map_.entries.front();
    const std::uint64_t bytes = slice_sites(described.lattice) * payload_of(described.lattice, precision).site_bytes();
    const auto looks = likely_precision(file_, first.offset, bytes, ByteOrder::big);
    if (!looks || *looks == precision) return;
    base::fail(Code::malformed, {},
               "on the lattice {} its numbers would be in {} precision, but they look like ones in {} precision: the "
               "lattice in its header is damaged",
               to_string(described.lattice), name(precision), name(*looks));
  }

  using Slices = std::map<std::int32_t, std::uint64_t>;  // the position of each
  std::map<std::int32_t, Slices> by_vector() const {
    std::map<std::int32_t, Slices> vectors;
    for (const Entry& entry : map_.entries) {
      const SliceKey key = slice_key(entry.key);
      vectors[key.vector][key.slice] = entry.offset;
    }
    return vectors;
  }

  void add_vector(std::int32_t vector, const Slices& slices, Payload payload) {
    const std::int64_t times = payload.extents[3];
    Record& record = add_record(vector_type, slices.begin()->second, payload.length);
    record.pieces = slices.size();
    const bool is_whole = static_cast<std::int64_t>(slices.size()) == times && slices.begin()->first == 0 &&
                          slices.rbegin()->first == times - 1;
    if (!is_whole) {
      findings_.error(
          Code::malformed, "mod-slices", record,
          fmt::format("vector {} has {} time slices of {}; it cannot be read", vector, slices.size(), times));
      return;
    }
    const std::uint64_t bytes = payload.length / static_cast<std::uint64_t>(times);
    Sum sums{slice_sums, {}};
    for (const auto& [slice, offset] : slices) {
      std::array<std::byte, crc_bytes> crc{};
      const auto end = base::checked_add(offset, bytes);
      if (!end || file_.read_at(*end, crc) < crc.size()) {
        catalog_.complete = false;
        findings_.error(Code::truncated, "mod-truncated", record,
                        fmt::format("the file ends within time slice {} of vector {}; copy it again from its source",
                                    slice, vector));
        return;
      }
      payload.tiles.push_back({0, offset, bytes});
      sums.words.push_back(base::load_be<std::uint32_t>(crc.data()));
    }
    FieldEntry field;
    field.name = "vector";
    field.payload = std::move(payload);
    field.record = catalog_.records.size() - 1;
    field.sums.set(std::move(sums));
    catalog_.fields.push_back(std::move(field));
  }

  base::ByteSource& file_;
  const Limits& limits_;
  Catalog catalog_;
  Findings findings_;
  Map map_;
};

std::string text_for(const Extents& lattice) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<MODMetaData>\n  <id>eigenVecsTimeSlice</id>\n  <lattSize>{} {} {} {}</lattSize>\n"
      "  <decay_dir>3</decay_dir>\n  <num_vecs>1</num_vecs>\n</MODMetaData>\n",
      lattice[0], lattice[1], lattice[2], lattice[3]);
}

bool is_vector(const FieldSpec& spec, const Extents& extents) noexcept {
  return extents.size() == 4 && spec.kind == FieldKind::spinor && spec.colors == 3 && spec.spins == 1;
}

class Mod final : public Container, public FieldFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    return begins_with_magic(file) ? Likeness::yes : Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return Scan(file, limits).run(); }
  std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const override;
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override { return catalog.findings; }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override;

  bool is_for(const FieldSpec& spec, const Extents& extents) const override { return is_vector(spec, extents); }
  Layout plan(const FieldRequest& request) const override;
  Layout plan_record(const RecordRequest&) const override {
    throw Error(
        Code::unsupported,
        "object files of QDP++ can hold vectors only; write records into a file of the format lime, scidac or hdf5");
  }
  Metadata carried(const Metadata&, bool) const override { return {}; }
  void store_sums(base::EditedSource&, const Catalog& catalog, const FieldEntry&, const Digest&) const override {
    base::fail(Code::unsupported, {.path = catalog.path},
               "sums of object files of QDP++ are written with the data only; convert the file");
  }
};

std::vector<RecordPiece> Mod::pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const {
  const auto field = std::ranges::find_if(catalog.fields, [&](const FieldEntry& entry) {
    return catalog.records.at(static_cast<std::size_t>(entry.record)).number == record.number;
  });
  if (field == catalog.fields.end()) return Container::pieces(file, catalog, record);
  std::vector<RecordPiece> all;
  for (const Tile& tile : field->payload.tiles) all.push_back({tile.file, tile.offset, tile.bytes});
  return all;
}

std::vector<Annotation> Mod::explain(base::ByteSource& file, const Catalog& catalog) const {
  const std::uint64_t all = file.size();
  if (catalog.records.empty()) {
    if (all == 0) return {};
    return {{0, all, "file", "cannot be read: see lq validate", "formats/mod.md 2"}};
  }
  const Map map = read_map(file, {});
  const std::string header = "formats/mod.md 2";
  std::vector<Annotation> parts{
      {0, 4 + magic.size(), "magic", std::string(magic), header},
      {4 + magic.size(), 4, "version", fmt::format("{}", map.version), header},
      {map.text_at - 4, 4 + map.text.size(), "text", base::printable(map.text, 120), header},
      {map.link_at, 16, "place of the map", fmt::format("{}", map.begin), header},
      {map.begin, map.end - map.begin, "map", fmt::format("{} keys", map.entries.size()), header}};
  for (std::size_t k = 0; k < catalog.fields.size(); ++k) {
    const std::vector<Tile>& tiles = catalog.fields[k].payload.tiles;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::uint64_t end = tiles[t].offset + tiles[t].bytes;
      parts.push_back({tiles[t].offset, tiles[t].bytes, "data", fmt::format("vector {}, time slice {}", k, t),
                       std::string(data_section)});
      parts.push_back({end, crc_bytes, "CRC-32", "of the slice before it", std::string(data_section)});
    }
  }
  std::ranges::sort(parts, {}, &Annotation::offset);
  std::vector<Annotation> whole;
  std::uint64_t end = 0;
  for (Annotation& part : parts) {
    if (part.offset > end) whole.push_back({end, part.offset - end, "not in use", "", header});
    if (part.offset < end) continue;  // a damaged map
    end = part.offset + part.length;
    whole.push_back(std::move(part));
  }
  if (all > end) whole.push_back({end, all - end, "not in use", "", header});
  return whole;
}

Layout Mod::plan(const FieldRequest& request) const {
  if (!is_vector(request.spec, request.extents)) flat::refuse(mod_name, holds, "not such a field");
  if (request.stored && *request.stored != whole(request.extents)) flat::refuse(mod_name, holds, "not a part of one");
  const auto given = std::ranges::find(request.metadata, text_name, [](const auto& text) { return text.first; });
  const std::string text = given == request.metadata.end() ? text_for(request.extents) : given->second;
  Payload payload = payload_of(request.extents, request.spec.precision);
  const auto times = static_cast<std::uint64_t>(request.extents[3]);
  const std::uint64_t bytes = payload.length / times;
  Layout layout;
  std::uint64_t at = request.offset;
  if (request.first) {
    const Described described = described_in(text);
    if (described.lattice != request.extents) {
      base::fail(Code::invalid_argument, {}, "the text {} states the lattice {}, the field has {}", text_name,
                 to_string(described.lattice), to_string(request.extents));
    }
    const std::string head = header_and_map(text, described.vectors, times, bytes + crc_bytes);
    layout.head = {flat::literal_at(0, head)};
    at = head.size();
  } else if (request.before == nullptr || !begins_with_magic(*request.before)) {
    flat::refuse(mod_name, holds, "and this is the first one");
  } else {
    const Map map = read_map(*request.before, {});
    const auto place = std::ranges::find(map.entries, at, &Entry::offset);
    if (place == map.entries.end() || described_in(map.text).lattice != request.extents) {
      flat::refuse(mod_name, holds,
                   fmt::format("and num_vecs of the text {} is the number of vectors that exist already", text_name));
    }
  }
  for (std::uint64_t t = 0; t < times; ++t) payload.tiles.push_back({0, at + t * (bytes + crc_bytes), bytes});
  layout.end = {base::add_or_throw(at, base::multiply_or_throw(times, bytes + crc_bytes, "a vector"), "the file")};
  layout.sums = {slice_sums};
  layout.tail = [tiles = payload.tiles](const Digest& digest) {
    const std::vector<std::uint32_t>& words = digest.sums.find(slice_sums)->words;
    std::vector<Literal> literals;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      std::array<std::byte, crc_bytes> crc{};
      base::store_be(crc.data(), words.at(t));
      literals.push_back(flat::literal_at(tiles[t].offset + tiles[t].bytes, base::as_text(crc)));
    }
    return literals;
  };
  layout.payload = {std::move(payload)};
  return layout;
}

}  // namespace

}  // namespace lq::format::mod

const lq::format::Format& lq::format::mod_format() {
  using namespace mod;
  static constexpr std::string_view suffixes[] = {".mod"};
  static const UncoveredHeader examiner(header_type);
  return flat::row_of<Mod>({mod_name, holds, "\"XXXXQDPLazyDiskMapObjFileXXXX\" after its length", suffixes},
                           &examiner);
}
