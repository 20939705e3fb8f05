#include "rhea/data/data_loader.h"

#include "tests/unit/data/fixtures.h"

#include <algorithm>
#include <map>
#include <set>

namespace rhea {
namespace {

using test::Documents;
using test::Folder;

constexpr std::int64_t kVocab = 100000;

struct Row {
  std::vector<std::int64_t> tokens, labels;
  std::vector<std::int32_t> starts;
  bool operator==(const Row&) const = default;
};

std::vector<Row> rows_of(const Batch& batch) {
  std::vector<Row> rows;
  std::int64_t valid = 0;
  for (std::int64_t r = 0; r < batch.rows; ++r) {
    const auto first = r * batch.seq_len, last = first + batch.seq_len;
    rows.push_back({{batch.tokens.begin() + first, batch.tokens.begin() + last},
                    {batch.labels.begin() + first, batch.labels.begin() + last},
                    {batch.document_starts.begin() + first, batch.document_starts.begin() + last}});
    valid += std::count_if(rows.back().labels.begin(), rows.back().labels.end(), [](auto l) { return l != kIgnoredLabel; });
  }
  EXPECT_EQ(batch.valid_labels, valid);
  return rows;
}

// Rows of `steps` steps of all ranks in global order; fewer if the data ends.
std::vector<Row> global_rows(const std::shared_ptr<const TokenCorpus>& corpus, DataLoaderOptions options, std::int64_t steps,
                             std::vector<DataPosition>* positions = nullptr, const DataPosition* from = nullptr) {
  std::vector<std::unique_ptr<DataLoader>> loaders;
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    loaders.push_back(std::make_unique<DataLoader>(corpus, options));
    if (from != nullptr) {
      loaders.back()->seek(*from);
    }
  }
  std::vector<Row> rows;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<std::optional<std::vector<Batch>>> of_rank;
    for (const auto& loader : loaders) {
      of_rank.push_back(loader->next_step());
    }
    for (const auto& one : of_rank) {
      EXPECT_EQ(one.has_value(), of_rank[0].has_value()) << "all ranks end with the same step";
    }
    if (!of_rank[0]) {
      break;
    }
    for (std::int64_t m = 0; m < options.microbatches; ++m) {
      for (const auto& one : of_rank) {
        for (Row& row : rows_of(one->at(m))) {
          rows.push_back(std::move(row));
        }
      }
    }
    for (const auto& loader : loaders) {
      EXPECT_EQ(to_json(loader->position()), to_json(loaders[0]->position()));
    }
    if (positions != nullptr) {
      positions->push_back(loaders[0]->position());
    }
  }
  return rows;
}

// The definition in data_loader.h, written down plainly, for unshuffled data of `epochs` epochs.
std::vector<Row> expected_rows(const Documents& documents, const DataLoaderOptions& options) {
  std::vector<std::int64_t> stream;
  std::vector<std::size_t> begins;  // of the document that a token belongs to
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (const auto& document : documents) {
      const std::size_t begin = stream.size();
      if (options.bos_id) {
        stream.push_back(*options.bos_id);
      }
      stream.insert(stream.end(), document.begin(), document.end());
      if (options.eos_id) {
        stream.push_back(*options.eos_id);
      }
      begins.resize(stream.size(), begin);
    }
  }
  std::vector<Row> rows;
  const auto length = static_cast<std::size_t>(options.seq_len);
  for (std::size_t first = 0; first + 1 < stream.size(); first += length) {
    Row row;
    for (std::size_t i = first; i < first + length; ++i) {
      const bool there = i < stream.size();
      const bool has_target = i + 1 < stream.size() && !(options.document_mask && begins[i + 1] == i + 1);
      row.tokens.push_back(there ? stream[i] : options.eos_id.value_or(0));
      row.labels.push_back(has_target ? stream[i + 1] : kIgnoredLabel);
      const std::size_t begin = there ? begins[i] : stream.size();
      row.starts.push_back(static_cast<std::int32_t>(std::max(begin, first) - first));
    }
    rows.push_back(std::move(row));
  }
  const auto global = static_cast<std::size_t>(options.world * options.microbatches * options.local_batch_size);
  while (rows.size() % global != 0) {
    rows.push_back({std::vector<std::int64_t>(length, options.eos_id.value_or(0)),
                    std::vector<std::int64_t>(length, kIgnoredLabel), std::vector<std::int32_t>(length, 0)});
  }
  return rows;
}

