// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles over callbacks: APIs and the opens over them.
#include <cstdlib>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/callback_comm.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::compat::sion {
namespace {

// Sets a callback of an API once.
template <class Callback>
int enter(const char* function, int aid, Callback Api::*place, Callback callback) noexcept {
  return guarded(function, SION_NOT_SUCCESS, -1, [&] {
    const auto api = find_api(aid);
    if (!api) return report_error(SION_NOT_SUCCESS, -1, fmt::format("{}: invalid sion_apidesc {}", function, aid));
    if (api.get()->*place != nullptr) {
      return report_error(SION_NOT_SUCCESS, -1, fmt::format("{}: already registered for apiid={}", function, aid));
    }
    api.get()->*place = callback;
    return SION_SUCCESS;
  });
}

std::shared_ptr<Api> complete_api(int aid) {
  auto api = find_api(aid);
  if (!api) throw Error(Code::invalid_argument, fmt::format("invalid sion_apidesc {}", aid));
  if (!api->is_complete()) {
    throw Error(Code::invalid_argument, fmt::format("API {} not correctly initalized, aborting", api->name));
  }

  return api;
}

// Physical files are named by the API's rule.
ParallelArguments with_names(ParallelArguments arguments, const Api& api) {
  if (api.file_name == nullptr) return arguments;
  arguments.names = [&api](const std::string& name, std::int32_t number) {
    char* const made = api.file_name(name.c_str(), number);
    if (made == nullptr) throw Error(Code::invalid_argument, "the callback for names of files gave none");
    const std::string result = made;
    std::free(made);
    return result;
  };
  return arguments;
}

struct GenericPlace {
  void* group;
  int rank, size;
  int* file;
  int* files;
  const int* task;
  const int* tasks;
};

int open_generic(int aid, const ParallelArguments& arguments, const GenericPlace& place) {
  try {
    const auto api = complete_api(aid);
    if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
      throw Error(Code::invalid_argument, fmt::format("global rank {} not valid (0..{})", place.rank, place.size - 1));
    }
    const auto team = make_callback_team(api, place.group, place.rank, place.size);
    const auto mode = comm::agree(team->all(), [&] {
      if (place.file == nullptr) throw Error(Code::invalid_argument, "No filenumber variable given");
      if (place.files == nullptr) throw Error(Code::invalid_argument, "No numfiles variable given");
      const auto wanted = mode_of(arguments.mode);
      if (wanted.direction != multifile::Direction::write && wanted.buddies == 0) return wanted;
      if (place.task == nullptr) throw Error(Code::invalid_argument, "No lrank variable given");
      if (place.tasks == nullptr) throw Error(Code::invalid_argument, "No lsize variable given");
      return wanted;
    });
    multifile::TaskLocation location, found;
    if (mode.direction == multifile::Direction::write || mode.buddies > 0) {
      location = {*place.file, *place.files, *place.task, *place.tasks};
    }
    const int sid = open_in_parallel(team, with_names(arguments, *api), location, place.rank, &found);
    if (sid >= 0) *place.file = found.file;
    if (sid >= 0) *place.files = found.files;
    return sid;
  } catch (const std::exception& error) {
    return report_failure(arguments.function, error, place.rank);
  }
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_generic_create_api(char* name) {
  return guarded("sion_generic_create_api", SION_ID_NOT_VALID, -1, [&] {
    if (name == nullptr) {
      return report_error(SION_ID_NOT_VALID, -1, "sion_generic_create_api: name for API not given, aborting ...\n");
    }
    auto api = std::make_shared<Api>();
    api->name = name;
    return add_handle(std::move(api));
  });
}

int sion_generic_free_api(int aid) {
  return guarded("sion_generic_free_api", SION_NOT_SUCCESS, -1, [&] {
    if (!find_api(aid)) {
      return report_error(SION_NOT_SUCCESS, -1, fmt::format("sion_generic_free_api: invalid sion_apidesc {}", aid));
    }
    drop_handle(aid);
    return SION_SUCCESS;
  });
}

#define LQ_REGISTER(callback, member)                                              \
  int sion_generic_register_##callback(int aid, decltype(Api::member) function) {  \
    return enter("sion_generic_register_" #callback, aid, &Api::member, function); \
  }
LQ_REGISTER(create_local_commgroup_cb, create_group)
LQ_REGISTER(free_local_commgroup_cb, free_group)
LQ_REGISTER(barrier_cb, barrier)
LQ_REGISTER(bcastr_cb, broadcast)
LQ_REGISTER(gatherr_cb, gather)
LQ_REGISTER(scatterr_cb, scatter)
LQ_REGISTER(gathervr_cb, gather_many)
LQ_REGISTER(scattervr_cb, scatter_many)
LQ_REGISTER(gather_and_execute_cb, gather_execute)
LQ_REGISTER(execute_and_scatter_cb, execute_scatter)
LQ_REGISTER(get_capability_cb, capability)

int sion_generic_register_get_multi_filename_cb(int aid, char* get_multi_filename_cb(const char*, int)) {
  enter("sion_generic_register_get_multi_filename_cb", aid, &Api::file_name, get_multi_filename_cb);
  return 0;  // in any case, as in SIONlib
}

int sion_generic_paropen(int aid, const char* fname, const char* file_mode, sion_int64* chunksize,
                         sion_int32* fsblksize, void* gcommgroup, int grank, int gsize, int* filenumber, int* numfiles,
                         const int* lrank, const int* lsize, FILE** fileptr, char** newfname) {
  return open_generic(aid,
                      {"sion_generic_paropen", fname, file_mode, chunksize, fsblksize, nullptr, fileptr, newfname, {}},
                      {gcommgroup, grank, gsize, filenumber, numfiles, lrank, lsize});
}

int sion_generic_parclose(int sid) { return close_handle("sion_generic_parclose", sid); }

int sion_generic_paropen_mapped(int aid, char* fname, const char* file_mode, int* numFiles, void* gcommgroup, int grank,
                                int gsize, int* nlocaltasks, int** globalranks, sion_int64** chunksizes,
                                int** mapping_filenrs, int** mapping_lranks, sion_int32* fsblksize, FILE** fileptr) {
  const char* const function = "sion_generic_paropen_mapped";
  try {
    const auto api = complete_api(aid);
    const MappedArguments arguments{
        with_names({function, fname, file_mode, nullptr, fsblksize, nullptr, fileptr, nullptr, {}}, *api),
        numFiles,
        nlocaltasks,
        globalranks,
        chunksizes,
        mapping_filenrs,
        mapping_lranks};
    return open_mapped(make_callback_comm(api, gcommgroup, grank, gsize), arguments);
  } catch (const std::exception& error) {
    return report_failure(function, error, grank);
  }
}

int sion_generic_parclose_mapped(int sid) { return close_handle("sion_generic_parclose_mapped", sid); }

int sion_generic_parreinit(int sid, sion_int64 chunksize) {
  return with_file("sion_generic_parreinit", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    auto* const file = dynamic_cast<lq::multifile::ParallelFile*>(open.file.get());
    if (file == nullptr)
      return report_error(SION_NOT_SUCCESS, open.rank, "sion_generic_parreinit: not opened in parallel");
    file->resize_chunks(chunksize);
    return SION_SUCCESS;
  });
}
}

LQ_ALSO_AS_LSION(sion_generic_create_api, sion_generic_free_api, sion_generic_register_create_local_commgroup_cb,
                 sion_generic_register_free_local_commgroup_cb, sion_generic_register_barrier_cb,
                 sion_generic_register_bcastr_cb, sion_generic_register_gatherr_cb, sion_generic_register_scatterr_cb,
                 sion_generic_register_gathervr_cb, sion_generic_register_scattervr_cb,
                 sion_generic_register_get_multi_filename_cb, sion_generic_register_gather_and_execute_cb,
                 sion_generic_register_execute_and_scatter_cb, sion_generic_register_get_capability_cb,
                 sion_generic_paropen, sion_generic_parclose, sion_generic_paropen_mapped, sion_generic_parclose_mapped,
                 sion_generic_parreinit);
