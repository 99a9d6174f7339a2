// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See direct.hpp.
#include "pump/direct.hpp"

#include "base/clock.hpp"
#include "pump/block.hpp"
#include "pump/stretches.hpp"

namespace lq::pump {
namespace {

class MoveOut final : public Movement {
 public:
  MoveOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, transport::File& file,
          const PumpOptions& options, Tally& tally)
      : payload_(payload),
        source_(field, payload, rows, options.checksum),
        file_(file),
        tally_(tally),
        block_(options.block_bytes, payload.spec.site_bytes()),
        stretches_(source_.rows(), block_.max_sites()) {}

  Progress step() override {
    if (is_cancelled() || !stretches_.next(stretch_)) return Progress::finished;
    const std::uint64_t site_bytes = payload_.spec.site_bytes();
    const base::MutableBytes bytes = block_.first_sites(stretch_.sites);
    {
      base::ScopedSeconds seconds(tally_.pack_seconds);
      std::byte* to = bytes.data();
      for (const Piece& piece : stretch_.pieces) {
        source_.pack(piece, to, tally_.sums);
        to += piece.sites * site_bytes;
      }
    }
    base::ScopedSeconds seconds(tally_.storage_seconds);
    file_.write_at(payload_.offset + stretch_.file_site * site_bytes, bytes);
    tally_.bytes += bytes.size();
    return Progress::moved;
  }

  std::uint64_t memory_bytes() const noexcept override { return block_.bytes(); }

 private:
  const Payload& payload_;
  LocalSource source_;
  transport::File& file_;
  Tally& tally_;
  Block block_;
  Stretches stretches_;
  Stretch stretch_;
};

class MoveIn final : public Movement {
 public:
  MoveIn(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows, const MutableField& field,
         const PumpOptions& options, Tally& tally)
      : payload_(payload),
        sink_(field, payload, rows, options.checksum),
        file_(file),
        tally_(tally),
        block_(options.block_bytes, payload.spec.site_bytes()),
        stretches_(sink_.rows(), block_.max_sites()) {}

  Progress step() override {
    if (is_cancelled() || !stretches_.next(stretch_)) return Progress::finished;
    // What lies in memory as in the file, but for byte order, is read to its place and not copied there.
    std::byte* const place = stretch_.pieces.size() == 1 ? sink_.in_place(stretch_.pieces.front()) : nullptr;
    const std::uint64_t site_bytes = payload_.spec.site_bytes();
    const base::MutableBytes bytes =
        place != nullptr ? base::MutableBytes{place, static_cast<std::size_t>(stretch_.sites * site_bytes)}
                         : block_.first_sites(stretch_.sites);
    {
      base::ScopedSeconds seconds(tally_.storage_seconds);
      read_whole(file_, payload_.offset + stretch_.file_site * site_bytes, bytes);
    }
    base::ScopedSeconds seconds(tally_.pack_seconds);
    watch_zeros(payload_, bytes, stretch_.file_site, tally_.zeros);
    if (place != nullptr) {
      sink_.packer().turn(place, Run(stretch_.pieces.front()), tally_.sums);
    } else {
      const std::byte* from = bytes.data();
      for (const Piece& piece : stretch_.pieces) {
        sink_.unpack(piece, from, tally_.sums);
        from += piece.sites * site_bytes;
      }
    }
    tally_.bytes += bytes.size();
    return Progress::moved;
  }

  std::uint64_t memory_bytes() const noexcept override { return block_.bytes(); }

 private:
  const Payload& payload_;
  LocalSink sink_;
  base::ByteSource& file_;
  Tally& tally_;
  Block block_;
  Stretches stretches_;
  Stretch stretch_;
};

class MoveBy final : public Movement {
 public:
  explicit MoveBy(std::function<void()> work) : work_(std::move(work)) {}
  Progress step() override {
    if (work_ && !is_cancelled()) work_();
    return Progress::finished;
  }
  std::uint64_t memory_bytes() const noexcept override { return 0; }

 private:
  std::function<void()> work_;
};

}  // namespace

std::unique_ptr<Movement> move_nothing() { return move_by({}); }

std::unique_ptr<Movement> move_by(std::function<void()> work) { return std::make_unique<MoveBy>(std::move(work)); }

std::unique_ptr<Movement> move_out(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                   transport::File& file, const PumpOptions& options, Tally& tally) {
  return std::make_unique<MoveOut>(field, payload, rows, file, options, tally);
}

std::unique_ptr<Movement> move_in(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                  const MutableField& field, const PumpOptions& options, Tally& tally) {
  return std::make_unique<MoveIn>(file, payload, rows, field, options, tally);
}

}  // namespace lq::pump
