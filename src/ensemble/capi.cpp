// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Catalogues of ensembles, and documents for catalogues of others.
#include <limequat/ensemble.hpp>

#include <string>
#include <vector>

#include <limequat/qcdml.hpp>

#include "capi/call.hpp"
#include "capi/options.hpp"

namespace lq::capi {

template <>
struct Meaning<lq_catalogue_options> {
  using Options = ensemble::CatalogueOptions;
  static constexpr std::string_view table = "CatalogueOptions";
};
template <>
struct Meaning<lq_qcdml_options> {
  using Options = ildg::QcdmlOptions;
  static constexpr std::string_view table = "QcdmlOptions";
};

}  // namespace lq::capi

LQ_OPTION_STRUCT(lq_catalogue_options)
LQ_OPTION_STRUCT(lq_qcdml_options)

namespace {

using lq::capi::given;
using lq::capi::guarded;
using lq::capi::options_of;
using lq::capi::text;

std::vector<std::string> texts_of(const char* const* texts, std::uint64_t count, const char* what) {
  if (count > 0) given(texts, what);
  std::vector<std::string> result;
  for (std::uint64_t k = 0; k < count; ++k) result.push_back(text(texts[k], what));
  return result;
}

std::vector<std::string> folders_of(const char* const* folders, std::uint64_t count) {
  return texts_of(folders, count, "folders");
}

}  // namespace

lq_status lq_index(const char* const* folders, uint64_t count, const lq_catalogue_options* options, char** json) {
  return guarded([&] {
    const auto report = lq::ensemble::index(folders_of(folders, count), options_of(options));
    if (json != nullptr) lq::capi::hand_out(to_json(report), json);
  });
}

lq_status lq_find(const char* expression, const lq_catalogue_options* options, char** json) {
  return guarded([&] {
    given(json, "json");
    lq::capi::hand_out(to_json(lq::ensemble::find(text(expression, "expression"), options_of(options))), json);
  });
}

lq_status lq_scrub(const lq_catalogue_options* options, int* is_ok, char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ensemble::ScrubReport report = lq::ensemble::scrub(options_of(options));
    if (json != nullptr) lq::capi::hand_out(to_json(report), json);
    *is_ok = report.ok();
  });
}

lq_status lq_verify_below(const char* const* paths, uint64_t count, const lq_verify_options* options, int* is_ok,
                          char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ensemble::VerifiedFiles files =
        lq::ensemble::verify_below(texts_of(paths, count, "paths"), options_of(options));
    if (json != nullptr) lq::capi::hand_out(to_json(files), json);
    *is_ok = files.ok;
  });
}

lq_status lq_assess(const lq_catalogue_options* options, char** json) {
  return guarded([&] {
    given(json, "json");
    lq::capi::hand_out(to_json(lq::ensemble::assess(options_of(options))), json);
  });
}

lq_status lq_report_page(const char* const* folders, uint64_t count, const char* page,
                         const lq_catalogue_options* options, char** json) {
  return guarded([&] {
    const auto report = lq::ensemble::report_page(folders_of(folders, count), text(page, "page"), options_of(options));
    if (json != nullptr) lq::capi::hand_out(to_json(report), json);
  });
}

lq_status lq_ildg_document(const char* path, const lq_qcdml_options* options, char** json) {
  return guarded([&] {
    given(json, "json");
    lq::capi::hand_out(to_json(lq::ildg::document(text(path, "path"), options_of(options))), json);
  });
}

lq_status lq_ildg_check(const char* path, const char* document, const lq_qcdml_options* options, int* is_ok,
                        char** json) {
  return guarded([&] {
    given(is_ok, "is_ok");
    const lq::ildg::Check check =
        lq::ildg::check(text(path, "path"), lq::capi::optional_text(document), options_of(options));
    if (json != nullptr) lq::capi::hand_out(to_json(check), json);
    *is_ok = check.ok();
  });
}

lq_status lq_ildg_lfn(const char* path, const lq_qcdml_options* options, char** json) {
  return guarded([&] {
    given(json, "json");
    lq::capi::hand_out(to_json(lq::ildg::lfn(text(path, "path"), options_of(options))), json);
  });
}
