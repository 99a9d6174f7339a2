// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/remarks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/files.hpp"
#include "ensemble/history.hpp"
#include "ensemble/paths.hpp"

namespace lq::ensemble {
namespace {

// The most frequent value, and its count.
template <class T>
std::pair<T, std::size_t> most_common(const std::vector<T>& values) {
  std::map<T, std::size_t> counts;
  for (const T& value : values) ++counts[value];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::pair<T, std::size_t>{} : std::pair<T, std::size_t>{most->first, most->second};
}

// --- numbers -----------------------------------------------------------------------------------------------------

// text = (slope.first / slope.second) * name + offset, if most files agree with it.
struct Relation {
  std::pair<std::int64_t, std::int64_t> slope = {1, 1};
  double offset = 0;

  double at(std::int64_t in_name) const {
    return static_cast<double>(slope.first) / static_cast<double>(slope.second) * static_cast<double>(in_name) + offset;
  }
  bool holds(const Member& file) const {
    return std::abs(static_cast<double>(*file.in_text) - at(*file.in_name)) < 1e-6;
  }
  // The number that the text of a file of this name should state, if it is a whole one.
  std::optional<std::int64_t> text_of(std::int64_t in_name) const {
    const double number = at(in_name);
    if (std::abs(number) > 0x1p53 || std::abs(number - std::round(number)) > 1e-6) return std::nullopt;
    return static_cast<std::int64_t>(std::round(number));
  }
  bool is_equality() const { return slope.first == slope.second && offset == 0; }
};

std::optional<Relation> relation_of(std::vector<const Member*> files) {
  if (files.size() < 3) return std::nullopt;
  std::ranges::sort(files, {}, [](const Member* file) { return *file->in_name; });
  std::vector<std::pair<std::int64_t, std::int64_t>> slopes = {{1, 1}};
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (std::size_t k = 1; k < files.size(); ++k) {
    std::int64_t rise = *files[k]->in_text - *files[k - 1]->in_text, run = *files[k]->in_name - *files[k - 1]->in_name;
    const std::int64_t common = std::gcd(rise, run);
    if (run > 0 && rise > 0) steps.emplace_back(rise / common, run / common);
  }
  if (!steps.empty()) slopes.push_back(most_common(steps).first);
  std::optional<Relation> best;
  std::size_t most = 0;
  for (const auto& slope : slopes) {
    std::vector<double> offsets;
    for (const Member* file : files) {
      offsets.push_back(static_cast<double>(*file->in_text) - static_cast<double>(slope.first) /
                                                                  static_cast<double>(slope.second) *
                                                                  static_cast<double>(*file->in_name));
    }
    const auto [offset, count] = most_common(offsets);
    if (count > most) {
      most = count;
      best = Relation{slope, offset};
    }
  }
  return most * 2 > files.size() ? best : std::nullopt;
}

struct Numbers {
  std::vector<const Member*> both;  // with a number in the text and in the name
  std::optional<Relation> relation;
  std::optional<std::int64_t> stuck;  // the number that most texts state, whatever their names
};

Numbers numbers_in(const std::vector<Member>& series) {
  Numbers numbers;
  std::vector<std::int64_t> texts;
  for (const Member& file : series) {
    if (!file.in_text || !file.in_name) continue;
    numbers.both.push_back(&file);
    texts.push_back(*file.in_text);
  }
  numbers.relation = relation_of(numbers.both);
  const auto most = most_common(texts);
  const std::int64_t number = most.first;
  const std::size_t count = most.second;
  const bool is_of_no_name =
      std::ranges::none_of(numbers.both, [&](const Member* file) { return file->in_name == number; });
  const bool is_of_most = count > 2 && count * 2 > texts.size();
  if (!numbers.relation && (is_of_most || (count == 2 && texts.size() == 2 && is_of_no_name))) numbers.stuck = number;
  return numbers;
}

// Single numbers so far from all others that they are rather mistyped than that everything between is missing.
std::vector<std::int64_t> strays_in(std::vector<std::int64_t> numbers) {
  constexpr std::size_t fewest = 8, most_strays = 2;
  constexpr std::int64_t far = 20;  // steps
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::int64_t> steps, strays;
  for (std::size_t k = 1; k < numbers.size(); ++k) steps.push_back(numbers[k] - numbers[k - 1]);
  const std::int64_t step = most_common(steps).first;
  const auto is_far = [&](std::int64_t jump, std::int64_t range) { return jump / far > step && jump > range / 2; };
  while (numbers.size() >= fewest && strays.size() < most_strays) {
    const std::size_t last = numbers.size() - 1;
    if (is_far(numbers[last] - numbers[last - 1], numbers[last - 1] - numbers[0])) {
      strays.push_back(numbers[last]);
      numbers.pop_back();
    } else if (is_far(numbers[1] - numbers[0], numbers[last] - numbers[1])) {
      strays.push_back(numbers[0]);
      numbers.erase(numbers.begin());
    } else {
      break;
    }
  }
  return strays;
}

std::vector<std::int64_t> all_numbers_of(const std::vector<Member>& series);

void add_strays(const std::vector<Member>& series, std::vector<Remark>& remarks) {
  const std::vector<std::int64_t> strays = strays_in(all_numbers_of(series));
  for (const Member& file : series) {
    const std::optional<std::int64_t> number = file.number();
    if (!number || std::ranges::find(strays, *number) == strays.end()) continue;
    remarks.push_back({"name-differs",
                       file.series,
                       {file.path},
                       fmt::format("{}: its number {} is far from those of all others: mistyped, or of another run",
                                   file.path, *number)});
  }
}

void add_numbers(const std::vector<Member>& series, std::vector<Remark>& remarks) {
  const Numbers numbers = numbers_in(series);
  add_strays(series, remarks);
  if (numbers.stuck) {
    Remark remark{"name-differs", series.front().series, {}, {}};
    for (const Member* file : numbers.both) {
      if (file->in_text == numbers.stuck) remark.paths.push_back(file->path);
    }
    remark.sentence = fmt::format("{} files state trajectory {}, though the numbers in their names differ: {}",
                                  remark.paths.size(), *numbers.stuck, names_text(remark.paths));
    remarks.push_back(std::move(remark));
  } else if (numbers.relation) {
    for (const Member* file : numbers.both) {
      if (numbers.relation->holds(*file)) continue;
      const std::string usual = numbers.relation->is_equality()
                                    ? std::string()
                                    : fmt::format(" (in most of the series {} of the text per {} of the name)",
                                                  numbers.relation->slope.first, numbers.relation->slope.second);
      remarks.push_back({"name-differs",
                         file->series,
                         {file->path},
                         fmt::format("{}: its text states trajectory {}, its name {}{}", file->path, *file->in_text,
                                     *file->in_name, usual)});
    }
  }
  std::map<std::int64_t, std::vector<std::string>> files;
  for (const Member& file : series) {
    const bool is_stuck = numbers.stuck && file.in_text == numbers.stuck;
    if (const auto number = is_stuck ? file.in_name : file.number()) files[*number].push_back(file.path);
  }
  for (auto& [number, paths] : files) {
    if (paths.size() < 2) continue;
    std::string sentence =
        fmt::format("{} files of one series have trajectory {}: {}", paths.size(), number, names_text(paths));
    remarks.push_back({"duplicate-trajectory", series.front().series, std::move(paths), std::move(sentence)});
  }
}

// --- values common to all files of a series ----------------------------------------------------------------------

// A series of a few values, of which none is usual: it changes somewhere, or two series are mixed. Names all files but
// those of the first value.
template <class ValueOf>
void add_split(const std::vector<Member>& series, const std::string& rule, const std::string& what,
               const ValueOf& value_of, std::vector<Remark>& remarks) {
  constexpr std::size_t most_values = 4, fewest_files = 3;
  std::vector<std::string> values;  // in the order of the series
  std::map<std::string, std::vector<std::string>> paths;
  for (const Member& file : series) {
    const std::string value = value_of(file);
    if (value.empty()) continue;
    if (!paths.contains(value)) values.push_back(value);
    if (values.size() > most_values) return;
    paths[value].push_back(file.path);
  }
  Remark remark{rule, series.front().series, {}, {}};
  std::vector<std::string> texts;
  for (const std::string& value : values) {
    const std::vector<std::string>& files = paths[value];
    if (files.size() < fewest_files) return;
    texts.push_back(fmt::format("{} in {} files ({} to {})", base::printable(value, 60), files.size(),
                                telling_name_of(files.front()), telling_name_of(files.back())));
    if (value != values.front()) remark.paths.insert(remark.paths.end(), files.begin(), files.end());
  }
  remark.sentence = fmt::format("{} is not the same in this series: {}", what, fmt::join(texts, ", "));
  remarks.push_back(std::move(remark));
}

// Files whose value differs from that of nearly all others; at least three files are needed.
template <class ValueOf>
void add_differing(const std::vector<Member>& series, const std::string& rule, const std::string& what,
                   const ValueOf& value_of, std::vector<bool>* alike, std::vector<Remark>& remarks) {
  std::vector<std::string> values;
  for (const Member& file : series) {
    if (std::string value = value_of(file); !value.empty()) values.push_back(std::move(value));
  }
  const auto [usual, count] = most_common(values);
  if (values.size() < 3 || count == values.size()) return;
  if (count * 3 < values.size() * 2) return add_split(series, rule, what, value_of, remarks);
  std::map<std::string, std::vector<std::string>> others;
  for (std::size_t k = 0; k < series.size(); ++k) {
    const std::string value = value_of(series[k]);
    if (value.empty() || value == usual) continue;
    others[value].push_back(series[k].path);
    if (alike != nullptr) (*alike)[k] = false;
  }
  for (auto& [value, paths] : others) {
    std::string sentence = fmt::format("{}: {} {}, but {} of the series have {}", names_text(paths), what,
                                       base::printable(value, 60), count, base::printable(usual, 60));
    remarks.push_back({rule, series.front().series, std::move(paths), std::move(sentence)});
  }
}

// Files that do not state what nine of ten of the others state.
template <class ValueOf>
void add_lacking(const std::vector<Member>& series, const std::string& rule, const std::string& name,
                 const ValueOf& value_of, std::vector<Remark>& remarks) {
  std::vector<std::string> paths;
  std::size_t stating = 0;
  for (const Member& file : series) {
    if (!value_of(file).empty()) {
      ++stating;
    } else if (file.is_whole) {
      paths.push_back(file.path);
    }
  }
  if (paths.empty() || paths.size() * 9 > stating) return;
  std::string sentence =
      fmt::format("{}: no {} is stated, as {} of the series do", names_text(paths), base::printable(name, 60), stating);
  remarks.push_back({rule, series.front().series, std::move(paths), std::move(sentence)});
}

// Files of several numbers that share what only one of them can have.
template <class KeyOf>
void add_shared(const std::vector<Member>& series, const std::string& rule, const KeyOf& key_of,
                std::vector<Remark>& remarks) {
  std::map<std::string, std::vector<const Member*>> sharing;
  for (const Member& file : series) {
    if (std::string key = key_of(file); !key.empty() && file.number()) sharing[std::move(key)].push_back(&file);
  }
  for (const auto& shared : sharing) {
    const std::vector<const Member*>& files = shared.second;
    const auto has_other_name = [&](const Member* file) { return file->in_name != files.front()->in_name; };
    if (std::ranges::none_of(files, has_other_name)) continue;
    Remark remark{rule, series.front().series, {}, {}};
    for (const Member* file : files) remark.paths.push_back(file->path);
    remark.sentence = rule == "same-file" ? fmt::format("{}: names of one file (links), although their numbers differ",
                                                        names_text(remark.paths))
                                          : fmt::format("{}: all state the logical file name {}",
                                                        names_text(remark.paths), base::printable(shared.first, 200));
    remarks.push_back(std::move(remark));
  }
}

// A warning about nearly all files comes from how the series was written.
void add_warnings(const std::vector<Member>& series, std::vector<Remark>& remarks) {
  std::map<std::string, std::size_t> counts;
  for (const Member& file : series) {
    for (const auto& [rule, sentence] : file.warnings) ++counts[rule];
  }
  for (const Member& file : series) {
    for (const auto& [rule, sentence] : file.warnings) {
      if (counts[rule] * 3 > series.size()) continue;
      remarks.push_back({"warning",
                         file.series,
                         {file.path},
                         fmt::format("{}: {}", file.path, without_leading_path(sentence, file.path))});
    }
  }
}

constexpr std::int64_t one_day = std::int64_t{24} * 3600 * 1'000'000'000;

// A clock was wrong: later changes of the file may go unnoticed.
void add_times(const std::vector<Member>& series, std::int64_t now, std::vector<Remark>& remarks) {
  for (const Member& file : series) {
    if (file.modified < now || file.modified - now < one_day) continue;
    remarks.push_back({"time-differs",
                       file.series,
                       {file.path},
                       fmt::format("{}: its time of modification lies {} days ahead: a clock is or was wrong (`touch` "
                                   "sets it)",
                                   file.path, (file.modified - now) / one_day)});
  }
}

// Files whose suffix is that of another format, except those that are told already.
void add_suffixes(const std::vector<Member>& series, std::vector<Remark>& remarks) {
  std::set<std::string> told;
  for (const Remark& remark : remarks) {
    if (remark.rule == "format-differs") told.insert(remark.paths.begin(), remark.paths.end());
  }
  for (const Member& file : series) {
    if (!file.is_whole || told.contains(file.path) || !has_suffix_of_others(file.path, file.format)) continue;
    remarks.push_back({"format-differs",
                       file.series,
                       {file.path},
                       fmt::format("{}: a file of format {}, although its name ends in {}", file.path, file.format,
                                   suffix_of_format(file.path))});
  }
}

// --- observables ---------------------------------------------------------------------------------------------------

// Numbers of a series in the order of the chain.
struct Chain {
  std::vector<const Member*> files;
  std::vector<double> values;
};

template <class ValueOf>
Chain chain_of(const std::vector<Member>& series, const std::vector<bool>& alike, const ValueOf& value_of) {
  Chain chain;
  for (std::size_t k = 0; k < series.size(); ++k) {
    const std::optional<double> value = value_of(series[k]);
    if (!alike[k] || !value || !std::isfinite(*value)) continue;
    chain.files.push_back(&series[k]);
    chain.values.push_back(*value);
  }
  return chain;
}

ChainMean mean_without(const Chain& chain, const std::vector<std::size_t>& left_out) {
  std::vector<double> rest;
  for (std::size_t k = 0; k < chain.values.size(); ++k) {
    if (!std::ranges::binary_search(left_out, k)) rest.push_back(chain.values[k]);
  }
  return mean_of_chain(rest);
}

// Correlated numbers scatter less than independent ones.
double correction_for(const ChainMean& mean, std::size_t count) {
  const double independent = static_cast<double>(count) / std::max(2 * mean.tau, 1.0);
  return independent > 2 ? std::sqrt(independent / (independent - 1)) : 2;
}

std::string chain_text(const ChainMean& mean, std::size_t count) {
  return fmt::format(
      "mean of the other {} files {:.8g} +- {:.1g}, by the Gamma method with an integrated autocorrelation time of "
      "{:.2g} "
      "files",
      count, mean.mean, mean.error, mean.tau);
}

// The charge takes integer values: if it hardly moves, the median of its distances is 0.
double spread_of_charges(std::vector<double> values) {
  const Spread robust = spread_of(values);
  std::ranges::sort(values, {}, [&](double value) { return std::abs(value - robust.median); });
  values.resize(values.size() - values.size() / 20 - 1);
  double squares = 0;
  for (const double value : values) squares += (value - robust.median) * (value - robust.median);
  const double trimmed = values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
  return std::max({robust.deviation, trimmed, 0.5});
}

}  // namespace

// One of the parts that a name has between its letters and digits and other characters, with or without a number at its
// end: "light_mass", "gauge.beta", "kappa2".
bool is_parameter(const std::string& name) {
  constexpr std::array<std::string_view, 47> words = {
      "beta",  "kappa",      "kappas",   "mass",     "masses",        "m0",       "am",
      "mu",    "csw",        "sw",       "u0",       "tadpole",       "xi",       "xi0",
      "gamma", "anisotropy", "nf",       "nc",       "action",        "smearing", "ape",
      "hyp",   "hex",        "stout",    "rho",      "alpha",         "c0",       "c1",
      "c2",    "coupling",   "group",    "ensemble", "boundary",      "bc",       "boundaries",
      "theta", "spacing",    "datatype", "hopping",  "flavours",      "flavors",  "m5",
      "ls",    "b5",         "c5",       "twist",    "representation"};
  const auto is_one = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const auto is_of_a_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t begin = 0; begin < name.size();) {
    std::size_t end = begin;
    while (end < name.size() && is_of_a_word(name[end])) ++end;
    const std::string_view word = std::string_view(name).substr(begin, end - begin);
    const std::size_t letters = word.find_last_not_of("0123456789");
    if (is_one(word) || (letters != std::string_view::npos && is_one(word.substr(0, letters + 1)))) return true;
    begin = end + 1;
  }
  return false;
}

