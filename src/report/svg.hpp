// Pictures as SVG within a page. Colours and line widths are classes of the page's style sheet (report/style.cpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace manychain::report {

/// For HTML and SVG, in texts and in attributes: & < > " and ' as entities. Bytes that are no UTF-8 become "?".
std::string escaped(const std::string& text);

/// A range of numbers along an axis of a picture.
struct Scale {
  double low = 0, high = 1;
};

/// Places along an axis, and what to write there.
struct Ticks {
  std::vector<std::pair<double, std::string>> marks;
  std::string offset;  ///< to be added to all: "+ 1.000e+06", where they would be too long without
};

/// Round numbers within the scale, at most `most` or one more, with the digits that tell them apart. `whole`: whole
/// numbers alone.
Ticks ticks(const Scale& scale, std::size_t most, bool whole = false);

/// A picture of 320 x 190 units, or another size. Coordinates are those of two axes, and what lies outside is drawn at
/// the edge; points that are not finite interrupt a line.
class Picture {
 public:
  struct Frame {
    double left = 44, top = 8, right = 8, bottom = 24;  ///< margins
  };
  using Points = std::vector<std::pair<double, double>>;

  /// `title`: in words what it shows, for who cannot see it.
  Picture(std::string title, double width = 320, double height = 190);

  void set_frame(const Frame& frame) { frame_ = frame; }
  void set_scales(const Scale& x, const Scale& y);

  void x_axis(const std::string& label = "", bool whole = false);
  void y_axis(bool whole = false);
  /// Of equal width from `low` on, as one area.
  void bars(const char* css, double low, double width, const std::vector<double>& heights);
  void line(const char* css, const Points& points);
  /// Between two lines.
  void band(const char* css, const Points& lower, const Points& upper);
  void segment(const char* css, double x1, double y1, double x2, double y2);
  void dot(const char* css, double x, double y, double radius = 3.5);
  /// In units of the picture, from its upper left corner.
  void text(const char* css, double x, double y, const std::string& words);

  std::string svg() const;

 private:
  double across(double x) const;
  double down(double y) const;

  std::string title_, body_;
  double width_, height_;
  Frame frame_;
  Scale x_, y_;
};

}  // namespace manychain::report
