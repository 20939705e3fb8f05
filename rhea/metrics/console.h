// The console line of a logged step, in torchtitan's order of fields and widths, so that scripts made for it can read ours.
#pragma once

#include "rhea/metrics/step_metrics.h"

#include <string>

namespace rhea {

// "step: 10  loss:  2.74753  grad_norm:  0.5321  memory:  0.81GiB(5.20%)  tps: 2,330  tflops: 0.12  mfu: 61.50%"
//
// An unknown MFU is "n/a". Ends with "  skipped: 2" once steps were skipped. With colour each field has its own.
std::string console_line(const StepMetrics& metrics, bool colour);

// "validate step: 10  loss:  2.7465  memory:  0.81GiB(5.20%)  tps: 7,120"
std::string console_line(const ValidationMetrics& metrics, bool colour);

// 1234567 as "1,234,567"; digits after the point as asked for. NaN and infinity as "nan" and "inf".
std::string decimal_with_thousands(double value, int digits = 0);

// Whether colours suit what is written to this descriptor: a terminal that is not "dumb", and NO_COLOR is not set.
bool wants_colour(int descriptor);

}  // namespace rhea
