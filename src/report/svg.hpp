// Pictures as SVG within a page. Colours and line widths are classes of the page's style sheet (report/style.cpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace manychain::report {

/// For HTML and SVG, in texts and in attributes: & < > " and ' as entities. Bytes that are no UTF-8 become "?".
std::string escaped(const std::string& text);
/// Like escaped(), but for HTML alone and with places where a line may break within a name: after _ . and , and before
/// [. Numbers, and options such as --seed, are not broken.
std::string breakable(const std::string& text);

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

/// A picture of 320 x 200 units, which a phone shows without making its words smaller, or another size. Coordinates are
/// those of two axes, and what lies outside is drawn at the edge; points that are not finite interrupt a line.
class Picture {
 public:
  struct Frame {
    double left = 12, top = 20, right = 12, bottom = 40;  ///< margins: room for a label above, and for an axis below
  };
  using Points = std::vector<std::pair<double, double>>;
  struct Upright {
    double x, low, high;
  };

  /// `title`: in words what it shows, for who cannot see it.
  Picture(std::string title, double width = 320, double height = 200);

  void set_frame(const Frame& frame) { frame_ = frame; }
  void set_scales(const Scale& x, const Scale& y);

  /// Before all else that is drawn: it takes the room on the left that its numbers need.
  void y_axis(const std::string& label, bool whole = false);
  void x_axis(const std::string& label, bool whole = false);
  /// Bars of equal width from `low` on, as one area.
  void bars(const char* css, double low, double width, const std::vector<double>& heights);
  void line(const char* css, const Points& points);
  /// Between two lines.
  void band(const char* css, const Points& lower, const Points& upper);
  void segment(const char* css, double x1, double y1, double x2, double y2);
  void uprights(const char* css, const std::vector<Upright>& all);
  void dot(const char* css, double x, double y, double radius = 3.5);
  /// As many as there are, as one path: their size is that of the line.
  void dots(const char* css, const Points& points);
  /// Beside an upright line at x, at its upper end.
  void words_at(double x, const std::string& words);

  std::string svg() const;

 private:
  double across(double x) const;
  double down(double y) const;
  /// In units of the picture, from its upper left corner.
  void text(const char* css, double x, double y, const std::string& words);

  std::string title_, body_;
  double width_, height_;
  Frame frame_;
  Scale x_, y_;
};

}  // namespace manychain::report
