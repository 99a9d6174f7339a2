// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of a verb. One table serves parsing, help, suggestions and shell completion;
// CLI11 does the parsing and is included by arguments.cpp alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <limequat/lattice.hpp>
#include <limequat/options.hpp>

#include "options/option.hpp"

namespace lq::cli {

class StandardInput;

// The command line is wrong; the message names the argument and the expected value. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Argument {
  std::vector<std::string> names;  // "-q", "--quiet"; a positional argument has one name without dashes
  std::string value;               // what follows the name: "N", "LATTICE"; empty for a flag
  std::string help;
  std::vector<std::string> choices = {};
  bool is_positional = false;
  bool repeats = false;
  bool is_file = false;
  bool is_read = false;         // its files are read
  bool is_word = false;         // the words are kept verbatim
  bool ends_in_target = false;  // all are read except the last one
  bool is_optional = false;     // of a positional argument
  std::function<void(const std::string& text)> take = {};
};

class Arguments {
 public:
  Arguments();
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Positional arguments, in the order of the calls.
  void file(const std::string& name, std::string& target, const std::string& help);
  void files(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void optional_files(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void word(const std::string& name, std::string& target, const std::string& help,
            std::vector<std::string> choices = {});
  void optional_words(const std::string& name, std::vector<std::string>& target, const std::string& help);

  // The files of the last argument are read: standard input, pipes, compressed files and archive members are accepted.
  void reads_contents();
  // Addresses among them are kept verbatim.
  void keeps_words();
  // Like reads_contents(), except for the last word, which is a target.
  void reads_contents_but_last();

  // Options. `names` are separated by commas: "-q,--quiet".
  void flag(const std::string& names, bool& target, const std::string& help);
  void text(const std::string& names, const std::string& value, std::string& target, const std::string& help,
            std::vector<std::string> choices = {});
  // May be given several times.
  void texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
             const std::string& help, std::vector<std::string> choices = {});
  void number(const std::string& names, double& target, const std::string& help);
  void number(const std::string& names, int& target, const std::string& help);
  void number(const std::string& names, std::uint64_t& target, const std::string& help);
  void extents(const std::string& names, const std::string& value, Extents& target, const std::string& help);
  // Any other argument.
  void add(Argument argument) { arguments_.push_back(std::move(argument)); }
  // The option of that name may be given several times; `target` gets its texts joined.
  void join(const std::string& name, std::string& target, char separator);
  // Limits the option of that name to these values.
  void limit_to(const std::string& name, std::vector<std::string> choices);

  // Throws UsageError, and Error if a file cannot be opened. `words` follow the verb. With several ranks pipes are
  // kept verbatim.
  void parse(const std::vector<std::string>& words, bool is_alone);
  static bool asks_for_help(const std::vector<std::string>& words);
  const std::vector<Argument>& all() const noexcept { return arguments_; }
  // Path and name of the files that are read by a path other than their name; valid after parse().
  const std::vector<std::pair<std::string, std::string>>& renamed() const noexcept { return renamed_; }

 private:
  void add(const std::string& names, const std::string& value, const std::string& help,
           std::function<void(const std::string&)> take, std::vector<std::string> choices = {});
  void add_positional(const std::string& name, const std::string& help, bool repeats, bool is_file,
                      std::function<void(const std::string&)> take, std::vector<std::string> choices = {});
  [[noreturn]] void unknown(const std::string& word) const;

  std::string path_of(const std::string& word, bool is_read, bool is_alone);

  std::vector<Argument> arguments_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  std::vector<std::unique_ptr<StandardInput>> pipes_;
};

// NAME or NAME:N, as records and fields are named.
struct NumberedName {
  std::string name;
  std::uint64_t index = 0;  // among those of that name, from 0
};

// A colon without digits after it belongs to the name. Throws UsageError for a number beyond 64 bits.
NumberedName parse_numbered_name(const std::string& text);

// Arguments from the tables of options (options/option.hpp): a verb takes the options of its table.

// The options that the command line gave, by name.
using GivenOptions = std::shared_ptr<std::set<std::string_view>>;

// `options` is the struct that the table describes and must outlive the arguments. Its current values are the
// defaults.
GivenOptions declare_options(Arguments& arguments, std::string_view verb, const options::Table& table, void* options);

template <class Options>
GivenOptions declare_options(Arguments& arguments, std::string_view verb, std::string_view name, Options& options) {
  return declare_options(arguments, verb, options::table_named(name), &options);
}

}  // namespace lq::cli