bool is_charge(const std::string& name) {
  constexpr std::array<std::string_view, 6> names = {
      "topological_charge", "topological charge", "top_charge", "topcharge", "q_top", "qtop"};
  return std::ranges::find(names, name) != names.end();
}

namespace {

std::vector<std::int64_t> all_numbers_of(const std::vector<Member>& series) {
  const Numbers numbers = numbers_in(series);
  const bool names_count = !numbers.relation || numbers.relation->is_equality();
  std::vector<std::int64_t> all, doubtful;
  for (const Member& file : series) {
    const bool is_stuck = numbers.stuck && file.in_text == numbers.stuck;
    const bool is_odd = numbers.relation && file.in_text && file.in_name && !numbers.relation->holds(file);
    if (file.in_text && !is_stuck) (is_odd ? doubtful : all).push_back(*file.in_text);
    if (!file.in_name) continue;
    if (names_count) {
      all.push_back(*file.in_name);
    } else if (!file.in_text) {
      // The text would state it.
      if (const auto number = numbers.relation->text_of(*file.in_name)) all.push_back(*number);
    }
  }
  // A wrong number may exist already, but does not make the series longer.
  if (all.empty()) return all;
  const auto [first, last] = std::ranges::minmax(all);
  for (const std::int64_t number : doubtful) {
    if (first < number && number < last) all.push_back(number);
  }
  return all;
}

}  // namespace

