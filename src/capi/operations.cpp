// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators out of the caller's own functions.
#include <string>

#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "comm/message_comm.hpp"

namespace {

using lq::comm::Flight;

constexpr int usual_tags = 1 << 20;
constexpr int least_tags = 2 * lq::comm::channels;

class Operations final : public lq::comm::MessageTransport {
 public:
  explicit Operations(const lq_operations& table) : table_(table) {
    if (table_.tags == 0) table_.tags = usual_tags;
  }
  ~Operations() override {
    if (table_.free != nullptr) table_.free(table_.context);
  }
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  int rank() const noexcept override { return table_.rank; }
  int size() const noexcept override { return table_.size; }
  std::uint64_t node() const noexcept override { return table_.node; }
  int tags() const noexcept override { return table_.tags; }

  Flight start_send(std::span<const std::byte> bytes, int to, int tag) override {
    std::uint64_t message = 0;
    check(table_.send(table_.context, bytes.data(), bytes.size(), to, tag, &message), "send", to);
    return Flight(UnderWay(*this, message));
  }
  Flight start_receive(std::span<std::byte> bytes, int from, int tag) override {
    std::uint64_t message = 0;
    check(table_.receive(table_.context, bytes.data(), bytes.size(), from, tag, &message), "receive", from);
    return Flight(UnderWay(*this, message));
  }

 private:
  class UnderWay {
   public:
    UnderWay(Operations& operations, std::uint64_t message) noexcept : operations_(&operations), message_(message) {}
    UnderWay(UnderWay&& other) noexcept : operations_(other.operations_), message_(std::exchange(other.message_, 0)) {}
    UnderWay& operator=(UnderWay&&) = delete;
    ~UnderWay() {
      if (message_ != 0 && operations_->table_.drop != nullptr) {
        operations_->table_.drop(operations_->table_.context, message_);
      }
    }
    bool is_done() {
      int done = 1;
      if (message_ != 0) operations_->test(message_, done);
      if (done != 0) message_ = 0;
      return done != 0;
    }

   private:
    Operations* operations_;
    std::uint64_t message_;  // 0: done
  };

  void test(std::uint64_t message, int& done) { check(table_.test(table_.context, message, &done), "test", -1); }

  void check(int status, const char* operation, int other) const {
    if (status == 0) return;
    const char* why = table_.failure == nullptr ? nullptr : table_.failure(table_.context);
    std::string sentence = std::string("the communicator's operation ") + operation + " failed";
    if (other >= 0) sentence += " (the other rank is " + std::to_string(other) + ")";
    lq::ErrorFacts facts;
    facts.found = std::to_string(status);
    sentence += ": " + (why == nullptr || *why == '\0' ? "it returned " + facts.found : std::string(why));
    throw lq::Error(lq::Code::communication, sentence, facts);
  }

  lq_operations table_;
};

void check(const lq_operations& table) {
  if (table.send == nullptr || table.receive == nullptr || table.test == nullptr) {
    lq::capi::reject("operations: send, receive and test are needed, one of them is NULL");
  }
  if (table.size < 1 || table.rank < 0 || table.rank >= table.size) {
    lq::capi::reject("operations: rank " + std::to_string(table.rank) + " of " + std::to_string(table.size));
  }
  if (table.tags != 0 && table.tags < least_tags) {
    lq::capi::reject("operations: " + std::to_string(table.tags) + " tags, expected at least " +
                     std::to_string(least_tags) + ", or 0");
  }
}

}  // namespace

lq_status lq_communicator_create(const lq_operations* operations, lq_communicator** communicator) {
  return lq::capi::guarded([&] {
    lq::capi::given(communicator, "communicator");
    const lq_operations table = lq::capi::given_options(lq::capi::given(operations, "operations"), lq_operations{});
    check(table);
    *communicator = new lq_communicator{lq::Communicator(
        std::shared_ptr<lq::comm::Comm>(lq::comm::make_message_comm(std::make_shared<Operations>(table))))};
  });
}
