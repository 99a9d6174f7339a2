// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The callbacks move data and call back for each piece; they call a C function, which finds its state by the
// number passed in place of a handle.
#include "compat/sion/callback_comm.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/wire.hpp"
#include "multifile/comm_exchange.hpp"

namespace lq::compat::sion {
namespace {

using multifile::CollectorExchange;
using multifile::CollectorGroup;
using multifile::FileExtent;

// Where the message of a failure begins among the offsets of data: no file is that long. A single byte: no message.
constexpr std::int64_t words_offset = std::int64_t{1} << 62;

// The task of a callback here, while it runs. Kept in an intrusive list, so that none of them allocates.
class CallbackState {
 public:
  CallbackState(const CollectorExchange::Write* for_writing, const CollectorExchange::Read* for_reading)
      : write(for_writing), read(for_reading) {
    const std::lock_guard lock(mutex_);
    do {
      next_number_ = (next_number_ + 1) & 0x7fffffff;
    } while (find_unlocked(next_number_) != nullptr);
    number_ = next_number_;
    next_ = first_;
    first_ = this;
  }
  ~CallbackState() {
    const std::lock_guard lock(mutex_);
    CallbackState** place = &first_;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
  }
  CallbackState(const CallbackState&) = delete;
  CallbackState& operator=(const CallbackState&) = delete;

  int number() const noexcept { return number_; }
  static CallbackState* find(int number) {
    const std::lock_guard lock(mutex_);
    return find_unlocked(number);
  }

  // Receives the message of a failed task, or a part of it.
  void hear(base::Bytes part) {
    has_heard = true;
    base::keep_failure(lack_, [&] {
      if (part.size() > 1 || !words_.empty()) words_.insert(words_.end(), part.begin(), part.end());
    });
  }
  // The error that occurred here or was received.
  std::exception_ptr outcome() const {
    if (failure || !has_heard) return failure;
    return lack_ ? comm::preallocated_out_of_memory() : comm::received_error(words_);
  }

  const CollectorExchange::Write* write;
  const CollectorExchange::Read* read;
  std::exception_ptr failure;
  bool has_heard = false;

 private:
  static CallbackState* find_unlocked(int number) {
    CallbackState* state = first_;
    while (state != nullptr && state->number_ != number) state = state->next_;
    return state;
  }

  static inline std::mutex mutex_;
  static inline CallbackState* first_ = nullptr;
  static inline int next_number_ = 0;

  int number_ = 0;
  CallbackState* next_ = nullptr;
  std::vector<std::byte> words_;
  std::exception_ptr lack_;
};

template <class Work>
int run(int number, const sion_int64* spec, const Work& work) noexcept {
  CallbackState* const state = CallbackState::find(number);
  if (state == nullptr || spec == nullptr) return SION_STD_NOT_SUCCESS;
  // Always success for the callback, otherwise it would leave tasks that still send or wait.
  if (spec[0] == FileExtent::nowhere || spec[1] <= 0 || state->failure) return SION_STD_SUCCESS;
  base::keep_failure(state->failure, [&] { work(*state, FileExtent{spec[0], spec[1]}); });
  return SION_STD_SUCCESS;
}

int process_write(const void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](CallbackState& state, const FileExtent& piece) {
    const base::Bytes bytes(static_cast<const std::byte*>(data), static_cast<std::size_t>(piece.bytes));
    if (piece.offset >= words_offset) return state.hear(bytes);
    if (!state.has_heard) (*state.write)(piece, bytes);
  });
}

// A failed task also requests bytes: the offset it requests means failure.
int process_read(void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](CallbackState& state, const FileExtent& piece) {
    const base::MutableBytes bytes(static_cast<std::byte*>(data), static_cast<std::size_t>(piece.bytes));
    if (piece.offset >= words_offset) {
      state.has_heard = true;
    } else {
      (*state.read)(piece, bytes);
    }
  });
}

// Callbacks wait for a signal to continue, which nothing sends to tasks that report an error: an empty piece is not an
// error, and the message of a failure is sent as data at an offset that no file has.
std::array<sion_int64, 2> spec_of(const FileExtent& extent) {
  if (extent.offset == FileExtent::nowhere) return {0, 0};
  if (extent.offset == FileExtent::failed) return {words_offset, std::max<std::int64_t>(extent.bytes, 1)};
  return {extent.offset, extent.bytes};
}

