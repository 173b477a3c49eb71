// SPDX-License-Identifier: Apache-2.0
#include "command/plot/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/xml_text.hpp"

namespace nvmlab::tool {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 64;
constexpr double kRight = 20;
constexpr double kPlot = kWidth - kLeft - kRight;
constexpr double kTop = 40;
constexpr double kHeading = 26;
constexpr double kPanel = 110;
constexpr double kGap = 14;
constexpr double kBar = 12;
constexpr double kBarRow = 22;
constexpr double kFoot = 40;
constexpr double kLetter = 6.6;  // of text of 12 px, on average

constexpr std::string_view kStyle =
    "<style>\n"
    "text{font:12px system-ui,sans-serif;fill:#454b54}.title{font-size:15px;font-weight:600;fill:#16191d}\n"
    ".back{fill:#fff}.grid{stroke:#e3e6ea}.axis{stroke:#8a919b}.line{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    "\n"
    ".s0{stroke:#2a6fcf}.s1{stroke:#d1571e}.s2{stroke:#16855b}.s3{stroke:#8a3fc4}.s4{stroke:#b98200}.s5{stroke:#0f8aa3}"
    ".s6{stroke:#c42d6b}.s7{stroke:#5d6570}\n"
    ".bar{fill:#d1571e}\n"
    "@media(prefers-color-scheme:dark){text{fill:#b9c0ca}.title{fill:#f0f2f5}.back{fill:#14171b}.grid{stroke:#2c3138}"
    ".axis{stroke:#7b838e}.s0{stroke:#6aa5f5}.s1{stroke:#f08a52}.s2{stroke:#4cc294}.s3{stroke:#bd8cf0}"
    ".s4{stroke:#e3b341}.s5{stroke:#4fc3dc}.s6{stroke:#f07aa8}.s7{stroke:#a7afba}.bar{fill:#f08a52}}\n"
    "</style>\n";

struct Panel {
  std::string unit;
  std::vector<const Series*> series;
};

std::vector<Panel> panels_of(const Chart& chart) {
  std::vector<Panel> panels;
  for (const Series& series : chart.series) {
    auto found = std::ranges::find(panels, series.unit, &Panel::unit);
    if (found == panels.end()) found = panels.insert(panels.end(), Panel{series.unit, {}});
    found->series.push_back(&series);
  }
  return panels;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart), end_(chart.seconds.empty() || chart.seconds.back() <= 0 ? 1 : chart.seconds.back()) {}

