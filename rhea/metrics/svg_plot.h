// Charts as one SVG picture: panels in two columns, light ground, colours that colour-blind readers can tell apart
// (Okabe and Ito, "Color universal design", 2008).
#pragma once

#include "rhea/metrics/chart.h"

#include <span>
#include <string>

namespace rhea {

// The SVG document. Names from outside are escaped. A chart without points says so in its panel.
std::string svg_plot(std::span<const Chart> charts, const std::string& title);

}  // namespace rhea
