// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/errand.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"
#include "threads/deal.hpp"
#include "threads/how_many.hpp"

namespace lq::archive {

Errand::Errand(const std::string& from, const std::string& to, const Communicator& communicator,
               const SqueezeOptions& options)
    : from_(from),
      to_(to),
      options_(options),
      communicator_(communicator),
      comm_(communicator.engine()),
      place_(transport::resolve(to)),
      target_(place_, communicator, to) {}

void Errand::start() {
  comm::require_same(comm_, [&] {
    std::vector<comm::Stated> all = options::stated("SqueezeOptions", options_);
    all.push_back({"from", from_});
    all.push_back({"to", to_});
    return all;
  });
  comm::agree_at_root(comm_, [&] { io::require_target(place_, to_, options_.overwrite); });
  source_ = io::ScannedFile::open(transport::resolve(from_), from_, communicator_, {});
  source_->open_everywhere();
  comm::agree(comm_, [&] {
    catalog().require_sound();
    file_ = source_->files().open_read(from_);
    identity_ = file_->identity();
  });
}

void Errand::begin(std::uint64_t bytes) {
  target_.create(options_.overwrite, bytes);
  const transport::Unit unit = comm::agree(comm_, [&] { return target_.unit(); });
  writers_ = io::writers_of_pieces(comm_, unit);
  target_.open_for_writing(writes());
  team_.emplace(threads::how_many(comm_, options_.threads, total_));
}

void Errand::deal_out(std::uint64_t count, base::FunctionRef<void(int, std::uint64_t)> work) {
  comm::agree(comm_, [&] {
    if (!writes()) return;
    const lattice::Share share = lattice::share_of(count, writers_, static_cast<std::uint64_t>(comm_.rank()));
    target_.named([&] {
      threads::deal_out(*team_, share.end - share.begin,
                        [&](int thread, std::uint64_t i) { work(thread, share.begin + i); });
    });
  });
}

void Errand::advance(int thread, std::uint64_t bytes) {
  const std::uint64_t done = done_ += bytes, share = (total_ + writers_ - 1) / writers_;
  if (options_.progress && thread == 0 && is_root()) options_.progress(std::min(done, share), share);
}

void Errand::end(base::FunctionRef<void(transport::File&)> check) {
  comm::agree(comm_, [&] {
    if (transport::is_unchanged(identity_, file_->identity())) return;
    throw Error(Code::io, from_ + ": it was written to while it was read; do it again when nobody writes to it",
                {.path = from_});
  });
  target_.finish(options_.sync);
  if (options_.verify == Verify::read_back) {
    std::unique_ptr<transport::File> written;
    comm::agree(comm_, [&] { written = place_.open_read(target_.temporary_path()); });
    check(*written);
  }
  target_.publish(options_.sync);
}

SqueezeReport Errand::report(const squeezed::Archive& archive, std::uint64_t archive_bytes) {
  SqueezeReport report;
  comm::agree(comm_, [&] { report.format = archive.format; });
  report.original_bytes = archive.bytes;
  report.archive_bytes = archive_bytes;
  for (const squeezed::Segment& segment : archive.segments) {
    if (!segment.is_squeezed()) continue;
    report.squeezed_bytes += segment.length;
    report.tiles += segment.tiles.size();
  }
  report.seconds = watch_.seconds();
  return report;
}

void read_all(transport::File& file, std::uint64_t offset, base::MutableBytes bytes) {
  if (file.read_at(offset, bytes) == bytes.size()) return;
  throw Error(Code::io,
              fmt::format("{}: it ends before byte {}, where it did not when it was looked at; do it again when nobody "
                          "writes to it",
                          file.path(), offset + bytes.size()),
              {.path = file.path(), .offset = offset});
}

}  // namespace lq::archive
