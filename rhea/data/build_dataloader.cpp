#include "rhea/core/error.h"
#include "rhea/data/data_loader.h"

namespace rhea {

std::unique_ptr<DataLoader> build_dataloader(std::shared_ptr<const TokenCorpus> corpus, const Tokenizer& tokenizer,
                                             FramingOptions framing, DataLoaderOptions options) {
  options.bos_id = framing.add_bos ? tokenizer.bos_id() : std::nullopt;
  options.eos_id = framing.add_eos ? tokenizer.eos_id() : std::nullopt;
  if (framing.add_bos && !options.bos_id) {
    fail_usage("add_bos: the tokenizer has no BOS token; set add_bos=false");
  }
  if (framing.add_eos && !options.eos_id) {
    fail_usage("add_eos: the tokenizer has no EOS token; set add_eos=false");
  }
  return std::make_unique<DataLoader>(std::move(corpus), options);
}

std::unique_ptr<DataLoader> build_validation_loader(std::shared_ptr<const TokenCorpus> corpus, const Tokenizer& tokenizer,
                                                    FramingOptions framing, DataLoaderOptions options) {
  options.epochs = 1;
  options.shuffle = false;
  options.microbatches = 1;
  return build_dataloader(std::move(corpus), tokenizer, framing, options);
}

}  // namespace rhea
