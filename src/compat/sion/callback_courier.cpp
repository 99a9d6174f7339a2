// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The callbacks move data and call back for each piece; what they call is a C function, which finds its errand by the
// number that it is given in place of a handle.
#include "compat/sion/callback_courier.hpp"

#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/keep_failure.hpp"
#include "multifile/comm_courier.hpp"

namespace lq::compat::sion {
namespace {

using multifile::CollectorGroup;
using multifile::Courier;
using multifile::Parcel;

struct Errand {
  const Courier::Write* write = nullptr;
  const Courier::Read* read = nullptr;
  std::exception_ptr failure = nullptr;
};

std::mutex errands_mutex;
std::map<int, Errand*> errands;
int next_errand = 0;

class Registered {
 public:
  explicit Registered(Errand& errand) {
    const std::lock_guard lock(errands_mutex);
    while (errands.contains(next_errand)) next_errand = (next_errand + 1) & 0x7fffffff;
    number_ = next_errand++ & 0x7fffffff;
    errands[number_] = &errand;
  }
  ~Registered() {
    const std::lock_guard lock(errands_mutex);
    errands.erase(number_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  int number() const noexcept { return number_; }

 private:
  int number_ = 0;
};

template <class Work>
int run(int number, const sion_int64* spec, const Work& work) noexcept {
  Errand* errand = nullptr;
  {
    const std::lock_guard lock(errands_mutex);
    const auto found = errands.find(number);
    if (found != errands.end()) errand = found->second;
  }
  if (errand == nullptr || spec == nullptr) return SION_STD_NOT_SUCCESS;
  // Always well for the callback, which would leave those who still send or wait.
  if (spec[0] == Parcel::nowhere || spec[1] <= 0 || errand->failure) return SION_STD_SUCCESS;
  base::keep_failure(errand->failure, [&] { work(*errand, Parcel{spec[0], spec[1]}); });
  return SION_STD_SUCCESS;
}

int process_write(const void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](const Errand& errand, const Parcel& piece) {
    (*errand.write)(piece, {static_cast<const std::byte*>(data), static_cast<std::size_t>(piece.bytes)});
  });
}

int process_read(void* data, sion_int64* spec, int number) {
  return run(number, spec, [&](const Errand& errand, const Parcel& piece) {
    (*errand.read)(piece, {static_cast<std::byte*>(data), static_cast<std::size_t>(piece.bytes)});
  });
}

// Callbacks wait for a signal to go on, which nobody gives to those who send an error: nothing at all is no error. They
// have no way for the error of a task, which is told on that task only.
std::array<sion_int64, 2> spec_of(const Parcel& parcel) {
  if (parcel.offset == Parcel::nowhere || parcel.offset == Parcel::failed) return {0, 0};
  return {parcel.offset, parcel.bytes};
}

void finish(const Api& api, int rc, const Errand& errand) {
  if (errand.failure) std::rethrow_exception(errand.failure);
  if (rc == SION_STD_SUCCESS) return;
  throw Error(Code::communication, fmt::format("API {}: the callback for data failed with {}", api.name, rc));
}

class CallbackCourier final : public Courier {
 public:
  CallbackCourier(std::shared_ptr<const Api> api, std::shared_ptr<void> group, int task)
      : api_(std::move(api)), group_(std::move(group)), task_(task) {}

  void collect(const CollectorGroup& group, const Parcel& mine, base::Bytes data, const Write& write) override {
    const Gathering where{
        group_.get(),     task_, group.collector, group.collector + 1, group.collector + group.tasks - 1,
        group.piece_bytes};
    gather_and_write(*api_, where, mine, data, write);
  }

  void deal_out(const CollectorGroup& group, const Parcel& mine, base::MutableBytes data, const Read& read) override {
    Errand errand;
    errand.read = &read;
    const Registered registered(errand);
    auto spec = spec_of(mine);
    if (task_ == group.collector) {
      multifile::CommCourier::read_own(mine, data, group.piece_bytes, read, errand.failure);
    }
    const int rc = api_->execute_scatter(data.data(), spec.data(), 2, group.piece_bytes, group_.get(), group.collector,
                                         group.collector + 1, group.collector + group.tasks - 1, registered.number(),
                                         process_read);
    finish(*api_, rc, errand);
  }

 private:
  std::shared_ptr<const Api> api_;
  std::shared_ptr<void> group_;
  int task_;
};

}  // namespace

void gather_and_write(const Api& api, const Gathering& where, const Parcel& mine, base::Bytes data,
                      const Courier::Write& write) {
  Errand errand;
  errand.write = &write;
  const Registered registered(errand);
  auto spec = spec_of(mine);
  if (where.task == where.collector) multifile::CommCourier::write_own(mine, data, write, errand.failure);
  const int rc = api.gather_execute(data.data(), spec.data(), 2, where.piece_bytes, where.group, where.collector,
                                    where.first, where.last, registered.number(), process_write);
  finish(api, rc, errand);
}

std::shared_ptr<Courier> make_callback_courier(std::shared_ptr<const Api> api, std::shared_ptr<void> group, int task) {
  if (api->gather_execute == nullptr || api->execute_scatter == nullptr) return nullptr;
  return std::make_shared<CallbackCourier>(std::move(api), std::move(group), task);
}

}  // namespace lq::compat::sion
