#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace manychain::report {
namespace {

/// Largest width of a number of an axis: the digits of wide fonts, in the size of the style sheet.
double width_of(const std::string& digits) { return 7.4 * double(digits.size()); }

/// A coordinate: tenths of a unit are finer than a printer.
std::string number(double x) {
  std::string text = fmt::format("{:.1f}", x);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// A number of an axis whose largest is `largest`, to the digits that tell it from others `step` away.
std::string label(double x, double step, double largest) {
  if (x == 0) return "0";
  const int decimals = int(-std::floor(std::log10(step) + 1e-9));
  if (largest < 1e5 && largest >= 1e-3) return fmt::format("{:.{}f}", x, std::clamp(decimals, 0, 12));
  return fmt::format("{:.{}e}", x, std::clamp(int(std::floor(std::log10(std::abs(x)) + 1e-9)) + decimals, 0, 16));
}

/// Number of bytes of UTF-8 of the character at `at`; 0 if there is none.
std::size_t length_of_character(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0u) != 0x80u) return 0;
  return length;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (length == 0 || (length == 1 && (c < 0x20 || c == 0x7f))) {
      out += c == '\n' || c == '\t' ? ' ' : '?';
      ++at;
      continue;
    }
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out.append(text, at, length);
    at += length;
  }
  return out;
}

std::string breakable(const std::string& text) {
  const auto is = [&](std::size_t at, int (*kind)(int)) {
    return at < text.size() && kind(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto ends_in_a_name = [&](std::size_t at) {  // behind this character a line may end
    if (text[at] == '_') return true;
    if (at == 0 || !is(at + 1, std::isalnum)) return is(at, std::isalnum) && text.compare(at + 1, 1, "[") == 0;
    const bool point = !is(at - 1, std::isdigit) || !is(at + 1, std::isdigit);  // none of a number
    return text[at] == ',' || (text[at] == '.' && is(at - 1, std::isalnum) && point);
  };
  std::string out, piece;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "--") == 0 && is(at + 2, std::isalpha)) {  // an option: browsers would cut it at a hyphen
      std::size_t end = at;
      while (is(end, std::isalnum) || text.compare(end, 1, "-") == 0) ++end;
      out += escaped(piece) + "<span class=\"option\">" + text.substr(at, end - at) + "</span>";
      piece.clear();
      at = end - 1;
      continue;
    }
    piece += text[at];
    if (!ends_in_a_name(at)) continue;
    out += escaped(piece) + "<wbr>";
    piece.clear();
  }
  return out + escaped(piece);
}

Ticks ticks(const Scale& scale, std::size_t most, bool whole) {
  constexpr std::size_t longest = 8;  // characters of a label
  Ticks found;
  const double range = scale.high - scale.low;
  if (!(range > 0) || !std::isfinite(range)) return found;
  const double power = std::pow(10, std::floor(std::log10(range / double(most))));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0, 20.0})
    if (range / step > double(most)) step = factor * power;
  if (whole) step = std::max(step, 1.0);
  std::vector<double> places;  // in steps
  for (double k = std::ceil(scale.low / step - 1e-9); k * step <= scale.high + 1e-9 * range && places.size() <= most;
       ++k)
    places.push_back(k);
  if (places.empty()) return found;
  const auto label_all = [&](double origin) {
    const double largest = step * std::max(std::abs(places.front() - origin), std::abs(places.back() - origin));
    std::size_t length = 0;
    found.marks.clear();
    for (const double k : places) {
      found.marks.emplace_back(k * step, label((k - origin) * step, step, largest));
      length = std::max(length, found.marks.back().second.size());
    }
    return length;
  };
  if (label_all(0) <= longest) return found;
  const std::size_t middle = places.size() / 2;
  const std::string origin = found.marks[middle].second;
  found.offset = (origin[0] == '-' ? "" : "+ ") + origin;
  label_all(places[middle]);
  return found;
}

Picture::Picture(std::string title, double width, double height)
    : title_(std::move(title)), width_(width), height_(height) {}

void Picture::set_scales(const Scale& x, const Scale& y) {
  x_ = x;
  y_ = y;
}

double Picture::across(double x) const {
  const double share = std::clamp((x - x_.low) / (x_.high - x_.low), 0.0, 1.0);
  return frame_.left + share * (width_ - frame_.left - frame_.right);
}

double Picture::down(double y) const {
  const double share = std::clamp((y - y_.low) / (y_.high - y_.low), 0.0, 1.0);
  return height_ - frame_.bottom - share * (height_ - frame_.top - frame_.bottom);
}

