// The one place that knows c10d's Gloo backend and its TCP store.
#pragma once

#include "rhea/distributed/process_group.h"

#include <chrono>
#include <memory>
#include <string>

namespace c10d {
class Store;
}

namespace rhea {

// Rank 0 serves the store (unless torchrun's agent already does); returns when all ranks are there.
std::shared_ptr<c10d::Store> open_store(const std::string& address, int port, int rank, int size, std::chrono::seconds timeout);

// A Gloo group of `size` ranks in which this one has number `rank`. All its members call this with the same name.
std::shared_ptr<ProcessGroup> make_gloo_group(const std::shared_ptr<c10d::Store>& store, const std::string& name, int rank,
                                              int size, std::chrono::seconds timeout);

}  // namespace rhea
