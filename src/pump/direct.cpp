// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/direct.hpp"

#include <array>
#include <utility>

#include "base/clock.hpp"
#include "pump/block.hpp"
#include "pump/errand.hpp"
#include "pump/stretches.hpp"

namespace lq::pump {
namespace {

// Blocks take turns: one is with the storage, the other with the packer.
class Turns {
 public:
  Turns(const PumpOptions& options, std::uint64_t site_bytes)
      : blocks_{Block(options.block_bytes, site_bytes),
                Block(options.second_thread ? options.block_bytes : 0, site_bytes)},
        errand_(options.second_thread) {}

  Errand& storage() noexcept { return errand_; }
  Block& block(int turn) noexcept { return blocks_[errand_.has_thread() ? static_cast<std::size_t>(turn) : 0]; }
  std::uint64_t max_sites() const noexcept { return blocks_[0].max_sites(); }
  std::uint64_t bytes() const noexcept { return blocks_[0].bytes() + blocks_[1].bytes(); }

 private:
  std::array<Block, 2> blocks_;
  Errand errand_;
};

class MoveOut final : public Movement {
 public:
  MoveOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, transport::File& file,
          const PumpOptions& options, Tally& tally)
      : payload_(payload),
        source_(field, payload, rows, tally.sums),
        file_(file),
        tally_(tally),
        turns_(options, payload.site_bytes()),
        stretches_(source_.rows(), turns_.max_sites()) {}

  Progress step() override {
    if (is_cancelled() || !stretches_.next(stretch_)) {
      turns_.storage().finish();
      return Progress::finished;
    }
    const std::uint64_t site_bytes = payload_.site_bytes();
    const base::MutableBytes bytes = turns_.block(turn_).first_sites(stretch_.sites);
    turn_ ^= 1;
    {
      base::ScopedSeconds seconds(tally_.pack_seconds);
      std::byte* to = bytes.data();
      for (const Piece& piece : stretch_.pieces) {
        source_.pack(piece, to, tally_.sums);
        to += piece.sites * site_bytes;
      }
    }
    tally_.bytes += bytes.size();
    turns_.storage().begin([this, bytes, offset = payload_.origin() + stretch_.file_site * site_bytes] {
      const base::ScopedSeconds seconds(tally_.storage_seconds);
      file_.write_at(offset, bytes);
    });
    return Progress::moved;
  }

  std::uint64_t memory_bytes() const noexcept override { return turns_.bytes(); }

 private:
  const Payload& payload_;
  LocalSource source_;
  transport::File& file_;
  Tally& tally_;
  int turn_ = 0;
  Stretch stretch_;
  Turns turns_;  // its thread uses the others
  Stretches stretches_;
};

class MoveIn final : public Movement {
 public:
  MoveIn(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows, const MutableField& field,
         const PumpOptions& options, Tally& tally)
      : payload_(payload),
        sink_(field, payload, rows, tally.sums),
        file_(file),
        tally_(tally),
        turns_(options, payload.site_bytes()),
        stretches_(sink_.rows(), turns_.max_sites()) {}

  Progress step() override {
    if (is_cancelled()) return Progress::finished;
    if (!fetched_.any) fetch(fetched_);
    if (!fetched_.any) return Progress::finished;
    turns_.storage().finish();
    std::swap(fetched_, current_);
    fetched_.any = false;
    if (turns_.storage().has_thread()) fetch(fetched_);
    take(current_);
    return Progress::moved;
  }

  std::uint64_t memory_bytes() const noexcept override { return turns_.bytes(); }

 private:
  struct Fetched {
    bool any = false;
    Stretch stretch;
    base::MutableBytes bytes;
    std::byte* place = nullptr;  // in the user's memory, if that is where they are
  };

  // Has the next stretch read.
  void fetch(Fetched& next) {
    next.any = stretches_.next(next.stretch);
    if (!next.any) return;
    const std::uint64_t site_bytes = payload_.site_bytes();
    // What lies in memory as in the file, but for byte order, is read to its place and not copied there.
    next.place = next.stretch.pieces.size() == 1 ? sink_.in_place(next.stretch.pieces.front()) : nullptr;
    next.bytes = next.place != nullptr
                     ? base::MutableBytes{next.place, static_cast<std::size_t>(next.stretch.sites * site_bytes)}
                     : turns_.block(turn_).first_sites(next.stretch.sites);
    turn_ ^= 1;
    turns_.storage().begin(
        [this, bytes = next.bytes, offset = payload_.origin() + next.stretch.file_site * site_bytes] {
          const base::ScopedSeconds seconds(tally_.storage_seconds);
          read_whole(file_, offset, bytes);
        });
  }

  void take(const Fetched& fetched) {
    const base::ScopedSeconds seconds(tally_.pack_seconds);
    const Stretch& stretch = fetched.stretch;
    watch_zeros(payload_, fetched.bytes, stretch.file_site, tally_.zeros);
    if (fetched.place != nullptr) {
      sink_.packer().turn(fetched.place, Run(stretch.pieces.front()), tally_.sums);
    } else {
      const std::byte* from = fetched.bytes.data();
      for (const Piece& piece : stretch.pieces) {
        sink_.unpack(piece, from, tally_.sums);
        from += piece.sites * payload_.site_bytes();
      }
    }
    tally_.bytes += fetched.bytes.size();
  }

  const Payload& payload_;
  LocalSink sink_;
  base::ByteSource& file_;
  Tally& tally_;
  int turn_ = 0;
  Fetched fetched_, current_;
  Turns turns_;  // its thread uses the others
  Stretches stretches_;
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
