// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/qcdml.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::ensemble::qcdml {
namespace {

// --- 1.3 ----------------------------------------------------------------------------------------------------------

constexpr std::array participant_1 = {Node{"name"}, Node{"institution"}};
constexpr std::array event_1 = {Node{"revision", Type::whole, true}, Node{"revisionAction", Type::action},
                                Node{"participant", Type::group, false, false, participant_1},
                                Node{"date", Type::date_time}, Node{"comment", Type::text, true}};
constexpr std::array history_1 = {Node{"elem", Type::group, false, true, event_1}};
constexpr std::array management_1 = {Node{"revisions", Type::whole, true}, Node{"reference", Type::text, true},
                                     Node{"crcCheckSum", Type::nmtoken},
                                     Node{"archiveHistory", Type::group, false, false, history_1}};
constexpr std::array machine_1 = {Node{"name"}, Node{"institution"}, Node{"machineType"},
                                  Node{"comment", Type::text, true}};
constexpr std::array code_1 = {Node{"name"}, Node{"version"}, Node{"date", Type::date_time},
                               Node{"comment", Type::text, true}};
constexpr std::array implementation_1 = {Node{"machine", Type::group, false, false, machine_1},
                                         Node{"code", Type::group, false, false, code_1}};
constexpr std::array algorithm_1 = {Node{"parameters", Type::parameters, true}};
constexpr std::array step_1 = {Node{"markovChainURI", Type::uri}, Node{"series", Type::token}, Node{"update"},
                               Node{"avePlaquette", Type::real}, Node{"dataLFN", Type::uri}};
constexpr std::array root_1 = {Node{"management", Type::group, false, false, management_1},
                               Node{"implementation", Type::group, false, false, implementation_1},
                               Node{"algorithm", Type::open, false, false, algorithm_1},
                               Node{"precision", Type::precision},
                               Node{"markovStep", Type::group, false, false, step_1}};

// --- 2.0 ----------------------------------------------------------------------------------------------------------

constexpr Node annotation{"annotation", Type::text, true};
constexpr std::array participant_2 = {Node{"orcid", Type::orcid, true}, Node{"name", Type::text, true},
                                      Node{"institution", Type::text, true}};
constexpr std::array event_2 = {annotation, Node{"revision", Type::whole, true}, Node{"revisionAction", Type::action},
                                Node{"participant", Type::participant, false, false, participant_2},
                                Node{"date", Type::date_time}};
constexpr std::array history_2 = {Node{"archiveEvent", Type::group, false, true, event_2}};
constexpr std::array management_2 = {annotation, Node{"revisions", Type::whole, true},
                                     Node{"reference", Type::text, true},
                                     Node{"archiveHistory", Type::group, false, false, history_2}};
constexpr std::array machine_2 = {annotation, Node{"name", Type::filled}, Node{"institution", Type::filled},
                                  Node{"machineType", Type::filled}};
constexpr std::array code_2 = {annotation, Node{"name"}, Node{"version"}, Node{"date", Type::date_time}};
constexpr std::array implementation_2 = {annotation, Node{"machine", Type::group, false, false, machine_2},
                                         Node{"code", Type::group, false, false, code_2}};
constexpr std::array parameter_2 = {annotation, Node{"name", Type::name}, Node{"value"}};
constexpr std::array parameters_2 = {Node{"parameter", Type::group, true, true, parameter_2}};
constexpr std::array algorithm_2 = {annotation, Node{"parameters", Type::group, true, false, parameters_2}};
constexpr std::array record_2 = {Node{"field", Type::field}, Node{"crcCheckSum", Type::nmtoken},
                                 Node{"avePlaquette", Type::real}};
constexpr std::array step_2 = {annotation, Node{"update"}, Node{"record", Type::group, false, true, record_2}};
constexpr std::array sequence_2 = {annotation, Node{"markovChainURI", Type::uri}, Node{"series", Type::token},
                                   Node{"markovStep", Type::group, false, true, step_2}};
constexpr std::array root_2 = {Node{"dataLFN", Type::uri},
                               Node{"management", Type::group, false, false, management_2},
                               Node{"implementation", Type::group, false, false, implementation_2},
                               Node{"algorithm", Type::open, false, false, algorithm_2},
                               Node{"precision", Type::precision},
                               Node{"markovSequence", Type::group, false, false, sequence_2},
                               Node{"additionalInfo", Type::open, true}};

constexpr std::array schemas = {Schema{"1.3", "http://www.lqcd.org/ildg/QCDml/config1.3", root_1},
                                Schema{"2.0", "http://www.lqcd.org/ildg/QCDml/config2.0", root_2}};

// --- values -------------------------------------------------------------------------------------------------------

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> values) {
  return std::ranges::find(values, value) != values.end();
}

