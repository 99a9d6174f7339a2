// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows that several tables have: how sites travel, bounds on what files may ask for, who is told of progress.
#pragma once

#include "options/member.hpp"

namespace lq::options {

// What is said of them, in the order of the members.
std::vector<Option> route_texts();
std::vector<Option> limit_texts();
Option threads_text();
std::vector<Option> stripe_texts();
Option block_bytes_text();
Option overwrite_text();
Option sync_at_the_end_text();
Option dry_run_text();
Option progress_text();

// `route` and `limits` lead to these structs within Options.
template <class Options, class C, auto route>
std::vector<Option> route_rows() {
  using Row = Rows<Options, C>;
  using R = RouteOptions;
  std::vector<Option> texts = route_texts();
  for (Option& row : texts) row.path = "route." + std::string(row.name);
  return {Row::template at<Path<route, &R::strategy>, &C::strategy>(texts.at(0)),
          Row::template at<Path<route, &R::aggregators>, &C::aggregators>(texts.at(1)),
          Row::template at<Path<route, &R::chunk_bytes>, &C::chunk_bytes>(texts.at(2)),
          Row::template at<Path<route, &R::alignment>, &C::alignment>(texts.at(3)),
          Row::template at<Path<route, &R::memory_bytes>, &C::memory_bytes>(texts.at(4)),
          Row::template at<Path<route, &R::threads>, &C::threads>(texts.at(5)),
          Row::template at<Path<route, &R::profile>, &C::profile>(texts.at(6))};
}

template <class Options, class C>
std::vector<Option> stripe_rows() {
  using Row = Rows<Options, C>;
  std::vector<Option> texts = stripe_texts();
  return {Row::template row<&Options::stripe_count, &C::stripe_count>(texts.at(0)),
          Row::template row<&Options::stripe_bytes, &C::stripe_bytes>(texts.at(1)),
          Row::template row<&Options::stripes_by_size, &C::stripes_by_size>(texts.at(2))};
}

template <class Options, class C, auto... limits>
std::vector<Option> limit_rows() {
  using Row = Rows<Options, C>;
  std::vector<Option> texts = limit_texts();
  const std::string within = sizeof...(limits) > 0 ? "limits." : "";
  texts.at(0).path = within + "records";
  texts.at(1).path = within + "text_bytes";
  return {Row::template at<Path<limits..., &Limits::records>, &C::limit_records>(texts.at(0)),
          Row::template at<Path<limits..., &Limits::text_bytes>, &C::limit_text_bytes>(texts.at(1))};
}

template <class Options, class C>
Option threads_row() {
  return Rows<Options, C>::template row<&Options::threads, &C::threads>(threads_text());
}

template <class Options, class C>
Option progress_row() {
  return Rows<Options, C>::template with<Path<&Options::progress>, &C::progress, &C::progress_context>(
      progress_text(), {"progress", "progress_context"});
}

}  // namespace lq::options