std::vector<std::int64_t> numbers_of(const std::vector<Member>& series) {
  std::vector<std::int64_t> numbers = all_numbers_of(series);
  const std::vector<std::int64_t> strays = strays_in(numbers);
  std::erase_if(numbers, [&](std::int64_t number) { return std::ranges::find(strays, number) != strays.end(); });
  return numbers;
}

std::vector<Remark> remarks_on(const std::vector<Member>& series, std::int64_t now, std::vector<bool>& alike) {
  std::vector<Remark> remarks;
  alike.assign(series.size(), true);
  add_times(series, now, remarks);
  if (series.size() < 2) {
    add_suffixes(series, remarks);
    return remarks;
  }
  add_differing(
      series, "format-differs", "format", [](const Member& file) { return file.is_whole ? file.format : ""; }, nullptr,
      remarks);
  add_suffixes(series, remarks);
  add_numbers(series, remarks);
  const auto identity_of = [](const Member& file) {
    return file.inode == 0 ? std::string() : fmt::format("{} {}", file.device, file.inode);
  };
  add_shared(series, "same-file", identity_of, remarks);
  const auto logical_name_of = [](const Member& file) {
    return file.logical_name.starts_with("lfn://unregistered/") ? std::string() : file.logical_name;
  };
  add_shared(series, "same-logical-name", logical_name_of, remarks);
  add_differing(
      series, "kind-differs", "kind", [](const Member& file) { return file.kind; }, &alike, remarks);
  add_differing(
      series, "lattice-differs", "lattice", [](const Member& file) { return file.lattice; }, &alike, remarks);
  add_differing(
      series, "group-differs", "group", [](const Member& file) { return file.group; }, &alike, remarks);
  add_differing(
      series, "precision-differs", "precision", [](const Member& file) { return file.precision; }, nullptr, remarks);
  add_differing(
      series, "fields-differ", "number of fields", [](const Member& file) { return file.fields; }, nullptr, remarks);
  add_warnings(series, remarks);
  std::set<std::string> names;
  for (const Member& file : series) {
    for (const auto& [name, value] : file.parameters) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto value_of = [&](const Member& file) {
      const auto found = file.parameters.find(name);
      return found == file.parameters.end() ? std::string() : found->second;
    };
    add_differing(series, "parameter-differs", name, value_of, &alike, remarks);
    add_lacking(series, "parameter-differs", name, value_of, remarks);
  }
  const auto number_of = [](const Member& file) { return file.in_text ? "stated" : std::string(); };
  add_lacking(series, "parameter-differs", "trajectory number", number_of, remarks);
  // The record of a sum may be missing in LIME files; the sums of other formats are in their headers.
  const auto sum_of = [](const Member& file) {
    const bool may_lack = file.format == "ildg" || file.format == "scidac";
    return file.has_stated_sum || !may_lack ? "stated" : std::string();
  };
  add_lacking(series, "no-checksum", "checksum", sum_of, remarks);
  return remarks;
}