void Picture::y_axis(const std::string& label, bool whole) {
  const auto [marks, offset] = ticks(y_, 5, whole);
  double widest = 0;
  for (const auto& [at, words] : marks) widest = std::max(widest, width_of(words));
  frame_.left = std::max(frame_.left, widest + 9);
  body_ += fmt::format("<path class=\"axis\" d=\"M{} {}V{}", number(frame_.left), number(height_ - frame_.bottom),
                       number(frame_.top));
  for (const auto& [at, words] : marks) body_ += fmt::format("M{} {}h-4", number(frame_.left), number(down(at)));
  body_ += "\"/>";
  for (const auto& [at, words] : marks)
    body_ += fmt::format("<text class=\"ytick\" x=\"{}\" y=\"{}\">{}</text>", number(frame_.left - 6),
                         number(down(at) + 4), escaped(words));
  text("label", 1, 11, offset.empty() ? label : fmt::format("{}, {}", label, offset));
}

void Picture::x_axis(const std::string& label, bool whole) {
  const double base = height_ - frame_.bottom, room = width_ - frame_.left - frame_.right;
  Ticks shown = ticks(x_, static_cast<std::size_t>(room / 55), whole);
  const auto too_wide = [&] {
    double sum = 0;
    for (const auto& [at, words] : shown.marks) sum += width_of(words) + 8;
    return sum > room;
  };
  for (std::size_t most = shown.marks.size(); most > 2 && too_wide();) shown = ticks(x_, --most, whole);
  body_ += fmt::format("<path class=\"axis\" d=\"M{} {}H{}", number(frame_.left), number(base),
                       number(width_ - frame_.right));
  for (const auto& [at, words] : shown.marks) body_ += fmt::format("M{} {}v4", number(across(at)), number(base));
  body_ += "\"/>";
  for (const auto& [at, words] : shown.marks) {
    const double half = 0.5 * width_of(words);  // the last may stand beside its mark rather than be cut
    text("tick", std::clamp(across(at), half, std::max(half, width_ - half)), base + 16, words);
  }
  text("middle", frame_.left + 0.5 * room, base + 33,
       shown.offset.empty() ? label : fmt::format("{}, {}", label, shown.offset));
}

void Picture::bars(const char* css, double low, double width, const std::vector<double>& heights) {
  const std::string base = number(down(0));
  std::string path;
  bool open = false;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (!(heights[i] > 0)) {
      if (open) path += "V" + base + "Z";
      open = false;
      continue;
    }
    const double left = low + width * double(i);
    if (!open) path += fmt::format("M{} {}", number(across(left)), base);
    path += fmt::format("V{}H{}", number(down(heights[i])), number(across(left + width)));
    open = true;
  }
  if (open) path += "V" + base + "Z";
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css, path);
}

void Picture::line(const char* css, const Points& points) {
  std::string path;
  bool open = false;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      open = false;
      continue;
    }
    path += fmt::format("{}{} {}", open ? "L" : "M", number(across(x)), number(down(y)));
    open = true;
  }
  if (!path.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css, path);
}

void Picture::band(const char* css, const Points& lower, const Points& upper) {
  Points around;
  for (const auto& point : upper)
    if (std::isfinite(point.second)) around.push_back(point);
  for (auto point = lower.rbegin(); point != lower.rend(); ++point)
    if (std::isfinite(point->second)) around.push_back(*point);
  line(css, around);
}

void Picture::segment(const char* css, double x1, double y1, double x2, double y2) {
  body_ += fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>", css, number(across(x1)), number(down(y1)),
                       number(across(x2)), number(down(y2)));
}

void Picture::uprights(const char* css, const std::vector<Upright>& all) {
  std::string path;
  for (const auto& [x, low, high] : all)
    if (std::isfinite(low) && std::isfinite(high))
      path += fmt::format("M{} {}V{}", number(across(x)), number(down(low)), number(down(high)));
  if (!path.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css, path);
}

void Picture::dots(const char* css, const Points& points) {
  std::string path;
  for (const auto& [x, y] : points)
    if (std::isfinite(y)) path += fmt::format("M{} {}h0", number(across(x)), number(down(y)));
  if (!path.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css, path);
}

void Picture::words_at(double x, const std::string& words) { text("label", across(x) + 4, frame_.top + 10, words); }

void Picture::dot(const char* css, double x, double y, double radius) {
  body_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", css, number(across(x)), number(down(y)),
                       number(radius));
}

void Picture::text(const char* css, double x, double y, const std::string& words) {
  body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", css, number(x), number(y), escaped(words));
}

std::string Picture::svg() const {
  const std::string title = escaped(title_);
  return fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" "
      "height=\"{}\"><title>{}</title>{}</svg>\n",
      title, number(width_), number(height_), number(width_), number(height_), title, body_);
}

}  // namespace manychain::report
