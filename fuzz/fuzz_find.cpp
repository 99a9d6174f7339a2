// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any text as an expression of `lq find`: a condition that SQLite takes, or Error(invalid_argument).
#include <cstdint>
#include <string>

#include "answers.hpp"
#include "base/bytes.hpp"
#include "ensemble/database.hpp"
#include "ensemble/ensemble.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lq::ensemble::Database database = lq::ensemble::make_in_memory();
  const std::string_view text = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  lq::fuzz::attempt<lq::Code::invalid_argument>([&] {
    const lq::ensemble::Condition condition = lq::ensemble::parse_expression(text);
    lq::ensemble::Statement rows = database.prepare("SELECT path FROM files WHERE " + condition.sql);
    int number = 0;
    for (const lq::ensemble::Value& value : condition.values) rows.bind_at(++number, value);
    lq::fuzz::require(!rows.step(), "an empty catalogue has no files");
  });
  return 0;
}
