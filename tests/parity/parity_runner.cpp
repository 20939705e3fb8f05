// The C++ side of the parity tests: loads a model's weights and tokens from a safetensors file, and writes logits, loss,
// every gradient and the losses of ten clipped AdamW steps to another. tests/parity/parity.py compares with PyTorch.
//
//   parity_runner INPUT.safetensors OUTPUT.safetensors
//
// INPUT's metadata: family, flavor, vocab_size, max_seq_len, tied, qk_norm, packed, lr, max_norm, warmup.
#include "rhea/checkpoint/safetensors.h"
#include "rhea/models/build_model.h"
#include "rhea/optim/lr_schedule.h"
#include "rhea/optim/optimizer.h"
#include "rhea/train/gradients.h"
#include "rhea/train/program.h"
#include "rhea/train/training_state.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

using namespace rhea;

namespace {

ModelOptions model_options(const std::map<std::string, std::string>& metadata) {
  return {.family = metadata.at("family"),
          .flavor = metadata.at("flavor"),
          .vocab_size = std::stoll(metadata.at("vocab_size")),
          .max_seq_len = std::stoll(metadata.at("max_seq_len")),
          .qk_norm = metadata.at("qk_norm") == "1",
          .tied = metadata.at("tied") == "1"};
}

void run(const char* input_path, const char* output_path) {
  const SafetensorsFile input(input_path);
  const auto& metadata = input.metadata();
  const auto model = build_model(model_options(metadata));
  model->materialize(at::kCPU, 0);
  TensorMap weights;
  for (const auto& [name, entry] : input.entries()) {
    if (name.starts_with("weights.")) {
      weights.emplace(name.substr(8), input.load(name));
    }
  }
  restore_model(*model, weights, input_path);

  const at::Tensor labels = input.load("labels");
  ModelInputs inputs{input.load("tokens"), {}};
  if (metadata.at("packed") == "1") {
    inputs.document_starts = input.load("document_starts");
  }
  const double targets = labels.ne(-100).sum().item<double>();

  std::vector<NamedTensor> outputs;
  outputs.push_back({"logits", model->logits(model->hidden_states(inputs)).detach().contiguous()});
  const at::Tensor loss = model->loss_sum(inputs, labels) / targets;
  loss.backward();
  outputs.push_back({"loss", loss.detach()});
  for (const NamedTensor& parameter : named_parameters(*model)) {
    outputs.push_back({"gradients." + parameter.name, parameter.tensor.grad().clone()});
  }

  constexpr int kSteps = 10;
  const LrSchedule schedule({.warmup_steps = std::stoll(metadata.at("warmup")), .decay_ratio = 0.8}, kSteps);
  const auto optimizer = build_optimizer({.beta1 = 0.9, .beta2 = 0.95, .weight_decay = 0.1}, named_parameters(*model));
  std::vector<at::Tensor> losses, norms;
  for (int step = 0; step < kSteps; ++step) {
    optimizer->zero_grad();
    const at::Tensor step_loss = model->loss_sum(inputs, labels) / targets;
    step_loss.backward();
    norms.push_back(clip_gradients(*model, std::stod(metadata.at("max_norm"))).reshape({}));
    optimizer->step(std::stod(metadata.at("lr")) * schedule.factor(step));
    losses.push_back(step_loss.detach());
  }
  outputs.push_back({"losses", at::stack(losses)});
  outputs.push_back({"norms", at::stack(norms)});
  write_safetensors(output_path, outputs);
}

}  // namespace

int main(int argc, char** argv) {
  run_program([&] {
    if (argc == 3) {
      run(argv[1], argv[2]);
    }
  });
}
