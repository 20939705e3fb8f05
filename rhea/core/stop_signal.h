// SIGINT and SIGTERM as a wish, not an end: the first one asks the program to finish what it is doing, save and leave;
// a second one ends it at once.
#pragma once

namespace rhea {

// From now on the first SIGINT or SIGTERM only sets a flag; the next ends the process with status 128 + its number.
void install_stop_signals();

// Whether the first has come. May be asked from any thread.
bool stop_requested();

}  // namespace rhea
