// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of files squeezed and restored.
#include <limequat/squeeze.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table squeeze_table() {
  using V = SqueezeOptions;
  using C = lq_squeeze_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("SqueezeOptions", "lq_squeeze_options", "Squeezing files and restoring them");
  result.functions = {"squeeze", "unsqueeze"};
  result.verbs = {"squeeze", "unsqueeze"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::verify, &C::verify>(
          {.name = "verify",
           .meaning = "how the new file is checked (default checksum)",
           .advice = "checksum decodes each tile again before it is written and compares it with the original, whose "
                     "data are compared with the checksums of their file, or read twice if it has none; restored data "
                     "are always compared with the sums in the archive. read_back also reads the new file again "
                     "before it gets its name; a call that replaces its source always does so. none omits what is not "
                     "needed to find damage later.",
           .shorthands = {{"verify", "read_back", "read the new file again and compare, before it gets its name"},
                          {"no-verify", "none", "do not decode the encoded tiles again"}}}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::sync, &C::sync>(sync_at_the_end_text()),
  };
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
