// Pictures as an XML parser reads them.
#ifndef PRIORITYD_TESTS_CLIENT_PICTURES_PARSED_SVG_H_
#define PRIORITYD_TESTS_CLIENT_PICTURES_PARSED_SVG_H_

#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace priorityd::pictures {

struct ParsedRect {
  double x = 0, y = 0, width = 0, height = 0;
  std::string fill, about;
};

struct ParsedPath {
  std::string d, about;
};

// Fails the test where it is no XML.
class ParsedSvg {
 public:
  explicit ParsedSvg(const std::string& svg) {
    std::istringstream stream(svg);
    boost::property_tree::ptree tree;
    try {
      boost::property_tree::read_xml(stream, tree);
    } catch (const boost::property_tree::xml_parser_error& error) {
      ADD_FAILURE() << error.what();
      return;
    }
    const auto& root = tree.get_child("svg");
    title = root.get<std::string>("title");
    for (const auto& [name, element] : root) {
      if (name == "text") texts.push_back(element.data());
      if (name == "rect") rects.push_back(RectOf(element));
      if (name == "path") {
        paths.push_back({element.get<std::string>("<xmlattr>.d"), element.get("title", "")});
      }
      if (name == "line") {
        lines.push_back(element.get<double>("<xmlattr>.stroke-width"));
      }
    }
  }

  // Of the rect about which this is said.
  const ParsedRect* Find(const std::string& beginning) const {
    for (const ParsedRect& rect : rects) {
      if (rect.about.rfind(beginning, 0) == 0) return &rect;
    }
    return nullptr;
  }

  std::string title;
  std::vector<std::string> texts;
  std::vector<ParsedRect> rects;
  std::vector<ParsedPath> paths;
  std::vector<double> lines;  // Their widths.

 private:
  static ParsedRect RectOf(const boost::property_tree::ptree& element) {
    const auto number = [&](const char* name) {
      return element.get<double>(std::string("<xmlattr>.") + name);
    };
    return {number("x"),
            number("y"),
            number("width"),
            number("height"),
            element.get<std::string>("<xmlattr>.fill"),
            element.get<std::string>("title", "")};
  }
};

}  // namespace priorityd::pictures

#endif  // PRIORITYD_TESTS_CLIENT_PICTURES_PARSED_SVG_H_
