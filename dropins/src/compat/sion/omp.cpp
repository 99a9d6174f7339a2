// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the threads of a parallel region.
#include "compat/sion/omp.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"

// Threads of a team find each other by the position of the team among nested ones.

// Weak: programs that call from a parallel region have linked the OpenMP library.
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

#define SION_OMP
#include <sion_omp.h>

using namespace lq::compat::sion;

extern "C" {

int sion_paropen_omp(const char* fname, const char* file_mode, sion_int64* chunksize, sion_int32* fsblksize,
                     int* globalrank, FILE** fileptr, char** newfname) {
  const char* const function = "sion_paropen_omp";
  try {
    const auto threads = omp_threads([] { return std::shared_ptr<lq::comm::Comm>(lq::comm::make_self()); });
    const int thread = threads->rank();
    const ParallelArguments arguments{function,   fname,   file_mode, chunksize, fsblksize,
                                      globalrank, fileptr, newfname,  {}};
    const int sid = open_in_parallel(std::make_shared<lq::multifile::ThreadsTeam>(threads), arguments,
                                     {0, 1, thread, threads->size()}, thread);
    if (sid >= 0 && globalrank != nullptr) *globalrank = thread;
    return sid;
  } catch (const std::exception& error) {
    return report_failure(function, error, omp_thread());
  }
}

int sion_parclose_omp(int sid) { return close_handle("sion_parclose_omp", sid); }
}

LQ_ALSO_AS_LSION(sion_paropen_omp, sion_parclose_omp);