void require_success(const Api& api, int rc) {
  if (rc == SION_STD_SUCCESS) return;
  throw Error(Code::communication, fmt::format("API {}: the callback for data failed with {}", api.name, rc));
}

class CallbackExchange final : public CollectorExchange {
 public:
  CallbackExchange(std::shared_ptr<const Api> api, std::shared_ptr<void> group, int task)
      : api_(std::move(api)), group_(std::move(group)), task_(task) {}

  void collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data, const Write& write) override {
    std::exception_ptr failure;
    base::keep_failure(failure, [&] { gather_and_write(*api_, gathering(group), mine, data, write); });
    broadcast_error(group, failure);
  }

  void scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                    const Read& read) override {
    std::exception_ptr failure;
    CallbackState state(nullptr, &read);
    if (task_ == group.collector) {
      multifile::CommExchange::read_own(mine, data, group.piece_bytes, read, state.failure);
    }
    std::byte nothing{};
    const bool has_no_words = mine.offset == FileExtent::failed && mine.bytes == 0;
    base::keep_failure(failure, [&] { scatter(group, spec_of(mine), has_no_words ? &nothing : data.data(), state); });
    failure = state.failure ? state.failure : failure;
    // Their message is sent in another way.
    std::uint64_t words_follow = state.has_heard && !failure ? 1 : 0;
    spread(group, std::as_writable_bytes(std::span(&words_follow, 1)));
    if (words_follow == 1) {
      const bool has_failed = mine.offset == FileExtent::failed;
      const auto no_data = [](const FileExtent&, base::Bytes) {};
      base::keep_failure(failure, [&] {
        gather_and_write(*api_, gathering(group), has_failed ? mine : FileExtent(), has_failed ? data : base::Bytes(),
                         no_data);
      });
    }
    broadcast_error(group, failure);
  }

 private:
  GroupRange gathering(const CollectorGroup& group) const {
    return {group_.get(),     task_, group.collector, group.collector + 1, group.collector + group.tasks - 1,
            group.piece_bytes};
  }

  void scatter(const CollectorGroup& group, std::array<sion_int64, 2> spec, void* data,
               const CallbackState& state) const {
    require_success(*api_, api_->execute_scatter(data, spec.data(), 2, group.piece_bytes, group_.get(), group.collector,
                                                 group.collector + 1, group.collector + group.tasks - 1, state.number(),
                                                 process_read));
  }

  // Sends the collector's bytes to all.
  void spread(const CollectorGroup& group, base::MutableBytes bytes) const {
    const auto copy = [&](const FileExtent& piece, base::MutableBytes to) {
      std::ranges::copy(base::Bytes(bytes).subspan(static_cast<std::size_t>(piece.offset), to.size()), to.begin());
    };
    const Read read = copy;
    CallbackState state(nullptr, &read);
    if (group.tasks > 1) scatter(group, {0, static_cast<sion_int64>(bytes.size())}, bytes.data(), state);
  }

  void broadcast_error(const CollectorGroup& group, const std::exception_ptr& failure) const {
    comm::broadcast_error(task_ == group.collector, failure, [&](base::MutableBytes bytes) { spread(group, bytes); });
    if (failure) std::rethrow_exception(failure);
  }

  std::shared_ptr<const Api> api_;
  std::shared_ptr<void> group_;
  int task_;
};

}  // namespace

void gather_and_write(const Api& api, const GroupRange& where, const FileExtent& mine, base::Bytes data,
                      const CollectorExchange::Write& write) {
  CallbackState state(&write, nullptr);
  auto spec = spec_of(mine);
  if (where.task == where.collector) multifile::CommExchange::write_own(mine, data, write, state.failure);
  const std::byte nothing{};
  const int rc =
      api.gather_execute(data.empty() ? &nothing : data.data(), spec.data(), 2, where.piece_bytes, where.group,
                         where.collector, where.first, where.last, state.number(), process_write);
  if (const auto failure = state.outcome()) std::rethrow_exception(failure);
  require_success(api, rc);
}

std::shared_ptr<CollectorExchange> make_callback_exchange(std::shared_ptr<const Api> api, std::shared_ptr<void> group,
                                                          int task) {
  if (api->gather_execute == nullptr || api->execute_scatter == nullptr) return nullptr;
  return std::make_shared<CallbackExchange>(std::move(api), std::move(group), task);
}

}  // namespace lq::compat::sion