bool is_name_character(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80 || c == '.' || c == '-' || c == '_' || c == ':';
}

bool is_nmtoken(std::string_view value) { return !value.empty() && std::ranges::all_of(value, is_name_character); }

bool is_name(std::string_view value) {
  return is_nmtoken(value) && std::isdigit(static_cast<unsigned char>(value[0])) == 0 && value[0] != '.' &&
         value[0] != '-';
}

// Values are short: a longer text cannot match, and matching is recursive.
bool matches(std::string_view value, const char* pattern) {
  constexpr std::size_t longest = 100;
  return value.size() <= longest && std::regex_match(value.begin(), value.end(), std::regex(pattern));
}

bool is_date_time(std::string_view value) {
  return matches(value,
                 "-?[0-9]{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
                 "(\\.[0-9]+)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])?");
}

bool is_field(std::string_view value) {
  return matches(value,
                 "s[ou][2-9]gauge([#_][a-zA-Z0-9]+)?|s[ou][1-9][0-9]+gauge|sp[468]gauge|sp[1-9][0-9]*[02468]gauge|"
                 "u1phase|u[1-9][0-9]*gauge");
}

bool is_token(std::string_view value) {
  return value.find_first_of("\t\r\n") == std::string_view::npos && value.find("  ") == std::string_view::npos;
}

}  // namespace

const Schema& schema_named(std::string_view name) {
  const auto found = name.empty() ? schemas.begin() : std::ranges::find(schemas, name, &Schema::name);
  if (found != schemas.end()) return *found;
  throw Error(Code::invalid_argument, fmt::format("schema is \"{}\", expected one of 1.3, 2.0", base::printable(name)),
              {.expected = "1.3, 2.0", .found = std::string(name)});
}

const Schema* schema_of(std::string_view uri) {
  const auto found = std::ranges::find(schemas, uri, &Schema::uri);
  return found == schemas.end() ? nullptr : &*found;
}

std::string_view expected_of(Type type, std::string_view value) {
  switch (type) {
    case Type::filled:
      return value.empty() ? "a text that is not empty" : "";
    case Type::uri:
      return value.find_first_of(" \t\r\n<>\"") == std::string_view::npos ? "" : "a URI, without blanks";
    case Type::name:
      return is_name(value) ? "" : "a name: letters, digits, . - _ : without a digit first";
    case Type::token:
      return is_token(value) ? "" : "a text without line breaks or repeated blanks";
    case Type::nmtoken:
      return is_nmtoken(value) ? "" : "one word of letters, digits, . - _ :";
    case Type::whole:
      return base::parse_u64(value) ? "" : "a whole number from 0";
    case Type::real:
      return base::parse_double(value) || is_one_of(value, {"INF", "-INF", "NaN"}) ? "" : "a number";
    case Type::date_time:
      return is_date_time(value) ? "" : "a date and time such as 2026-11-25T20:00:00Z";
    case Type::precision:
      return is_one_of(value, {"single", "double", "mixed"}) ? "" : "single, double or mixed";
    case Type::action:
      return is_one_of(value, {"generate", "add", "replace", "remove"}) ? "" : "generate, add, replace or remove";
    case Type::orcid:
      return matches(value, "[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}") ? "" : "an ORCID of four times four digits";
    case Type::field:
      return is_field(value) ? "" : "a field such as su3gauge";
    default:
      return "";
  }
}

}  // namespace lq::ensemble::qcdml
