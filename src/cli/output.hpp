// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard output that notices when it fails: a full disk is an error, a reader that has gone (`lq cat ... | head`)
// is not. Failures are remembered, not thrown, so that one rank's output cannot part the ranks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lq::cli {

// What is to be one line stays one, whatever names of files hold.
std::string on_one_line(std::string_view text);

class Output {
 public:
  // `prints` false: everything is dropped (ranks other than the root).
  explicit Output(bool prints);

  // From now on this file has another name in all that is shown.
  void call(std::string path, std::string name);
  // With that name.
  std::string named(std::string_view text) const;

  // What a terminal would obey is shown.
  void write(std::string_view bytes);
  // Data as they are. Launchers give their ranks terminals, wherever the output goes: `under_launcher`.
  void write_data(std::string_view bytes, bool under_launcher);
  void line(std::string_view text);
  // False once nobody reads any more or writing failed: the rest need not be produced.
  bool wants_more() const noexcept { return failure_ == 0; }
  // Flushes. 0, or errno of the first failure; a reader that has gone is none.
  int finish();

 private:
  void put(std::string_view bytes);

  std::string path_, name_;
  bool prints_;
  bool is_terminal_;
  int failure_ = 0;
};

}  // namespace lq::cli
