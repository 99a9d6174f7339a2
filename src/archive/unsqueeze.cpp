// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::unsqueeze(): all ranks decode tiles and write them to their places in the original.
#include <limequat/squeeze.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <limequat/error.hpp>

#include "archive/archive.hpp"
#include "archive/archive_job.hpp"
#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"

namespace lq {
namespace archive {
namespace {

class Unsqueezing {
 public:
  Unsqueezing(const std::string& from, const std::string& to, const Communicator& communicator,
              const SqueezeOptions& options)
      : job_(from, to, communicator, options) {}

  SqueezeReport run() {
    job_.start();
    learn();
    job_.expect(archive_.bytes);
    job_.begin(comm::agree(job_.comm(), [&] { return targets(); }));
    for (std::size_t k = 0; k < files(); ++k) job_.target(k).resize(bytes_of(k));
    comm::agree(job_.comm(), [&] {
      for (int i = 0; i < job_.threads(); ++i) {
        workers_.push_back({RestoredSource(job_.source(), archive_)});
      }
    });
    for (const Segment& segment : archive_.segments) restore(segment);
    job_.end([&](JoinedFiles& written) { compare(written); });
    return job_.report(archive_, job_.catalog().file_bytes);
  }

 private:
  std::size_t files() const noexcept { return std::max<std::size_t>(archive_.files.size(), 1); }
  std::uint64_t bytes_of(std::size_t file) const noexcept {
    return archive_.files.empty() ? archive_.bytes : archive_.files[file].length;
  }
  std::vector<ArchiveJob::Target> targets() const {
    std::vector<ArchiveJob::Target> targets;
    for (std::size_t k = 0; k < files(); ++k) {
      targets.push_back({archive_.files.empty() ? "" : archive_.files[k].suffix, bytes_of(k)});
    }
    return targets;
  }

  // The root reads the index and broadcasts it.
  void learn() {
    std::uint64_t bytes = 0;
    std::string head;
    std::vector<std::byte> index;
    const auto read = [&] {
      const Catalog& catalog = job_.catalog();
      if (catalog.format != "squeezed") {
        base::fail(Code::unsupported, catalog.path,
                   "this is not an archive but a file of the format {}; `lq squeeze` makes an archive of it",
                   catalog.format);
      }
      format::Findings findings;
      base::ReadTwice twice(job_.source());  // the head has no checksum
      const Archive archive = read_archive(twice, {}, findings).archive;
      bytes = job_.source().size();
      head = encode_head(archive);
      index = encode_index(archive);
    };
    comm::share_from_root(job_.comm(), read, bytes, head, index);
    comm::agree_alike(job_.comm(), [&] {
      archive_ = decode_head(head, 0);
      decode_index(index, 0, bytes, archive_);
    });
  }

  // A piece of a segment: a tile, or a MiB of an unchanged segment.
  base::Bytes piece_of(const Segment& segment, std::uint64_t number, int thread) {
    const std::uint64_t size = piece_bytes(segment), begin = number * size;
    WorkerState& worker = workers_[static_cast<std::size_t>(thread)];
    worker.bytes.resize(static_cast<std::size_t>(std::min(size, segment.length - begin)));
    worker.restored.read_at(segment.begin + begin, worker.bytes);
    // The checksum of unchanged segments was compared in other reads than this one.
    if (!segment.is_squeezed()) base::require_same_again(job_.source(), segment.place + begin, worker.bytes);
    return worker.bytes;
  }

  static std::uint64_t piece_bytes(const Segment& segment) noexcept {
    return segment.is_squeezed() ? segment.tile_bytes : base::mebi;
  }
  static std::uint64_t pieces_of(const Segment& segment) noexcept {
    return (segment.length + piece_bytes(segment) - 1) / piece_bytes(segment);
  }

  void restore(const Segment& segment) {
    if (!segment.is_squeezed()) require_sum(segment);
    const std::size_t file = archive_.file_at(segment.begin);
    const std::uint64_t begin = segment.begin - archive_.begin_of(file);
    io::NewFile& target = job_.target(file);
    job_.parallel_for(pieces_of(segment), [&](int thread, std::uint64_t number) {
      const base::Bytes bytes = piece_of(segment, number, thread);
      target.named([&] { target.file().write_at(begin + number * piece_bytes(segment), bytes); });
      job_.advance(thread, bytes.size());
    });
  }

  void require_sum(const Segment& segment) {
    comm::agree_at_root(job_.comm(), [&] {
      const std::uint32_t crc = crc_of(job_.source(), segment);
      if (crc == segment.crc) return;
      const std::string& path = job_.source().path();
      base::fail(Code::checksum_mismatch, {.path = path, .offset = segment.place},
                 "{} bytes at byte {}, stored unchanged, have the CRC-32 {:08x}, not {:08x}; copy the "
                 "archive again from its source",
                 segment.length, segment.place, crc, segment.crc);
    });
  }

  void compare(JoinedFiles& written) {
    for (const Segment& segment : archive_.segments) {
      const std::size_t file = archive_.file_at(segment.begin);
      const io::NewFile& target = job_.target(file);
      job_.parallel_for(pieces_of(segment), [&](int thread, std::uint64_t number) {
        const base::Bytes bytes = piece_of(segment, number, thread);
        std::vector<std::byte>& found = workers_[static_cast<std::size_t>(thread)].found;
        const std::uint64_t at = segment.begin + number * piece_bytes(segment), begin = at - archive_.begin_of(file);
        found.resize(bytes.size());
        target.named([&] { read_all(written, at, found); });
        if (std::memcmp(found.data(), bytes.data(), bytes.size()) == 0) return;
        base::fail(Code::checksum_mismatch, {.path = target.path(), .offset = begin},
                   "the data read back between bytes {} and {} differ from the data written; do not trust "
                   "this file system or disk",
                   begin, begin + bytes.size());
      });
    }
  }

  ArchiveJob job_;
  Archive archive_;
  // The state of one thread.
  struct WorkerState {
    RestoredSource restored;
    std::vector<std::byte> bytes = {}, found = {};
  };
  std::vector<WorkerState> workers_;
};

}  // namespace
}  // namespace archive

SqueezeReport unsqueeze(const std::string& from, const std::string& to, const Communicator& communicator,
                        const SqueezeOptions& options) {
  const auto work = comm::agree(
      communicator.engine(), [&] { return std::make_unique<archive::Unsqueezing>(from, to, communicator, options); });
  return work->run();
}

}  // namespace lq