void add_outliers(const std::vector<Member>& series, const std::vector<bool>& alike, Assessment& assessment) {
  constexpr double far_off = 6;
  const Chain plaquettes = chain_of(series, alike, [](const Member& file) { return file.plaquette; });
  const std::vector<std::size_t> candidates = outliers_of(plaquettes.values);
  if (!candidates.empty()) {
    const Spread spread = spread_of(plaquettes.values);
    const std::size_t others = plaquettes.values.size() - candidates.size();
    const ChainMean mean = mean_without(plaquettes, candidates);
    for (const std::size_t k : candidates) {
      const double deviation = std::abs(plaquettes.values[k] - spread.median) / std::max(spread.deviation, 1e-9);
      if (deviation < far_off * correction_for(mean, others)) continue;
      const std::string& path = plaquettes.files[k]->path;
      assessment.outliers.push_back({path, series.front().series, plaquettes.values[k], spread.median, deviation});
      assessment.remarks.push_back(
          {"plaquette-outlier",
           series.front().series,
           {path},
           fmt::format("{}: plaquette {:.8g} is {:.1f} standard deviations from the median; {}", path,
                       plaquettes.values[k], deviation, chain_text(mean, others))});
    }
  }
  const Chain charges = chain_of(series, alike, [](const Member& file) { return file.charge; });
  if (charges.values.size() < fewest_numbers) return;
  const double median = spread_of(charges.values).median, deviation = spread_of_charges(charges.values);
  std::vector<std::size_t> far;
  for (std::size_t k = 0; k < charges.values.size(); ++k) {
    if (std::abs(charges.values[k] - median) > far_off * deviation) far.push_back(k);
  }
  const ChainMean mean = mean_without(charges, far);
  const std::size_t others = charges.values.size() - far.size();
  for (const std::size_t k : far) {
    const double distance = std::abs(charges.values[k] - median) / deviation;
    if (distance < far_off * correction_for(mean, others)) continue;
    const std::string& path = charges.files[k]->path;
    assessment.remarks.push_back(
        {"charge-outlier",
         series.front().series,
         {path},
         fmt::format("{}: topological charge {:.4g} is {:.1f} standard deviations from the median; {}", path,
                     charges.values[k], distance, chain_text(mean, others))});
  }
}

}  // namespace lq::ensemble