class Trials : public ::testing::TestWithParam<int> {
 protected:
  std::uint64_t draw(std::uint64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % n;
  }
  DataLoaderOptions draw_options() {
    DataLoaderOptions options;
    options.seq_len = static_cast<std::int64_t>(1 + draw(40));
    options.local_batch_size = static_cast<std::int64_t>(1 + draw(3));
    options.microbatches = static_cast<std::int64_t>(1 + draw(3));
    options.world = std::int64_t{1} << draw(3);
    options.epochs = static_cast<std::int64_t>(1 + draw(3));
    options.document_mask = draw(2) == 0;
    options.bos_id = draw(2) == 0 ? std::optional(1) : std::nullopt;
    options.eos_id = draw(2) == 0 ? std::optional(2) : std::nullopt;
    options.seed = draw(1000);
    options.prefetch = static_cast<int>(1 + draw(3));
    return options;
  }
  Documents draw_documents() {
    return test::distinct_documents(static_cast<std::int64_t>(2 + draw(30)), draw(1 << 30),
                                    1 + static_cast<std::int64_t>(draw(60)));
  }

  Folder folder_;
  std::uint64_t state_ = static_cast<std::uint64_t>(GetParam()) * 2654435761 + 17;
};

constexpr std::int64_t kAllSteps = 1 << 20;

TEST_P(Trials, UnshuffledRowsAreTheDefinition) {
  const Documents documents = draw_documents();
  DataLoaderOptions options = draw_options();
  options.shuffle = false;
  options.bos_id = 1;  // there is a target whatever the documents
  const auto corpus = test::make_corpus(folder_, documents, kVocab);
  EXPECT_EQ(global_rows(corpus, options, kAllSteps), expected_rows(documents, options));
}

TEST_P(Trials, EveryTargetIsTrainedOnceAnEpoch) {
  const Documents documents = draw_documents();
  DataLoaderOptions options = draw_options();
  options.bos_id = 1;
  const auto corpus = test::make_corpus(folder_, documents, kVocab);
  std::map<std::int64_t, std::int64_t> times;
  for (const Row& row : global_rows(corpus, options, kAllSteps)) {
    for (const std::int64_t label : row.labels) {
      ++times[label];
    }
  }
  for (const auto& document : documents) {
    for (const std::int32_t token : document) {
      ASSERT_EQ(times[token], options.epochs) << "token " << token;
    }
  }
  const auto framed = static_cast<std::int64_t>(documents.size()) * options.epochs;
  EXPECT_EQ(times[1], options.document_mask ? 0 : framed - 1) << "BOS: no target with document_mask, never the very first token";
  EXPECT_EQ(times[2], options.eos_id ? framed : 0);
}

TEST_P(Trials, RanksAndBatchSizesOnlyCutTheSameRows) {
  const auto corpus = test::make_corpus(folder_, draw_documents(), kVocab);
  DataLoaderOptions options = draw_options();
  options.bos_id = 1;
  options.epochs = 0;
  options.world = 4;
  options.local_batch_size = 2;
  options.microbatches = 1;
  const auto rows = global_rows(corpus, options, 3);
  ASSERT_EQ(rows.size(), 24U);
  for (const auto& [world, local, microbatches] :
       {std::tuple(1, 8, 1), std::tuple(2, 4, 1), std::tuple(2, 1, 4), std::tuple(1, 1, 8)}) {
    options.world = world;
    options.local_batch_size = local;
    options.microbatches = microbatches;
    EXPECT_EQ(global_rows(corpus, options, 3), rows) << world << " " << local << " " << microbatches;
  }
}

