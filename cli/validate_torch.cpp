// rhea-validate: what a configuration means and costs, from shapes alone. `rhea validate` starts it.
#include <rhea/config/parse.h>
#include <rhea/config/pretrain_config.h>
#include <rhea/core/error.h>
#include <rhea/core/thousands.h>
#include <rhea/metrics/memory.h>
#include <rhea/models/model.h>
#include <rhea/train/build.h>
#include <rhea/train/memory_plan.h>
#include <rhea/train/mixed_precision.h>
#include <rhea/train/program.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace rhea;

namespace {

int planned_ranks() {
  const char* text = std::getenv("WORLD_SIZE");
  if (text == nullptr) {
    return 1;
  }
  int ranks = 0;
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, ranks);
  if (error != std::errc() || stopped != end || ranks < 1) {
    fail_usage("environment: WORLD_SIZE={} is no number of ranks", text);
  }
  return ranks;
}

void validate(const PretrainConfig& config) {
  const int ranks = planned_ranks();
  const auto model = build_model(config, 0);
  const MixedPrecision precision(config.training.mixed_precision_param, *model, at::kMeta);
  const std::int64_t seq_len = config.training.seq_len;
  microbatches_per_step(config.training, ranks);
  const std::int64_t degree = config.parallelism.data_parallel_replicate_degree;
  if (degree > 0 && degree != ranks) {
    fail_usage("parallelism.data_parallel_replicate_degree = {}, but there are {} ranks (WORLD_SIZE)", degree, ranks);
  }
  build_lr_schedule(config);
  profiler_options(config);

  const ModelShape& shape = model->shape();
  fmt::print("model       {} {}: dim {}, {} layers, {} heads, {} key-value heads, feed-forward {}, vocabulary {}\n",
             config.model.name, config.model.flavor, shape.dim, shape.layers, shape.heads, shape.kv_heads, shape.hidden_dim,
             shape.vocab_size);
  fmt::print("parameters  {}\n", with_thousands(model->num_parameters()));
  fmt::print("FLOPs       {} a token at {} (torchtitan's formula), {} counted causally\n",
             with_thousands(model->flops_per_token(seq_len)), seq_len, with_thousands(model->causal_flops_per_token(seq_len)));
  fmt::print("batch       {}\n", describe_batch(config.training, ranks));
  const MemoryPlan plan = plan_memory(*model, memory_plan_options(config, *model));
  fmt::print("memory      of a rank: {}\n", to_line(plan));
  const double planned = static_cast<double>(plan.total()) / (1 << 30);
  if (planned * ranks > total_memory_gib()) {
    fmt::print("            more than this machine's {:.1f} GiB\n", total_memory_gib());
  }
  if (config.dataset.path.empty()) {
    fmt::print("data        dataset.path is not set: a run needs it\n");
  }
  fmt::print("valid\n");
}

}  // namespace

int main(int argc, char** argv) {
  run_program([&] {
    PretrainConfig config;
    if (parse_config(config, {"validate", "check a configuration"}, argc, argv)) {
      check_plan(config);
      validate(config);
    }
  });
}
