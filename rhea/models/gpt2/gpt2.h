// The GPT-2 family: learned positions, LayerNorm, GELU (tanh form), biases, tied head.
//
// Radford et al. 2019. Parameter names and layout are nanoGPT's (linear layers [out, in]); the Hugging Face checkpoint
// has the same names under "transformer." with its four matrices a layer transposed.
#pragma once

#include "rhea/models/model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct Gpt2Args {
  std::int64_t dim = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;
  std::int64_t vocab_size = 50257;
  double norm_eps = 1e-5;
  std::int64_t max_seq_len = 1024;
};

// Throws UsageError with the nearest names when there is no such size.
Gpt2Args gpt2_size(std::string_view flavor);
std::vector<std::string> gpt2_sizes();

class Gpt2 : public Model {
 public:
  // Shapes only, on the meta device.
  explicit Gpt2(const Gpt2Args& args);

  at::Tensor hidden_states(const ModelInputs& inputs) override;
  at::Tensor hidden_states_cached(const at::Tensor& tokens, KeyValueCache& cache) override;
  const Parameter& output_weight() const override { return *wte_; }

 protected:
  // wte is the head too, so only the positions are a pure look-up.
  std::int64_t embedding_parameters() const override { return wpe_->numel(); }

 private:
  struct Linear {
    Parameter *weight, *bias;
  };
  struct Layer {
    Linear ln_1, c_attn, attn_c_proj, ln_2, c_fc, mlp_c_proj;
  };

  Linear add_linear(const std::string& name, std::int64_t out, std::int64_t in, double std);
  Linear add_norm(const std::string& name);
  at::Tensor embed(const at::Tensor& tokens, const at::Tensor& positions) const;
  at::Tensor layer_forward(const Layer& layer, const at::Tensor& x, const at::Tensor& document_starts, KeyValueCache* cache,
                           std::size_t index) const;
  at::Tensor norm(const Linear& norm, const at::Tensor& x) const;

  Gpt2Args args_;
  Parameter *wte_, *wpe_;
  std::vector<Layer> layers_;
  Linear ln_f_;
};

}  // namespace rhea