TEST_P(Trials, GoingOnFromAnyStepIsAsIfNeverStopped) {
  const auto corpus = test::make_corpus(folder_, draw_documents(), kVocab);
  DataLoaderOptions options = draw_options();
  options.bos_id = 1;
  options.world = 2;
  options.local_batch_size = 2;
  options.microbatches = 1;
  std::vector<DataPosition> positions;
  const auto rows = global_rows(corpus, options, kAllSteps, &positions);
  for (std::size_t step = 0; step < positions.size(); step += 1 + draw(4)) {
    const DataPosition saved = data_position_from_json(to_json(positions[step]));
    const auto done = (step + 1) * 4;
    EXPECT_EQ(saved.rows, static_cast<std::int64_t>(done));
    const std::vector<Row> rest(rows.begin() + static_cast<std::ptrdiff_t>(done), rows.end());
    DataLoaderOptions other = options;
    EXPECT_EQ(global_rows(corpus, other, kAllSteps, nullptr, &saved), rest);
    other.world = 4;  // another number of ranks, the same rows
    other.local_batch_size = 1;
    EXPECT_EQ(global_rows(corpus, other, kAllSteps, nullptr, &saved), rest);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Trials, ::testing::Range(0, 40));

std::vector<std::int64_t> tokens_of(const std::vector<Row>& rows) {
  std::vector<std::int64_t> tokens;
  for (const Row& row : rows) {
    tokens.insert(tokens.end(), row.tokens.begin(), row.tokens.end());
  }
  return tokens;
}

TEST(DataLoader, SeedAndEpochDecideTheOrder) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, test::distinct_documents(50, 3, 1), kVocab);
  DataLoaderOptions options;
  options.local_batch_size = 2;  // a step is two epochs, a row one
  options.seq_len = 50;
  const auto first = global_rows(corpus, options, 1);
  EXPECT_EQ(global_rows(corpus, options, 1), first);
  EXPECT_NE(first[0].tokens, first[1].tokens) << "another order each epoch";
  const std::set<std::int64_t> epoch0(first[0].tokens.begin(), first[0].tokens.end());
  const std::set<std::int64_t> epoch1(first[1].tokens.begin(), first[1].tokens.end());
  EXPECT_EQ(epoch0.size(), 50U);
  EXPECT_EQ(epoch0, epoch1);
  options.seed = 1;
  EXPECT_NE(tokens_of(global_rows(corpus, options, 1)), tokens_of(first));
}

TEST(DataLoader, DataSmallerThanARowGoesRound) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, {{10, 11}, {12}}, kVocab);
  DataLoaderOptions options;
  options.shuffle = false;
  options.local_batch_size = 1;
  options.seq_len = 7;
  const auto rows = global_rows(corpus, options, 1);
  EXPECT_EQ(rows[0].tokens, (std::vector<std::int64_t>{10, 11, 12, 10, 11, 12, 10}));
  EXPECT_EQ(rows[0].starts, (std::vector<std::int32_t>{0, 0, 2, 3, 3, 5, 6}));
}

TEST(DataLoader, MoreEpochsGoOnWithoutLosingATarget) {
  const Folder folder;
  const Documents documents = test::distinct_documents(9, 5, 20);
  const auto corpus = test::make_corpus(folder, documents, kVocab);
  DataLoaderOptions options;
  options.seq_len = 16;
  options.local_batch_size = 2;
  options.epochs = 1;
  std::vector<DataPosition> positions;
  auto rows = global_rows(corpus, options, kAllSteps, &positions);
  options.epochs = 2;
  const auto more = global_rows(corpus, options, kAllSteps, nullptr, &positions.back());
  rows.insert(rows.end(), more.begin(), more.end());
  std::map<std::int64_t, int> times;
  for (const Row& row : rows) {
    for (const std::int64_t label : row.labels) {
      ++times[label];
    }
  }
  int once = 0;
  for (const auto& document : documents) {
    for (const std::int32_t token : document) {
      once += times[token] == 1;
      ASSERT_GE(times[token], 1);
      ASSERT_LE(times[token], 2);
    }
  }
  EXPECT_EQ(once, 1) << "only the very first token is a target once";
}

TEST(DataLoader, RewindBeginsAgain) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, test::distinct_documents(200, 5, 9), kVocab);
  DataLoaderOptions options;
  options.seq_len = 8;
  options.epochs = 1;
  options.side = DataSide::kHeldOut;
  options.held_out_share = 0.1;
  DataLoader loader(corpus, options);
  const auto first = loader.next_step();
  ASSERT_TRUE(first);
  while (loader.next_step()) {
  }
  EXPECT_FALSE(loader.next_step()) << "the end stays the end";
  loader.rewind();
  EXPECT_EQ(loader.position().rows, 0);
  EXPECT_EQ(rows_of(loader.next_step()->at(0)), rows_of(first->at(0)));
  EXPECT_GE(loader.waited_seconds(), 0);
}

