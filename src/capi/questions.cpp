// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queries about files, with results as JSON.
#include <algorithm>
#include <tuple>

#include <limequat/diagnose.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/plan.hpp>
#include <limequat/stall.hpp>

#include "capi/answers.hpp"
#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/transfer_call.hpp"
#include "io/replaceable.hpp"
#include "storage/transport.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

namespace {

// Collective.
auto from_to(const lq::Communicator& group, const char* from, const char* to, const lq_convert_options* options) {
  return agreed(group, [&] { return std::tuple(text(from, "from"), text(to, "to"), convert_options(options)); });
}

}  // namespace

lq_status lq_formats(char** json) {
  return answered(json, [] { return lq::formats(); });
}

lq_status lq_build_parts(char** json) {
  return answered(json, [] { return lq::build_parts(); });
}

lq_status lq_inspect(const char* path, const lq_scan_options* options, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [name, limits] = agreed(group, [&] {
      given(json, "json");
      return std::pair(text(path, "path"), options_of(options));
    });
    hand_out_json(lq::inspect(name, group, limits), json);
  });
}

lq_status lq_verify(const char* path, const lq_verify_options* options, int* is_sound, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [name, how] = agreed(group, [&] {
      given(is_sound, "is_sound");
      return std::pair(text(path, "path"), options_of(options));
    });
    const lq::Verification verification = lq::verify(name, group, how);
    hand_out_json(verification, json);
    *is_sound = verification.ok;
  });
}

lq_status lq_diagnose(const char* path, const lq_diagnose_options* options, int* is_ok, char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::Diagnosis diagnosis = lq::diagnose(text(path, "path"), options_of(options));
    hand_out_json(diagnosis, json);
    *is_ok = diagnosis.ok;
  });
}

lq_status lq_convert(const char* from, const char* to, const lq_convert_options* options, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [source, target, how] = from_to(group, from, to, options);
    hand_out_json(lq::convert(source, target, group, how), json);
  });
}

lq_status lq_export_virtual(const char* from, const char* to, const lq_convert_options* options) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [source, target, how] = from_to(group, from, to, options);
    lq::export_virtual(source, target, group, how);
  });
}

lq_status lq_diff(const char* a, const char* b, const lq_diff_options* options, int* is_same, char** json) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    const auto [one, other, how, answer] = agreed(group, [&] {
      given(is_same, "is_same");
      lq_difference* const wanted = given_options(options).difference;
      if (wanted != nullptr) room_in(wanted, "difference");
      return std::tuple(text(a, "a"), text(b, "b"), options_of(options), wanted);
    });
    const lq::Difference difference = lq::diff(one, other, group, how);
    hand_out_json(difference, json);
    if (answer != nullptr) fill(answer, answer_of(difference), "difference");
    *is_same = difference.same;
  });
}

lq_status lq_validate(const char* path, const lq_scan_options* options, char** json) {
  return answered(json, [&] { return lq::validate(text(path, "path"), options_of(options)); });
}

lq_status lq_explain(const char* path, const lq_scan_options* options, char** json) {
  return answered(json, [&] { return lq::explain(text(path, "path"), options_of(options)); });
}

lq_status lq_require_replaceable(const char* path, const char* made) {
  return guarded([&] {
    const std::string name = text(path, "path");
    lq::io::require_replaceable(lq::storage::resolve(name), name, text(made, "made"));
  });
}

lq_status lq_read_record(const char* path, const char* type, uint64_t index, lq_sink sink, void* context) {
  return guarded([&] {
    if (sink == nullptr) reject("sink is NULL");
    lq::read_record(text(path, "path"), text(type, "type"), index,
                    [&](const void* data, std::uint64_t bytes) { sink(data, bytes, context); });
  });
}

lq_status lq_read_site(const char* path, const int64_t* x, int dimensions, const lq_read_options* options,
                       double* numbers, uint64_t capacity, uint64_t* count) {
  return guarded([&] {
    given(count, "count");
    if (capacity > 0) given(numbers, "numbers");
    const auto values = lq::read_site(text(path, "path"), coord_of(x, dimensions, "x"), options_of(options));
    if (numbers != nullptr && values.size() > capacity) {
      reject("a site has " + std::to_string(values.size()) + " numbers, but there is room for " +
             std::to_string(capacity));
    }
    if (numbers != nullptr) std::ranges::copy(values, numbers);
    *count = values.size();
  });
}

// Plans of transfers, with results as JSON.

lq_status lq_plan(const int64_t* lattice, const int64_t* processes, int dimensions, lq_field field,
                  const lq_plan_options* options, char** json) {
  return answered(json, [&] {
    const lq::Extents extents = coord_of(lattice, dimensions, "lattice");
    lq::PlanRequest request = plan_request(options, dimensions);
    request.lattice = extents;
    request.processes = coord_of(processes, dimensions, "processes");
    request.spec = readable(field).spec;
    return lq::plan_transfer(request, machine_of(options));
  });
}

// File systems: facts about one, and calls that wait for one.

lq_status lq_file_system_of(const char* path, char** json) {
  return answered(json, [&] { return lq::file_system_of(text(path, "path")); });
}

lq_status lq_watch_stalls(double seconds, lq_stall_tell tell, void* context) {
  return guarded([&] {
    if (tell == nullptr) return lq::watch_stalls(seconds, {});
    lq::watch_stalls(seconds, [tell, context](const lq::Stall& stall) {
      const std::string sentence = lq::to_string(stall);
      const lq_stall c{sizeof(lq_stall), stall.call.c_str(), stall.path.c_str(), stall.offset,
                       stall.bytes,      stall.seconds,      sentence.c_str()};
      tell(&c, context);
    });
  });
}
