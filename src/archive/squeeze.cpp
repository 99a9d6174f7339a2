// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::squeeze(): segment by segment; all ranks encode tiles, whose places are assigned when their sizes are known.
#include <limequat/squeeze.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "archive/archive.hpp"
#include "archive/archive_job.hpp"
#include "archive/codec/tile.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "engine/encoded_tiles.hpp"
#include "io/judgement.hpp"
#include "io/source_check.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "kernels/crc32.hpp"
#include "lattice/tile_map.hpp"

namespace lq {
namespace archive {
namespace {

// Decodes and compares everything that it encodes.
class CheckedCodec final : public format::TileCodec {
 public:
  explicit CheckedCodec(const format::TileCodec& codec) : codec_(codec) {}
  std::vector<std::byte> encode(base::Bytes tile) const override {
    std::vector<std::byte> encoded = codec_.encode(tile);
    const auto again = std::make_unique_for_overwrite<std::byte[]>(tile.size());
    codec_.decode(encoded, {again.get(), tile.size()});
    if (std::memcmp(tile.data(), again.get(), tile.size()) == 0) return encoded;
    throw Error(Code::internal, "a tile does not decode to its original bytes; please report this, with the file");
  }
  void decode(base::Bytes encoded, base::MutableBytes tile) const override { codec_.decode(encoded, tile); }

 private:
  const format::TileCodec& codec_;
};

class Squeezing {
 public:
  Squeezing(const std::string& from, const std::string& to, const Communicator& communicator,
            const SqueezeOptions& options)
      : job_(from, to, communicator, options), options_(options) {}

  SqueezeReport run() {
    job_.start();
    std::vector<std::uint64_t> sizes = comm::agree(job_.comm(), [&] { return job_.source().sizes(); });
    job_.comm().broadcast(std::as_writable_bytes(std::span(sizes)), 0);
    archive_ = comm::agree_alike(job_.comm(), [&] { return cut_source(sizes); });
    comm::agree_at_root(job_.comm(), [&] { require_found(); });
    job_.expect(archive_.bytes);
    const ArchiveJob::Target one;
    job_.begin({&one, 1});
    require_structure();
    comm::agree(job_.comm(), [&] { begin_checks(); });
    write_record(type::head, [&] {
      const std::string head = encode_head(archive_);
      const base::Bytes bytes = base::as_bytes(head);
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    });
    for (Segment& segment : archive_.segments) {
      if (segment.is_squeezed()) {
        squeeze_segment(segment);
      } else {
        copy_segment(segment);
      }
    }
    require_sums();
    write_record(type::index, [&] { return encode_index(archive_); });
    job_.end([&](JoinedFiles& written) { read_back(written); });
    return job_.report(archive_, end_);
  }

 private:
  Archive cut_source(const std::vector<std::uint64_t>& sizes) const {
    const Catalog& catalog = job_.catalog();
    if (catalog.format == "squeezed") {
      base::fail(Code::unsupported, catalog.path, "this is already an archive; `lq unsqueeze` restores its original");
    }
    return cut(catalog, sizes);
  }

  // One for each thread.
  void begin_checks() {
    if (options_.verify == Verify::none) return;
    for (int i = 0; i < job_.threads(); ++i) {
      checks_.push_back(i > 0 ? checks_.front().fresh() : io::SourceCheck(job_.catalog(), [&](int file) {
        return std::optional<std::uint64_t>(job_.source().begin_of(file));
      }));
    }
  }

  // Checks bytes of the original from `offset` on, as they were read.
  void check(int thread, std::uint64_t offset, base::Bytes bytes) {
    if (checks_.empty()) return;
    io::SourceCheck& mine = checks_[static_cast<std::size_t>(thread)];
    mine.begin(offset);
    mine.pass(job_.source(), bytes);
    mine.end(job_.source());
  }

  // An archive would keep a damaged original indefinitely, and look intact.
  void require_structure() {
    if (options_.verify == Verify::none) return;
    const Verification found = io::verify_structure(job_.scanned(), job_.communicator(), {});
    comm::agree_alike(job_.comm(), [&] {
      if (const auto error = io::first_error(found)) throw refused(*error);
    });
  }

  void require_sums() {
    if (checks_.empty()) return;
    for (std::size_t i = 1; i < checks_.size(); ++i) checks_.front().add(checks_[i]);
    checks_.front().reduce(job_.comm());
    comm::agree_alike(job_.comm(), [&] {
      const std::vector<Error> mismatches = checks_.front().mismatches();
      if (!mismatches.empty()) throw refused(mismatches.front());
    });
    // Where no sum proves the links, what they are does.
    if (checks_.front().sees_all() && std::ranges::all_of(job_.catalog().fields, io::has_exact_sum)) return;
    const Verification found = io::verify(job_.catalog().path, job_.communicator());
    comm::agree_alike(job_.comm(), [&] {
      if (const auto error = io::first_error(found)) throw refused(*error);
    });
  }

  static Error refused(const Error& mismatch) {
    return {mismatch.code(),
            fmt::format("{}. Nothing was squeezed; `lq repair` repairs what can be repaired, and options.verify = "
                        "none keeps the file as it is",
                        mismatch.what()),
            mismatch.facts()};
  }

  // In an archive the files of a set have names without folders.
  void require_found() const {
    if (archive_.files.empty()) return;
    Archive plain = archive_;
    plain.segments.clear();
    for (const OriginalFile& file : plain.files) {
      plain.segments.push_back({.begin = file.begin, .length = file.length, .place = file.begin});
    }
    auto first = RestoredSource::first_file(job_.source(), plain);
    const Catalog found = format::format_named(plain.format).container->scan(first, {});
    const Catalog& catalog = job_.catalog();
    if (found.first_error() == nullptr && found.fields.size() == catalog.fields.size()) return;
    base::fail(Code::unsupported, catalog.path,
               "cannot squeeze this set: its {} files refer to each other by path, not only by file name, "
               "so the references would break inside an archive. Convert the set to a single file first",
               catalog.files.size());
  }

