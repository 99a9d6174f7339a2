// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Catalogues of ensembles, and documents for other catalogues.
#include <limequat/ensemble.hpp>

#include <string>
#include <vector>

#include <limequat/qcdml.hpp>

#include "capi/call.hpp"
#include "capi/options.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

LQ_OPTION_STRUCT(lq_catalogue_options)
LQ_OPTION_STRUCT(lq_qcdml_options)

lq_status lq_index(const char* const* folders, uint64_t count, const lq_catalogue_options* options, char** json) {
  return guarded(
      [&] { hand_out_json(lq::ensemble::index(texts(folders, count, "folders"), options_of(options)), json); });
}

lq_status lq_find(const char* expression, const lq_catalogue_options* options, char** json) {
  return answered(json, [&] { return lq::ensemble::find(text(expression, "expression"), options_of(options)); });
}

lq_status lq_scrub(const lq_catalogue_options* options, int* is_ok, char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ensemble::ScrubReport report = lq::ensemble::scrub(options_of(options));
    hand_out_json(report, json);
    *is_ok = report.ok();
  });
}

lq_status lq_verify_below(const char* const* paths, uint64_t count, const lq_verify_options* options, int* is_ok,
                          char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ensemble::VerifiedFiles files =
        lq::ensemble::verify_below(texts(paths, count, "paths"), options_of(options));
    hand_out_json(files, json);
    *is_ok = files.ok;
  });
}

lq_status lq_assess(const lq_catalogue_options* options, char** json) {
  return answered(json, [&] { return lq::ensemble::assess(options_of(options)); });
}

lq_status lq_report_page(const char* const* folders, uint64_t count, const char* page,
                         const lq_catalogue_options* options, char** json) {
  return guarded([&] {
    const std::vector<std::string> all = texts(folders, count, "folders");
    hand_out_json(lq::ensemble::report_page(all, text(page, "page"), options_of(options)), json);
  });
}

lq_status lq_ildg_document(const char* path, const lq_qcdml_options* options, char** json) {
  return answered(json, [&] { return lq::ildg::document(text(path, "path"), options_of(options)); });
}

lq_status lq_ildg_check(const char* path, const char* document, const lq_qcdml_options* options, int* is_ok,
                        char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ildg::Check check = lq::ildg::check(text(path, "path"), optional_text(document), options_of(options));
    hand_out_json(check, json);
    *is_ok = check.ok();
  });
}

lq_status lq_ildg_lfn(const char* path, const lq_qcdml_options* options, char** json) {
  return answered(json, [&] { return lq::ildg::lfn(text(path, "path"), options_of(options)); });
}
