#include "rhea/distributed/mesh.h"

#include "rhea/core/error.h"
#include "rhea/distributed/world.h"

#include <c10/util/Exception.h>

namespace rhea {

Mesh::Mesh(const World& world, std::vector<MeshDim> dims) {
  int product = 1;
  std::string shape;
  for (const MeshDim& dim : dims) {
    product *= dim.size;
    shape += fmt::format("{}{} = {}", shape.empty() ? "" : ", ", dim.name, dim.size);
  }
  if (product != world.size()) {
    fail_usage("parallelism: the degrees ({}) multiply to {}, but there are {} ranks", shape, product, world.size());
  }
  int stride = world.size();
  for (MeshDim& dim : dims) {
    stride /= dim.size;
    const int coordinate = world.rank() / stride % dim.size;
    std::vector<int> members;
    for (int i = 0; i < dim.size; ++i) {
      members.push_back(world.rank() + (i - coordinate) * stride);
    }
    const std::string name = fmt::format("{}/{}", dim.name, members.front());
    auto group = world.subgroup(name, members);
    axes_.push_back({std::move(dim), coordinate, std::move(group)});
  }
}

const Mesh::Axis& Mesh::axis(std::string_view name) const {
  for (const Axis& axis : axes_) {
    if (axis.dim.name == name) {
      return axis;
    }
  }
  TORCH_INTERNAL_ASSERT(false, "the mesh has no dimension ", std::string(name));
}

int Mesh::size(std::string_view name) const {
  return axis(name).dim.size;
}

int Mesh::rank(std::string_view name) const {
  return axis(name).coordinate;
}

ProcessGroup& Mesh::group(std::string_view name) const {
  return *axis(name).group;
}

BatchDimInfo batch_dim_info(const Mesh& mesh) {
  return {mesh.size(kDataParallelReplicate), mesh.rank(kDataParallelReplicate)};
}

}  // namespace rhea
