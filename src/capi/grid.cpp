// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids and communicators: handles that wrap C++ values.
#include <algorithm>
#include <string>

#include "capi/grid_call.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "comm/message_comm.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

namespace {

lq::Error error_of(const lq_failure& failure) {
  const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  lq::ErrorFacts facts;
  facts.path = text(failure.path);
  facts.record = text(failure.record);
  facts.expected = text(failure.expected);
  facts.found = text(failure.found);
  if (failure.offset >= 0) facts.offset = static_cast<std::uint64_t>(failure.offset);
  facts.system_errno = failure.system_errno;
  const auto code = static_cast<lq::Code>(failure.status);
  if (code == lq::Code::ok || lq::name(code) == "unknown") {
    reject("the status of a failure is " + std::to_string(failure.status) + ", expected one of lq_status but LQ_OK");
  }
  return lq::Error(code, text(failure.sentence), facts);
}

// Collective.
void agree_on(const lq::Communicator& group, const lq_failure* failure) {
  agreed(group, [&] {
    if (failure != nullptr) throw error_of(given_options(failure, lq_failure{}));
    return true;
  });
}

}  // namespace

void lq_communicator_free(lq_communicator* communicator) { delete communicator; }
int lq_communicator_rank(const lq_communicator* communicator) {
  return communicator ? communicator->communicator.rank() : 0;
}
int lq_communicator_size(const lq_communicator* communicator) {
  return communicator ? communicator->communicator.size() : 1;
}

lq_status lq_communicator_agree(const lq_communicator* communicator, const lq_failure* failure) {
  return guarded([&] { agree_on(communicator_of(communicator), failure); });
}

lq_status lq_grid_agree(const lq_grid* grid, const lq_failure* failure) {
  return guarded([&] { agree_on(grid_of(grid).communicator(), failure); });
}

lq_status lq_grid_self(const int64_t* extents, int dimensions, lq_grid** grid) {
  return guarded([&] { HandleSlot(grid, "grid").fill(lq::Grid(coord_of(extents, dimensions, "extents"))); });
}

lq_status lq_grid_options_init(lq_grid_options* options, size_t struct_size) {
  return init_options(options, struct_size, default_grid);
}

lq_status lq_grid_create(const int64_t* extents, int dimensions, const lq_communicator* communicator,
                         const lq_grid_options* options, lq_grid** grid) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(communicator);
    auto [slot, call] = agreed(group, [&] {
      auto translated = std::pair(HandleSlot(grid, "grid"), grid_call(extents, dimensions, options, group.size()));
      if (!translated.second.axes.empty())
        reject("the axes must be those of a Cartesian MPI communicator: lq_grid_mpi_with");
      return translated;
    });
    slot.fill(lq::Grid(group, call.extents, call.options));
  });
}

void lq_grid_free(lq_grid* grid) { delete grid; }

int lq_grid_dimensions(const lq_grid* grid) { return grid ? grid->grid.extents().size() : 0; }
uint64_t lq_grid_volume(const lq_grid* grid) { return grid ? grid->grid.volume() : 0; }
uint64_t lq_grid_local_volume(const lq_grid* grid) { return grid ? grid->grid.local_volume() : 0; }
int lq_grid_rank(const lq_grid* grid) { return grid ? grid->grid.rank() : -1; }
int lq_grid_size(const lq_grid* grid) { return grid ? grid->grid.size() : 0; }

lq_status lq_grid_extents(const lq_grid* grid, int64_t* extents) {
  return guarded([&] { std::ranges::copy(grid_of(grid).extents(), given(extents, "extents")); });
}

lq_status lq_grid_processes(const lq_grid* grid, int64_t* processes) {
  return guarded([&] { std::ranges::copy(grid_of(grid).processes(), given(processes, "processes")); });
}

lq_status lq_grid_local_box(const lq_grid* grid, int64_t* lower, int64_t* extents) {
  return guarded([&] {
    const lq::Box& box = grid_of(grid).local_box();
    given(lower, "lower");
    given(extents, "extents");
    std::ranges::copy(box.lower, lower);
    std::ranges::copy(box.extents, extents);
  });
}

// Communicators built on the caller's functions.

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
    reject("operations: send, receive and test are required, but one of them is NULL");
  }
  if (table.size < 1 || table.rank < 0 || table.rank >= table.size) {
    reject("operations: rank " + std::to_string(table.rank) + " of " + std::to_string(table.size));
  }
  if (table.tags != 0 && table.tags < least_tags) {
    reject("operations: " + std::to_string(table.tags) + " tags, expected at least " + std::to_string(least_tags) +
           ", or 0");
  }
}

}  // namespace

lq_status lq_communicator_create(const lq_operations* operations, lq_communicator** communicator) {
  return guarded([&] {
    given(communicator, "communicator");
    const lq_operations table = given_options(given(operations, "operations"), lq_operations{});
    check(table);
    *communicator = new lq_communicator{lq::Communicator(
        std::shared_ptr<lq::comm::Comm>(lq::comm::make_message_comm(std::make_shared<Operations>(table))))};
  });
}