TEST(DataLoader, SidesShareTheDocuments) {
  const Folder folder;
  const Documents documents = test::distinct_documents(300, 5, 9);
  const auto corpus = test::make_corpus(folder, documents, kVocab);
  DataLoaderOptions options;
  options.seq_len = 32;
  options.epochs = 1;
  options.held_out_share = 0.2;
  std::map<std::int64_t, int> times;
  std::int64_t count = 0;
  for (const DataSide side : {DataSide::kTraining, DataSide::kHeldOut}) {
    options.side = side;
    count += DataLoader(corpus, options).num_documents();
    for (const Row& row : global_rows(corpus, options, kAllSteps)) {
      for (const std::int64_t token : row.tokens) {
        ++times[token];
      }
    }
  }
  EXPECT_EQ(count, 300);
  for (const auto& document : documents) {
    for (const std::int32_t token : document) {
      ASSERT_EQ(times[token], 1) << token;
    }
  }
  options.side = DataSide::kHeldOut;
  // 300 draws at 0.2: 60, standard deviation 7; five of them.
  EXPECT_NEAR(DataLoader(corpus, options).num_documents(), 60, 35);
}

TEST(DataLoader, RefusesWhatCannotBe) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, {{10, 11}, {12}}, kVocab);
  const auto ones = test::make_corpus(folder, {{10}, {12}}, kVocab);
  const auto with = [&](auto change) {
    DataLoaderOptions options;
    change(options);
    return test::message_of([&] { DataLoader loader(corpus, options); });
  };
  EXPECT_THAT_SAYS(with([](auto& o) { o.seq_len = 0; }), "seq_len is 0");
  EXPECT_THAT_SAYS(with([](auto& o) { o.rank = 1; }), "rank is 1; it must lie between 0 and 0");
  EXPECT_THAT_SAYS(with([](auto& o) { o.local_batch_size = 1 << 29; }), "local_batch_size");
  EXPECT_THAT_SAYS(with([](auto& o) { o.side = DataSide::kHeldOut; }), "held-out share of 0");
  EXPECT_THAT_SAYS(with([](auto& o) {
                     o.side = DataSide::kTraining;
                     o.held_out_share = 1e-9;
                   }),
                   "leaves none for validation");
  EXPECT_THAT_SAYS(with([](auto& o) {
                     o.side = DataSide::kHeldOut;
                     o.held_out_share = 1 - 1e-9;
                   }),
                   "leaves none for training");
  DataLoaderOptions masked;
  masked.document_mask = true;
  EXPECT_SAYS(DataLoader(ones, masked), "give no target");
}

TEST(DataLoader, RefusesForeignPositions) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, test::distinct_documents(9, 5, 20), kVocab);
  DataLoaderOptions options;
  options.seq_len = 8;
  DataLoader loader(corpus, options);
  loader.next_step();
  const DataPosition position = loader.position();
  options.seed = 7;
  DataLoader other(corpus, options);
  EXPECT_SAYS(other.seek(position), "shuffled by seed 7");
  DataPosition wrong = position;
  wrong.document = 9;
  EXPECT_SAYS(loader.seek(wrong), "no place in 9 documents");
  wrong = position;
  wrong.token = 1000;
  EXPECT_SAYS(loader.seek(wrong), "has no token 1000");
  EXPECT_SAYS(data_position_from_json("[]"), "expected a JSON object");
  EXPECT_SAYS(data_position_from_json(R"({"epoch": -1})"), "\"epoch\" must be an integer");
  EXPECT_SAYS(data_position_from_json(R"({"epoch": 0, "document": 0, "token": 0, "rows": 0})"), "\"stream\"");
}

TEST(DataLoader, ErrorsOfTheThreadComeOut) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, {{10, 11, 500}, {12, 13}}, 400);
  DataLoaderOptions options;
  options.seq_len = 8;
  DataLoader loader(corpus, options);
  EXPECT_SAYS(loader.next_step(), "document 0 has token 500, but the tokenizer's vocabulary ends at 399");
  EXPECT_SAYS(loader.next_step(), "token 500");
}

}  // namespace
}  // namespace rhea
