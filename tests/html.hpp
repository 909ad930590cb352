// A reader of HTML that is strict: every tag is closed in order, every attribute is in double
// quotes, ids are unique and links inside the page lead somewhere.
#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace epochcast {

struct HtmlFacts {
  std::vector<std::string> faults;  ///< Empty: the page is well-formed.
  std::map<std::string, int> tags;
  std::vector<int> headings;  ///< Their levels in order.
  std::string text;           ///< Outside of tags, entities as they are; no style and no script.
};

class HtmlReader {
 public:
  explicit HtmlReader(const std::string& page) : rest_(page) {
    while (!rest_.empty() && facts_.faults.empty()) {
      read_text();
      read_tag();
    }
    if (!open_.empty()) {
      facts_.faults.push_back("not closed: " + open_.back());
    }
    for (const auto& link : links_) {
      if (!ids_.contains(link)) {
        facts_.faults.push_back("link to nowhere: #" + link);
      }
    }
  }
  const HtmlFacts& facts() const { return facts_; }

 private:
  void read_text() {
    const auto end = std::min(rest_.find('<'), rest_.size());
    const auto text = rest_.substr(0, end);
    static const std::regex bare("&(?!(amp|lt|gt|quot|#39);)");
    if (std::regex_search(text, bare) || text.find('>') != std::string::npos) {
      facts_.faults.push_back("a mark in text: " + text);
    }
    facts_.text += text;
    rest_.erase(0, end);
  }

  void read_tag() {
    if (rest_.empty()) {
      return;
    }
    const auto tag = rest_.substr(0, std::min(rest_.find('>'), rest_.size() - 1) + 1);
    rest_.erase(0, tag.size());
    if (tag == "<!DOCTYPE html>") {
      return;
    }
    const bool closes = tag.starts_with("</");
    const auto begin = closes ? 2U : 1U;
    const auto end = tag.find_first_of(" \n/>", begin);
    if (tag.back() != '>' || end == std::string::npos || end == begin) {
      facts_.faults.push_back("not a tag: " + tag.substr(0, 80));
      return;
    }
    const auto name = tag.substr(begin, end - begin);
    if (closes) {
      close(name);
    } else {
      const bool is_empty = tag[tag.size() - 2] == '/';
      open(name, tag.substr(end, tag.size() - 1 - end - (is_empty ? 1 : 0)), is_empty);
    }
  }

  void open(const std::string& name, const std::string& attributes, bool is_empty) {
    ++facts_.tags[name];
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      facts_.headings.push_back(name[1] - '0');
    }
    read_attributes(attributes);
    if (is_empty) {
      return;
    }
    open_.push_back(name);
    if (name == "style" || name == "script") {
      rest_.erase(0, rest_.find("</" + name + ">"));
    }
  }

  void close(const std::string& name) {
    if (open_.empty() || open_.back() != name) {
      facts_.faults.push_back("closed out of order: " + name);
      return;
    }
    open_.pop_back();
  }

  /// name="value" name="value"
  void read_attributes(std::string text) {
    while (text.find_first_not_of(" \n") != std::string::npos) {
      const auto begin = text.find_first_not_of(" \n");
      const auto quote = text.find("=\"", begin);
      const auto end = quote == std::string::npos ? quote : text.find('"', quote + 2);
      if (end == std::string::npos ||
          text.substr(begin, quote - begin).find(' ') != std::string::npos) {
        facts_.faults.push_back("not an attribute: " + text.substr(0, 80));
        return;
      }
      read_attribute(text.substr(begin, quote - begin), text.substr(quote + 2, end - quote - 2));
      text.erase(0, end + 1);
    }
  }

  void read_attribute(const std::string& name, const std::string& value) {
    if (name == "id" && !ids_.insert(value).second) {
      facts_.faults.push_back("id twice: " + value);
    }
    if (value.find('<') != std::string::npos) {
      facts_.faults.push_back("a mark in a value: " + value);
    }
    if (name == "href" && value.starts_with('#')) {
      links_.insert(value.substr(1));
    } else if (name == "href" || name == "src" || name.starts_with("on")) {
      facts_.faults.push_back("leads outside, or acts: " + name + "=" + value);
    }
  }

  std::string rest_;
  HtmlFacts facts_;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
  std::set<std::string> links_;
};

/// The page without the inside of its style sheet, its script and its pictures, which have tests of
/// their own.
inline std::string without_assets(std::string page) {
  for (const std::string name : {"style", "script", "svg"}) {
    for (auto at = page.find("<" + name); at != std::string::npos; at = page.find("<" + name, at)) {
      const auto begin = page.find('>', at) + 1;
      page.erase(begin, page.find("</" + name + ">", begin) - begin);
      at = begin;
    }
  }
  return page;
}

inline HtmlFacts read_html(const std::string& page) {
  return HtmlReader(page).facts();
}

}  // namespace epochcast
