// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The callbacks move data and call back for each piece; what they call is a C function, which finds its errand by the
// number that it is given in place of a handle.
#include "compat/sion/callback_courier.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/keep_failure.hpp"
#include "comm/error_wire.hpp"
#include "multifile/comm_courier.hpp"

namespace lq::compat::sion {
namespace {

using multifile::CollectorGroup;
using multifile::Courier;
using multifile::Parcel;

// Where the words of a failure begin among the places of data: no file is that long. A single byte stands for no words.
constexpr std::int64_t words_offset = std::int64_t{1} << 62;

// What a callback is to do here, while it is under way. They are a list, so that none of them asks for memory.
class Errand {
 public:
  Errand(const Courier::Write* for_writing, const Courier::Read* for_reading) : write(for_writing), read(for_reading) {
    const std::lock_guard lock(mutex_);
    do {
      next_number_ = (next_number_ + 1) & 0x7fffffff;
    } while (find_unlocked(next_number_) != nullptr);
    number_ = next_number_;
    next_ = first_;
    first_ = this;
  }
  ~Errand() {
    const std::lock_guard lock(mutex_);
    Errand** place = &first_;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
  }
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;

  int number() const noexcept { return number_; }
  static Errand* find(int number) {
    const std::lock_guard lock(mutex_);
    return find_unlocked(number);
  }

  // The words of a task that has failed, or a part of them.
  void hear(base::Bytes part) {
    has_heard = true;
    base::keep_failure(lack_, [&] {
      if (part.size() > 1 || !words_.empty()) words_.insert(words_.end(), part.begin(), part.end());
    });
  }
  // What went wrong here, or what was heard.
  std::exception_ptr outcome() const {
    if (failure || !has_heard) return failure;
    return lack_ ? comm::no_memory_for_words() : comm::told_error(words_);
  }

  const Courier::Write* write;
  const Courier::Read* read;
  std::exception_ptr failure;
  bool has_heard = false;

 private:
  static Errand* find_unlocked(int number) {
    Errand* errand = first_;
    while (errand != nullptr && errand->number_ != number) errand = errand->next_;
    return errand;
  }

  static inline std::mutex mutex_;
  static inline Errand* first_ = nullptr;
  static inline int next_number_ = 0;

  int number_ = 0;
  Errand* next_ = nullptr;
  std::vector<std::byte> words_;
  std::exception_ptr lack_;
};

template <class Work>
int run(int number, const sion_int64* spec, const Work& work) noexcept {
  Errand* const errand = Errand::find(number);
  if (errand == nullptr || spec == nullptr) return SION_STD_NOT_SUCCESS;
  // Always well for the callback, which would leave those who still send or wait.
  if (spec[0] == Parcel::nowhere || spec[1] <= 0 || errand->failure) return SION_STD_SUCCESS;
  base::keep_failure(errand->failure, [&] { work(*errand, Parcel{spec[0], spec[1]}); });
  return SION_STD_SUCCESS;
}

int process_write(const void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](Errand& errand, const Parcel& piece) {
    const base::Bytes bytes(static_cast<const std::byte*>(data), static_cast<std::size_t>(piece.bytes));
    if (piece.offset >= words_offset) return errand.hear(bytes);
    if (!errand.has_heard) (*errand.write)(piece, bytes);
  });
}

// A task that has failed asks for bytes, too: that it asks there says so.
int process_read(void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](Errand& errand, const Parcel& piece) {
    const base::MutableBytes bytes(static_cast<std::byte*>(data), static_cast<std::size_t>(piece.bytes));
    if (piece.offset >= words_offset) {
      errand.has_heard = true;
    } else {
      (*errand.read)(piece, bytes);
    }
  });
}

// Callbacks wait for a signal to go on, which nobody gives to those who send an error: nothing at all is no error, and
// words of a failure are data at a place that no file has.
std::array<sion_int64, 2> spec_of(const Parcel& parcel) {
  if (parcel.offset == Parcel::nowhere) return {0, 0};
  if (parcel.offset == Parcel::failed) return {words_offset, std::max<std::int64_t>(parcel.bytes, 1)};
  return {parcel.offset, parcel.bytes};
}

void require_success(const Api& api, int rc) {
  if (rc == SION_STD_SUCCESS) return;
  throw Error(Code::communication, fmt::format("API {}: the callback for data failed with {}", api.name, rc));
}