  std::string draw() {
    const std::vector<Panel> panels = panels_of(chart_);
    double y = kTop;
    for (const Panel& panel : panels)
      y = draw_panel(panel, y);
    if (!chart_.states.empty()) y = draw_states(y);
    draw_time(y);
    const double height = y + kFoot;
    const std::string label = xml_escaped(chart_.title);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
               "role=\"img\" aria-label=\"{2}\">\n{3}<rect class=\"back\" width=\"{0:g}\" height=\"{1:g}\"/>\n"
               "<text class=\"title\" x=\"{4:g}\" y=\"24\">{2}</text>\n",
               kWidth, height, label, kStyle, kLeft) +
           body_ + "</svg>\n";
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    body_ += fmt::format(format, std::forward<Values>(values)...);
  }
  double x_of(double seconds) const { return kLeft + seconds / end_ * kPlot; }

  void draw_vertical_lines(double top, double bottom) {
    for (const double tick : time_ticks(end_))
      add("<path class=\"grid\" d=\"M{0:.1f} {1:g}V{2:g}\"/>\n", x_of(tick), top, bottom);
  }

  // Percents have their whole scale, what a board draws or runs at begins at 0, the rest where it is.
  static std::vector<double> scale_of(const Panel& panel) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Series* series : panel.series) {
      for (const auto& value : series->values) {
        if (!value) continue;
        low = std::min(low, *value);
        high = std::max(high, *value);
      }
    }
    if (low > high) low = high = 0;
    if (panel.unit == "%" && low >= 0 && high <= 100) return {0, 25, 50, 75, 100};
    if (panel.unit == "W" || panel.unit == "MHz") low = std::min(low, 0.0);
    return ticks_between(low, high, 4);
  }

  double draw_panel(const Panel& panel, double y) {
    draw_legend(panel, y);
    const double top = y + kHeading;
    const double bottom = top + kPanel;
    const std::vector<double> scale = scale_of(panel);
    const double low = scale.front();
    const double high = scale.back() > low ? scale.back() : low + 1;
    const auto y_of = [&](double value) { return bottom - (value - low) / (high - low) * kPanel; };
    draw_vertical_lines(top, bottom);
    for (const double tick : scale) {
      add("<path class=\"grid\" d=\"M{:g} {:.1f}H{:g}\"/>\n", kLeft, y_of(tick), kLeft + kPlot);
      add("<text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", kLeft - 8, y_of(tick) + 4, tick);
    }
    add("<path class=\"axis\" d=\"M{:g} {:g}H{:g}\"/>\n", kLeft, bottom, kLeft + kPlot);
    for (std::size_t i = 0; i < panel.series.size(); ++i)
      draw_line(*panel.series[i], i, y_of);
    return bottom + kGap;
  }

  void draw_legend(const Panel& panel, double y) {
    const double base = y + kHeading - 9;
    add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, base, xml_escaped(panel.unit));
    double x = kLeft;
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const std::string& name = panel.series[i]->name;
      add("<path class=\"line s{}\" d=\"M{:.1f} {:g}h16\"/>\n", i % kMostSeriesOfPanel, x, base - 4);
      add("<text x=\"{:.1f}\" y=\"{:g}\">{}</text>\n", x + 21, base, xml_escaped(name));
      x += 21 + static_cast<double>(name.size()) * kLetter + 22;
    }
  }

  // Where times lie closer than half a pixel, the lowest and the highest of each pixel.
  template <class Y>
  void draw_line(const Series& series, std::size_t number, const Y& y_of) {
    std::string path;
    bool open = false;
    const std::size_t count = std::min(series.values.size(), chart_.seconds.size());
    const auto point = [&](double x, double value) {
      path += fmt::format("{}{:.1f} {:.1f}", open ? 'L' : 'M', x, y_of(value));
      open = true;
    };
    for (std::size_t i = 0; i < count;) {
      if (!series.values[i]) {
        open = false;
        ++i;
        continue;
      }
      const double x = x_of(chart_.seconds[i]);
      double low = *series.values[i];
      double high = low;
      const double first = low;
      std::size_t next = i + 1;
      for (; next < count && series.values[next] && x_of(chart_.seconds[next]) < x + 0.5; ++next) {
        low = std::min(low, *series.values[next]);
        high = std::max(high, *series.values[next]);
      }
      if (high - first > first - low) {
        if (low < first) point(x, low);
        point(x, high);
      } else {
        if (high > first) point(x, high);
        point(x, low);
      }
      i = next;
    }
    if (!path.empty()) add("<path class=\"line s{}\" d=\"{}\"/>\n", number % kMostSeriesOfPanel, path);
  }

  double draw_states(double y) {
    const double top = y + 6;
    const double bottom = top + static_cast<double>(chart_.states.size()) * (kBarRow + kBar);
    draw_vertical_lines(top, bottom);
    for (std::size_t i = 0; i < chart_.states.size(); ++i) {
      const double row = top + static_cast<double>(i) * (kBarRow + kBar);
      add("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", kLeft, row + 14, xml_escaped(chart_.states[i].name));
      draw_bars(chart_.states[i], row + kBarRow - 2);
    }
    add("<path class=\"axis\" d=\"M{:g} {:g}H{:g}\"/>\n", kLeft, bottom, kLeft + kPlot);
    return bottom + kGap;
  }

  void draw_bars(const States& states, double y) {
    const std::size_t count = std::min(states.holds.size(), chart_.seconds.size());
    for (std::size_t i = 0; i < count;) {
      if (!states.holds[i]) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < count && states.holds[end])
        ++end;
      const double from = x_of(chart_.seconds[i]);
      const double to = x_of(chart_.seconds[std::min(end, count - 1)]);
      add("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\" rx=\"2\"/>\n", from, y,
          std::max(to - from, 1.0), kBar);
      i = end;
    }
  }

  void draw_time(double y) {
    for (const double tick : time_ticks(end_))
      add("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", x_of(tick), y + 6, time_label(tick));
    add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">time</text>\n", kLeft + kPlot / 2, y + 26);
  }

  const Chart& chart_;
  double end_;
  std::string body_;
};

}  // namespace

std::string svg_of(const Chart& chart) { return Drawing(chart).draw(); }

}  // namespace nvmlab::tool
