// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XML by pugixml, whose parser is iterative and expands no custom entities; the limits are added here.
#include "base/xml.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::base::xml {
namespace {

[[noreturn]] void fail(std::size_t offset, const std::string& what, std::string expected = {}, std::string found = {}) {
  base::fail(Code::malformed, {.offset = offset, .expected = std::move(expected), .found = std::move(found)},
             "XML document, byte {}: {}", offset, what);
}

bool starts_element(std::string_view document, std::size_t bracket) noexcept {
  if (bracket + 1 >= document.size()) return false;
  const char next = document[bracket + 1];
  return next != '/' && next != '!' && next != '?';
}

// Every document is in UTF-8 unless its declaration states another encoding (XML 1.0, 4.3.3).
void check_encoding(std::string_view document) {
  const std::string_view declaration = document.substr(0, document.find("?>"));
  const bool states_one = declaration.starts_with("<?xml") && declaration.find("encoding") != std::string_view::npos;
  const auto holds = [&](std::string_view name) { return declaration.find(name) != std::string_view::npos; };
  if (states_one && !holds("UTF-8") && !holds("utf-8")) document = declaration;
  for (std::size_t at = 0, length = 0; at < document.size(); at += length) {
    length = utf8_length(document.substr(at));
    if (length == 0) fail(at, "a byte that is not UTF-8");
  }
}

// Checks that are possible before anything is allocated. Brackets in comments count as elements: an upper bound.
void check_size(std::string_view document, const Limits& limits) {
  if (document.size() > limits.bytes) {
    fail(0, fmt::format("{} bytes are more than the limit of {}", document.size(), limits.bytes),
         fmt::format("at most {} bytes", limits.bytes), fmt::format("{} bytes", document.size()));
  }
  // The parser would treat it as the end of the document.
  if (const std::size_t nul = document.find('\0'); nul != std::string_view::npos) fail(nul, "a NUL within the text");
  // Characters that no document may hold (XML 1.0, 2.2).
  const auto is_control = [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; };
  if (const auto control = std::ranges::find_if(document, is_control); control != document.end()) {
    fail(static_cast<std::size_t>(control - document.begin()), "a control character within the text");
  }
  check_encoding(document);
  std::size_t elements = 0;
  for (std::size_t at = document.find('<'); at != std::string_view::npos; at = document.find('<', at + 1)) {
    if (starts_element(document, at) && ++elements > limits.elements) {
      fail(at, fmt::format("more than {} elements", limits.elements), fmt::format("at most {}", limits.elements));
    }
  }
}

std::size_t position_of(const pugi::xml_node& node) noexcept {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
}

std::string_view without_prefix(std::string_view name) noexcept {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// The depth of the recursion is bounded by `depth_left`.
Element convert(const pugi::xml_node& node, int depth_left, const Limits& limits) {
  if (depth_left <= 0) {
    fail(position_of(node), fmt::format("elements nested deeper than {}", limits.depth),
         fmt::format("at most {} levels", limits.depth));
  }
  Element element;
  element.name = without_prefix(node.name());
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element) {
      element.children.push_back(convert(child, depth_left - 1, limits));
    } else {
      element.text += child.value();
    }
  }
  element.text = std::string(trim(element.text));
  return element;
}

// Documents of the shape that writers of lattice files use: a declaration, elements, and texts that are only white
// space next to elements. They need no tree of the parser.
class PlainDocument {
 public:
  PlainDocument(std::string_view document, int depth) : rest_(document), depth_(depth) {}

  // Empty: of another shape, or damaged.
  std::optional<Element> read() {
    take(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    skip_white();
    Element root;
    if (!read_element(root, depth_)) return std::nullopt;
    skip_white();
    return rest_.empty() ? std::optional(std::move(root)) : std::nullopt;
  }

 private:
  static bool is_white(char c) noexcept { return c == ' ' || c == '\t' || c == '\n'; }
  static bool holds(std::string_view text, char one, char other) noexcept {
    return text.find(one) != std::string_view::npos || text.find(other) != std::string_view::npos;
  }
  bool take(std::string_view expected) noexcept {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void skip_white() noexcept {
    while (!rest_.empty() && is_white(rest_.front())) rest_.remove_prefix(1);
  }
  // Without prefix; empty: none.
  std::string_view take_name() noexcept {
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; };
    std::size_t length = 0;
    while (length < rest_.size() && (is_letter(rest_[length]) || (length > 0 && is_other(rest_[length])))) ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }
  bool skip_attribute() noexcept {
    if (take_name().empty()) return false;
    if (take(":") && take_name().empty()) return false;
    if (!take("=\"")) return false;
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos || holds(rest_.substr(0, end), '<', '&')) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool read_element(Element& element, int depth_left) {
    if (depth_left <= 0 || !take("<")) return false;
    const std::string_view name = take_name();
    if (name.empty()) return false;
    while (take(" ")) {
      if (!skip_attribute()) return false;
    }
    const std::size_t end = rest_.find('<');
    if (!take(">") || end == std::string_view::npos) return false;
    element.name = name;
    const std::string_view text = rest_.substr(0, end - 1);
    rest_.remove_prefix(text.size());
    if (rest_.starts_with("</")) {
      if (holds(text, '&', '\r')) return false;
      element.text = trim(text);
    } else {
      if (!std::ranges::all_of(text, is_white)) return false;
      element.children.reserve(8);
      while (!rest_.starts_with("</")) {
        if (!read_element(element.children.emplace_back(), depth_left - 1)) return false;
        skip_white();
      }
    }
    return take("</") && take(name) && take(">");
  }

  std::string_view rest_;
  int depth_;
};

void load(pugi::xml_document& tree, std::string_view document) {
  constexpr unsigned options = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol;
  const auto result = tree.load_buffer(document.data(), document.size(), options, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw Error(Code::out_of_memory, "XML document: out of memory");
  if (!result) {
    // At the end of the document the parser may be one byte ahead.
    const auto offset = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), document.size());
    const std::string_view rest = document.substr(offset);
    fail(offset, fmt::format("{} near \"{}\"", result.description(), printable(rest, 24)));
  }
}

}  // namespace

const Element* Element::child(std::string_view wanted) const noexcept {
  const auto found = std::find_if(children.begin(), children.end(), [&](const Element& c) { return c.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

std::optional<std::string_view> Element::text_of(std::string_view wanted) const {
  const Element* found = child(wanted);
  if (!found) return std::nullopt;
  return found->text;
}

Element parse(std::string_view document, const Limits& limits) {
  const std::size_t last = document.find_last_not_of('\0');
  document = document.substr(0, last == std::string_view::npos ? 0 : last + 1);
  check_size(document, limits);
  if (auto plain = PlainDocument(document, limits.depth).read()) return *std::move(plain);
  pugi::xml_document tree;
  load(tree, document);
  const pugi::xml_node root = tree.document_element();
  for (pugi::xml_node other = root.next_sibling(); other; other = other.next_sibling()) {
    if (other.type() == pugi::node_element) fail(position_of(other), "a second root element", "one root element");
  }
  return convert(root, limits.depth, limits);
}

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", name, escape(text));
}

}  // namespace lq::base::xml
