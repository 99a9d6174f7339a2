// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any text as an expression of `lq find`: a condition that SQLite takes, or Error(invalid_argument).
#include <cstdint>
#include <string>

#include "answers.hpp"
#include "base/bytes.hpp"
#include "catalogue/expression.hpp"
#include "catalogue/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lq::catalogue::Database database = lq::catalogue::make_in_memory();
  const std::string_view text = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  lq::fuzz::attempt<lq::Code::invalid_argument>([&] {
    const lq::catalogue::Condition condition = lq::catalogue::parse_expression(text);
    lq::catalogue::Statement rows = database.prepare("SELECT path FROM files WHERE " + condition.sql);
    int number = 0;
    for (const lq::catalogue::Value& value : condition.values) rows.bind_at(++number, value);
    lq::fuzz::require(!rows.step(), "an empty catalogue has no files");
  });
  return 0;
}
