// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last failure on each thread and its accessors; checks that the numbers of both enumerations are equal.
#include "capi/call.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include <limequat/json.hpp>

#include "base/interruption.hpp"
#include "comm/wire.hpp"

namespace {

struct Failure {
  std::optional<lq::Error> error;
  std::string json;
  bool lost_for_memory = false;  // there was no memory to describe a failure
};

thread_local Failure last_failure;

template <lq_status status, lq::Code code>
inline constexpr bool same = static_cast<int>(status) == static_cast<int>(code);

static_assert(same<LQ_OK, lq::Code::ok> && same<LQ_INVALID_ARGUMENT, lq::Code::invalid_argument> &&
              same<LQ_RANKS_DISAGREE, lq::Code::ranks_disagree> && same<LQ_WRONG_STATE, lq::Code::wrong_state> &&
              same<LQ_UNSUPPORTED, lq::Code::unsupported>);
static_assert(same<LQ_NOT_FOUND, lq::Code::not_found> && same<LQ_EXISTS, lq::Code::exists> &&
              same<LQ_NO_PERMISSION, lq::Code::no_permission> && same<LQ_NO_SPACE, lq::Code::no_space> &&
              same<LQ_IO, lq::Code::io>);
static_assert(same<LQ_UNKNOWN_FORMAT, lq::Code::unknown_format> && same<LQ_MALFORMED, lq::Code::malformed> &&
              same<LQ_TRUNCATED, lq::Code::truncated> && same<LQ_CHECKSUM_MISMATCH, lq::Code::checksum_mismatch> &&
              same<LQ_NO_SUCH_RECORD, lq::Code::no_such_record>);
static_assert(same<LQ_OUT_OF_MEMORY, lq::Code::out_of_memory> && same<LQ_TOO_LARGE, lq::Code::too_large> &&
              same<LQ_COMMUNICATION, lq::Code::communication> && same<LQ_INTERNAL, lq::Code::internal>);

lq_status remember(const lq::Error& error) noexcept try {
  last_failure.error = error;
  last_failure.json = lq::to_json(error);
  last_failure.lost_for_memory = false;
  return static_cast<lq_status>(error.code());
} catch (...) {
  last_failure.error.reset();
  last_failure.lost_for_memory = true;
  return static_cast<lq_status>(error.code());
}

lq_status remember_foreign(const std::exception_ptr& failure) noexcept try {
  return remember(lq::comm::error_of(failure));
} catch (...) {
  last_failure.error.reset();
  last_failure.lost_for_memory = true;
  return LQ_INTERNAL;
}

const lq::ErrorFacts& facts() {
  static const lq::ErrorFacts none;
  return last_failure.error ? last_failure.error->facts() : none;
}

}  // namespace

namespace lq::capi {

lq_status remember_failure() noexcept try { throw; } catch (const Error& error) {
  return remember(error);
} catch (const std::bad_alloc&) {
  last_failure.error.reset();
  last_failure.lost_for_memory = true;
  return LQ_OUT_OF_MEMORY;
} catch (...) {
  return remember_foreign(std::current_exception());
}

Call::Call() noexcept { base::begin_call(); }
Call::~Call() { base::end_call(); }

}  // namespace lq::capi

void lq_check_interrupts(lq_interrupt_check check, void* context) { lq::base::set_interrupt_check(check, context); }

const char* lq_version(void) { return lq::version(); }

const char* lq_status_name(lq_status status) { return lq::name(static_cast<lq::Code>(status)).data(); }

const char* lq_error_text(void) {
  if (last_failure.lost_for_memory) return "out of memory";
  return last_failure.error ? last_failure.error->what() : "";
}

lq_status lq_error_code(void) {
  if (last_failure.lost_for_memory) return LQ_OUT_OF_MEMORY;
  return last_failure.error ? static_cast<lq_status>(last_failure.error->code()) : LQ_OK;
}

const char* lq_error_path(void) { return facts().path.c_str(); }
const char* lq_error_record(void) { return facts().record.c_str(); }
int64_t lq_error_offset(void) { return facts().offset ? static_cast<int64_t>(*facts().offset) : -1; }
int lq_error_rank(void) { return facts().rank.value_or(-1); }
const char* lq_error_expected(void) { return facts().expected.c_str(); }
const char* lq_error_found(void) { return facts().found.c_str(); }
int lq_error_errno(void) { return facts().system_errno; }
const char* lq_error_json(void) { return last_failure.error ? last_failure.json.c_str() : "{}"; }

// Returned texts are allocated with malloc, so that any language can own them.

namespace lq::capi {

void hand_out(const std::string& value, char** out) {
  auto* copy = static_cast<char*>(std::malloc(value.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, value.c_str(), value.size() + 1);
  *out = copy;
}

}  // namespace lq::capi

void lq_text_free(char* text) { std::free(text); }