  template <class Make>
  void write_record(std::string_view type, const Make& make) {
    std::uint64_t length = 0;
    job_.target().write([&] {
      std::vector<std::byte> contents = make();
      length = contents.size();
      const std::uint64_t place = place_behind(end_);
      std::vector<format::Literal> literals = frame_of(type, place, length);
      literals.push_back({0, place, std::move(contents)});
      return literals;
    });
    job_.comm().broadcast(std::as_writable_bytes(std::span(&length, 1)), 0);
    end_ = end_of(place_behind(end_), length);
  }

  void end_record(std::string_view type, const Segment& segment) {
    job_.target().write([&] { return frame_of(type, segment.place, segment.stored_bytes()); });
    end_ = end_of(segment.place, segment.stored_bytes());
  }

  void copy_segment(Segment& segment) {
    segment.place = place_behind(end_);
    comm::agree_at_root(job_.comm(), [&] {
      job_.target().named([&] {
        std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(segment.length, base::mebi)));
        for (std::uint64_t at = 0; at < segment.length;) {
          const auto count = std::min<std::uint64_t>(bytes.size(), segment.length - at);
          const base::MutableBytes piece = base::MutableBytes(bytes).first(static_cast<std::size_t>(count));
          read_all(job_.source(), segment.begin + at, piece);
          check(0, segment.begin + at, piece);
          segment.crc = kernels::crc32(segment.crc, piece);
          job_.target().file().write_at(segment.place + at, piece);
          at += count;
        }
      });
    });
    end_record(type::verbatim, segment);
  }

  void squeeze_segment(Segment& segment) {
    segment.place = place_behind(end_);
    const auto tiles = comm::agree(job_.comm(), [&] { return std::make_unique<Tiles>(*this, segment); });
    std::vector<std::vector<std::byte>> memory = buffers();
    job_.parallel_for(tiles->payload.tiles.size(), [&](int thread, std::uint64_t tile) {
      std::vector<std::byte>& bytes = memory[static_cast<std::size_t>(thread)];
      bytes.resize(static_cast<std::size_t>(segment.bytes_of(tile)));
      const std::uint64_t begin = segment.begin + tile * segment.tile_bytes;
      read_all(job_.source(), begin, bytes);
      check(thread, begin, bytes);
      job_.target().named([&] { tiles->encoded.write(static_cast<std::size_t>(tile), 0, bytes); });
      job_.advance(thread, bytes.size());
    });
    segment.tiles = tiles->encoded.settle(job_.comm());
    end_record(type::data, segment);
  }

  // Tiles of a segment that are being written.
  struct Tiles {
    Tiles(Squeezing& of, const Segment& segment)
        : payload(segment.as_payload()),
          map(payload),
          codec(codec_of(segment.numbers)),
          checked(codec),
          encoded({of.job_.target().path(), payload.tiles, {of.job_.writes() ? &of.job_.target().file() : nullptr}},
                  of.options_.verify == Verify::none ? codec : checked, map, 1) {}

    Payload payload;
    lattice::TileMap map;
    const format::TileCodec& codec;
    CheckedCodec checked;
    engine::EncodedTiles encoded;
  };

  // Checks that every tile decodes to its original bytes, by its checksum, and the same for everything else.
  void read_back(JoinedFiles& written) {
    comm::agree_at_root(job_.comm(), [&] { require_same_records(written); });
    std::vector<RestoredSource> restored = comm::agree(job_.comm(), [&] {
      return std::vector(static_cast<std::size_t>(job_.threads()), RestoredSource(written, archive_));
    });
    std::vector<std::vector<std::byte>> memory = buffers();
    for (const Segment& segment : archive_.segments) {
      if (!segment.is_squeezed()) continue;
      job_.parallel_for(segment.tiles.size(), [&](int thread, std::uint64_t tile) {
        const auto i = static_cast<std::size_t>(thread);
        memory[i].resize(static_cast<std::size_t>(segment.bytes_of(tile)));
        job_.target().named([&] { restored[i].read_at(segment.begin + tile * segment.tile_bytes, memory[i]); });
      });
    }
  }

  void require_same_records(JoinedFiles& written) {
    format::Findings findings;
    const Archive found = read_archive(written, {}, findings).archive;
    bool is_same = encode_head(found) == encode_head(archive_) && encode_index(found) == encode_index(archive_);
    for (const Segment& segment : archive_.segments) {
      is_same = is_same && (segment.is_squeezed() || crc_of(written, segment) == segment.crc);
    }
    if (is_same) return;
    const std::string& path = job_.target().path();
    base::fail(Code::checksum_mismatch, path,
               "the data read back differ from the data written; do not trust this file system or disk");
  }

  // Collective. One for each thread.
  std::vector<std::vector<std::byte>> buffers() const {
    return comm::agree(job_.comm(),
                       [&] { return std::vector<std::vector<std::byte>>(static_cast<std::size_t>(job_.threads())); });
  }

  ArchiveJob job_;
  const SqueezeOptions& options_;
  Archive archive_;
  std::uint64_t end_ = 0;
  std::vector<io::SourceCheck> checks_;  // one for each thread, with checksums
};

}  // namespace
}  // namespace archive

SqueezeReport squeeze(const std::string& from, const std::string& to, const Communicator& communicator,
                      const SqueezeOptions& options) {
  const auto work = comm::agree(communicator.engine(),
                                [&] { return std::make_unique<archive::Squeezing>(from, to, communicator, options); });
  return work->run();
}

}  // namespace lq
