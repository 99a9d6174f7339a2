// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of a team find each other by the place of the team among nested ones.
#include "compat/sion/omp_team.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

// Weak: whoever calls from a parallel region has linked the OpenMP library.
extern "C" {
int omp_get_thread_num(void) __attribute__((weak));
int omp_get_num_threads(void) __attribute__((weak));
int omp_get_level(void) __attribute__((weak));
int omp_get_ancestor_thread_num(int level) __attribute__((weak));
}

namespace lq::compat::sion {
namespace {

constexpr int most_threads = 300;

using TeamName = std::vector<int>;  // thread numbers of its ancestors

TeamName name_of_team() {
  TeamName name;
  if (omp_get_level == nullptr) return name;
  for (int level = 1; level < omp_get_level(); ++level) name.push_back(omp_get_ancestor_thread_num(level));
  name.push_back(omp_get_level());
  return name;
}

struct Arrival {
  std::shared_ptr<multifile::ThreadsComm::Shared> shared;
  int arrived = 0;
};

std::shared_ptr<multifile::ThreadsComm::Shared> meet_team(int threads) {
  static std::mutex mutex;
  static std::map<TeamName, Arrival> arrivals;
  const std::lock_guard lock(mutex);
  const TeamName name = name_of_team();
  Arrival& arrival = arrivals[name];
  if (!arrival.shared) arrival.shared = std::make_shared<multifile::ThreadsComm::Shared>(threads, nullptr);
  const auto shared = arrival.shared;
  if (++arrival.arrived == threads) arrivals.erase(name);
  return shared;
}

}  // namespace

int omp_thread() noexcept { return omp_get_thread_num == nullptr ? 0 : omp_get_thread_num(); }

std::shared_ptr<multifile::ThreadsComm> omp_threads(const std::function<std::shared_ptr<comm::Comm>()>& between) {
  const int threads = omp_get_num_threads == nullptr ? 1 : omp_get_num_threads();
  const int thread = omp_thread();
  const auto shared = meet_team(threads);
  shared->group.together(
      thread, nullptr,
      [&] {
        if (threads > most_threads) {
          throw Error(Code::unsupported, fmt::format("{} threads; at most {} can share a file", threads, most_threads));
        }
        shared->between = between();
      },
      [] {});
  return std::make_shared<multifile::ThreadsComm>(shared, thread);
}

}  // namespace lq::compat::sion
