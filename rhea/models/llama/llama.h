// The llama family: pre-norm decoder with RMSNorm, rotary positions, grouped-query attention and a SwiGLU feed-forward.
//
// Touvron et al. 2023 (arXiv 2302.13971, 2307.09288), Llama 3: arXiv 2407.21783. Parameter names are torchtitan's.
#pragma once

#include "rhea/models/llama/sizes.h"
#include "rhea/models/model.h"

#include <memory>
#include <vector>

namespace rhea {

class Llama : public Model {
 public:
  // Shapes only, on the meta device. Throws Error when heads, kv_heads and dim do not divide.
  explicit Llama(const LlamaArgs& args);

  at::Tensor hidden_states(const ModelInputs& inputs) override;
  at::Tensor hidden_states_cached(const at::Tensor& tokens, KeyValueCache& cache) override;
  const Parameter& output_weight() const override { return *output_; }
  const LlamaArgs& args() const { return args_; }

 protected:
  std::int64_t embedding_parameters() const override { return args_.tied ? 0 : tok_embeddings_->numel(); }

 private:
  struct Layer {
    Parameter *attention_norm, *wq, *wk, *wv, *wo;
    Parameter *q_norm = nullptr, *k_norm = nullptr;  // QK-norm only
    Parameter *ffn_norm, *w1, *w2, *w3;
  };
  struct AttentionInputs;

  Layer build_layer(std::int64_t index);
  at::Tensor layer_forward(const Layer& layer, const AttentionInputs& inputs, const at::Tensor& x) const;
  at::Tensor attention(const Layer& layer, const AttentionInputs& inputs, const at::Tensor& x) const;
  at::Tensor feed_forward(const Layer& layer, const at::Tensor& x) const;
  void prepare_rope();

  LlamaArgs args_;
  Parameter* tok_embeddings_;
  std::vector<Layer> layers_;
  Parameter* norm_;
  Parameter* output_;
  at::Tensor rope_cos_, rope_sin_;  // [max_seq_len, head_dim / 2] fp32, on the weights' device
};

}  // namespace rhea
