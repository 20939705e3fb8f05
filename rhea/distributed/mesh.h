// The ranks as a grid with named dimensions. Each dimension is one way of sharing the work; a rank talks, along a
// dimension, to those that differ from it in that coordinate only.
#pragma once

#include "rhea/distributed/process_group.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

class World;

struct MeshDim {
  std::string name;  // "dp_replicate"
  int size = 1;
};

class Mesh {
 public:
  // The last dimension varies fastest. Throws UsageError when the product of the sizes is not the world's size.
  Mesh(const World& world, std::vector<MeshDim> dims);

  int size(std::string_view name) const;
  // This rank's coordinate.
  int rank(std::string_view name) const;
  ProcessGroup& group(std::string_view name) const;

 private:
  struct Axis {
    MeshDim dim;
    int coordinate;
    std::shared_ptr<ProcessGroup> group;
  };
  const Axis& axis(std::string_view name) const;
  std::vector<Axis> axes_;
};

// The batch dimension: how many ways the global batch is cut and which part is this rank's. This holds the ordinary
// rule (the data-parallel dimension); a caller with another notion passes its own numbers to whoever asks for these.
struct BatchDimInfo {
  int size = 1;
  int rank = 0;
};
BatchDimInfo batch_dim_info(const Mesh& mesh);

inline constexpr std::string_view kDataParallelReplicate = "dp_replicate";

}  // namespace rhea
