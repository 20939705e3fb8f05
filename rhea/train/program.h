// The outermost frame of a recipe's program: errors become one message and an exit status, and the program leaves
// without libtorch's slow destructors.
#pragma once

#include <functional>

namespace rhea {

// Runs body and ends the process: status 0, or the Error's own (1 failed while running, 2 wrong usage or configuration)
// after its message. Files must be flushed when body returns: no destructor of a global runs.
[[noreturn]] void run_program(const std::function<void()>& body);

}  // namespace rhea