class CallbackCourier final : public Courier {
 public:
  CallbackCourier(std::shared_ptr<const Api> api, std::shared_ptr<void> group, int task)
      : api_(std::move(api)), group_(std::move(group)), task_(task) {}

  void collect(const CollectorGroup& group, const Parcel& mine, base::Bytes data, const Write& write) override {
    std::exception_ptr failure;
    base::keep_failure(failure, [&] { gather_and_write(*api_, gathering(group), mine, data, write); });
    make_known(group, failure);
  }

  void deal_out(const CollectorGroup& group, const Parcel& mine, base::MutableBytes data, const Read& read) override {
    std::exception_ptr failure;
    Errand errand(nullptr, &read);
    if (task_ == group.collector) {
      multifile::CommCourier::read_own(mine, data, group.piece_bytes, read, errand.failure);
    }
    std::byte nothing{};
    const bool has_no_words = mine.offset == Parcel::failed && mine.bytes == 0;
    base::keep_failure(failure, [&] { scatter(group, spec_of(mine), has_no_words ? &nothing : data.data(), errand); });
    failure = errand.failure ? errand.failure : failure;
    // Their words have another way.
    std::uint64_t words_follow = errand.has_heard && !failure ? 1 : 0;
    spread(group, std::as_writable_bytes(std::span(&words_follow, 1)));
    if (words_follow == 1) {
      const bool has_failed = mine.offset == Parcel::failed;
      const auto no_data = [](const Parcel&, base::Bytes) {};
      base::keep_failure(failure, [&] {
        gather_and_write(*api_, gathering(group), has_failed ? mine : Parcel(), has_failed ? data : base::Bytes(),
                         no_data);
      });
    }
    make_known(group, failure);
  }

 private:
  Gathering gathering(const CollectorGroup& group) const {
    return {group_.get(),     task_, group.collector, group.collector + 1, group.collector + group.tasks - 1,
            group.piece_bytes};
  }

  void scatter(const CollectorGroup& group, std::array<sion_int64, 2> spec, void* data, const Errand& errand) const {
    require_success(*api_, api_->execute_scatter(data, spec.data(), 2, group.piece_bytes, group_.get(), group.collector,
                                                 group.collector + 1, group.collector + group.tasks - 1,
                                                 errand.number(), process_read));
  }

  // The collector's bytes, to all.
  void spread(const CollectorGroup& group, base::MutableBytes bytes) const {
    const auto copy = [&](const Parcel& piece, base::MutableBytes to) {
      std::ranges::copy(base::Bytes(bytes).subspan(static_cast<std::size_t>(piece.offset), to.size()), to.begin());
    };
    const Read read = copy;
    Errand errand(nullptr, &read);
    if (group.tasks > 1) scatter(group, {0, static_cast<sion_int64>(bytes.size())}, bytes.data(), errand);
  }

  void make_known(const CollectorGroup& group, const std::exception_ptr& failure) const {
    comm::make_known(task_ == group.collector, failure, [&](base::MutableBytes bytes) { spread(group, bytes); });
    if (failure) std::rethrow_exception(failure);
  }

  std::shared_ptr<const Api> api_;
  std::shared_ptr<void> group_;
  int task_;
};

}  // namespace

void gather_and_write(const Api& api, const Gathering& where, const Parcel& mine, base::Bytes data,
                      const Courier::Write& write) {
  Errand errand(&write, nullptr);
  auto spec = spec_of(mine);
  if (where.task == where.collector) multifile::CommCourier::write_own(mine, data, write, errand.failure);
  const std::byte nothing{};
  const int rc =
      api.gather_execute(data.empty() ? &nothing : data.data(), spec.data(), 2, where.piece_bytes, where.group,
                         where.collector, where.first, where.last, errand.number(), process_write);
  if (const auto failure = errand.outcome()) std::rethrow_exception(failure);
  require_success(api, rc);
}

std::shared_ptr<Courier> make_callback_courier(std::shared_ptr<const Api> api, std::shared_ptr<void> group, int task) {
  if (api->gather_execute == nullptr || api->execute_scatter == nullptr) return nullptr;
  return std::make_shared<CallbackCourier>(std::move(api), std::move(group), task);
}

}  // namespace lq::compat::sion
