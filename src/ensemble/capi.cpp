// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Catalogues of ensembles, and documents for other catalogues.
#include <limequat/ensemble.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <limequat/qcdml.hpp>

#include "capi/call.hpp"
#include "capi/options.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

LQ_OPTION_STRUCT(lq_catalogue_options)
LQ_OPTION_STRUCT(lq_qcdml_options)

namespace {

// A text of the program: the path of contents that it has opened, or why they cannot be.
class UnpackerText {
 public:
  UnpackerText(const lq_unpacker& unpacker, const char* given) : unpacker_(unpacker), given_(given), text_(given) {}
  ~UnpackerText() { unpacker_.close(unpacker_.context, given_); }
  UnpackerText(const UnpackerText&) = delete;
  UnpackerText& operator=(const UnpackerText&) = delete;

  const std::string& text() const noexcept { return text_; }

 private:
  lq_unpacker unpacker_;
  const char* given_;
  std::string text_;
};

std::shared_ptr<const std::string> unpacked_by(const lq_unpacker& unpacker, const std::string& path) {
  const char* given = nullptr;
  const lq_status status = unpacker.open(unpacker.context, path.c_str(), &given);
  const auto text = given == nullptr ? nullptr : std::make_shared<UnpackerText>(unpacker, given);
  if (status != LQ_OK) {
    throw lq::Error(static_cast<lq::Code>(status), text ? text->text() : path + ": its contents cannot be opened",
                    {.path = path});
  }
  if (text == nullptr) return nullptr;
  return {text, &text->text()};
}

}  // namespace

lq_status lq_set_unpacker(const lq_unpacker* unpacker) {
  return guarded([&] {
    if (unpacker == nullptr) return lq::ensemble::set_unpacking({});
    const lq_unpacker table = given_options(unpacker, lq_unpacker{});
    if (table.open == nullptr || table.close == nullptr) reject("unpacker: open and close are required");
    lq::ensemble::set_unpacking([table](const std::string& path) { return unpacked_by(table, path); });
  });
}

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
