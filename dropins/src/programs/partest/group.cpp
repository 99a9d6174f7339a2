// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/partest/target.hpp"

namespace lq::partest {
namespace {

class RankGroup final : public Group {
 public:
  explicit RankGroup(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void barrier() override { MPI_Barrier(comm_); }

  std::vector<std::string> gather(const std::string& mine) override {
    const auto ranks = static_cast<std::size_t>(rank_ == 0 ? size_ : 0);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks), places(ranks);
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm_);
    int total = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      places[r] = total;
      total += lengths[r];
    }
    std::string joined(static_cast<std::size_t>(total), ' ');
    MPI_Gatherv(mine.data(), length, MPI_CHAR, joined.data(), lengths.data(), places.data(), MPI_CHAR, 0, comm_);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < ranks; ++r) {
      texts.push_back(joined.substr(static_cast<std::size_t>(places[r]), static_cast<std::size_t>(lengths[r])));
    }
    return texts;
  }

  std::string broadcast(const std::string& text) override {
    std::string result = text;
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, comm_);
    result.resize(static_cast<std::size_t>(length));
    MPI_Bcast(result.data(), length, MPI_CHAR, 0, comm_);
    return result;
  }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

// Texts of the threads of a rank as one, each after its length; and back.
std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) {
    packed += std::to_string(text.size());
    packed += ':';
    packed += text;
  }
  return packed;
}

void unpack(const std::string& packed, std::vector<std::string>& texts) {
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t colon = packed.find(':', at);
    const std::size_t length = std::stoul(packed.substr(at, colon - at));
    texts.push_back(packed.substr(colon + 1, length));
    at = colon + 1 + length;
  }
}

}  // namespace

class ThreadGroup final : public Group {
 public:
  ThreadGroup(ThreadTeam& team, int thread) : team_(team), thread_(thread) {}
  int rank() const noexcept override { return team_.ranks_->rank() * team_.threads_ + thread_; }
  int size() const noexcept override { return team_.ranks_->size() * team_.threads_; }

  void barrier() override {
    together([&] { team_.ranks_->barrier(); });
  }

  std::vector<std::string> gather(const std::string& mine) override {
    team_.texts_[static_cast<std::size_t>(thread_)] = mine;
    std::vector<std::string> texts;
    together([&] {
      for (const std::string& packed : team_.ranks_->gather(pack(team_.texts_))) unpack(packed, texts);
    });
    return texts;
  }

  std::string broadcast(const std::string& text) override {
    together([&] { team_.answer_ = team_.ranks_->broadcast(text); });
    return team_.answer_;
  }

 private:
  template <class Work>
  void together(const Work& work) {
    team_.meeting_.arrive_and_wait();
    if (thread_ == 0) work();
    team_.meeting_.arrive_and_wait();
  }

  ThreadTeam& team_;
  int thread_;
};

ThreadTeam::ThreadTeam(int threads, MPI_Comm comm)
    : threads_(threads), ranks_(make_ranks(comm)), meeting_(threads), texts_(static_cast<std::size_t>(threads)) {}

std::unique_ptr<Group> make_ranks(MPI_Comm comm) { return std::make_unique<RankGroup>(comm); }
std::unique_ptr<Group> make_threads(ThreadTeam& team, int thread) {
  return std::make_unique<ThreadGroup>(team, thread);
}

}  // namespace lq::partest
