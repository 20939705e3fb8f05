#include "rhea/config/parse.h"

#include "tests/unit/config/parse_helpers.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

using testing::parse;
using testing::parsed;

PretrainConfig from_arguments(const std::vector<std::string>& arguments) {
  PretrainConfig config;
  EXPECT_TRUE(parse(config, arguments));
  return config;
}

TEST(CommandLine, AllForms) {
  EXPECT_EQ(from_arguments({"training.steps=5"}).training.steps, 5);
  EXPECT_EQ(from_arguments({"--training.steps=5"}).training.steps, 5);
  EXPECT_EQ(from_arguments({"--training.steps", "5"}).training.steps, 5);
  EXPECT_EQ(from_arguments({"--checkpoint.load_step", "-1"}).checkpoint.load_step, -1);
  EXPECT_EQ(from_arguments({}).training.steps, 10000);
}

TEST(CommandLine, Booleans) {
  EXPECT_TRUE(from_arguments({"--checkpoint.enable"}).checkpoint.enable);
  EXPECT_TRUE(from_arguments({"--checkpoint.enable", "true"}).checkpoint.enable);
  EXPECT_FALSE(from_arguments({"--model.depth_init", "false"}).model.depth_init);
  EXPECT_FALSE(from_arguments({"model.depth_init=False"}).model.depth_init);
  const auto config = from_arguments({"--checkpoint.enable", "--validation.enable", "training.steps=3"});
  EXPECT_TRUE(config.checkpoint.enable);
  EXPECT_TRUE(config.validation.enable);
  EXPECT_EQ(config.training.steps, 3);
}

TEST(CommandLine, ValuesMayHoldAnything) {
  EXPECT_EQ(from_arguments({"job.description=a=b = c"}).job.description, "a=b = c");
  EXPECT_EQ(from_arguments({"job.description="}).job.description, "");
  EXPECT_EQ(from_arguments({"--dataset.document_start", "^= "}).dataset.document_start, "^= ");
  EXPECT_EQ(from_arguments({"dataset.path=näme/*.txt"}).dataset.path, "näme/*.txt");
}

TEST(CommandLine, Numbers) {
  EXPECT_EQ(from_arguments({"training.steps=1e3"}).training.steps, 1000);
  EXPECT_EQ(from_arguments({"training.steps=+7"}).training.steps, 7);
  EXPECT_EQ(from_arguments({"training.max_tokens=9223372036854775807"}).training.max_tokens, INT64_MAX);
  EXPECT_EQ(from_arguments({"optimizer.lr=3e-4"}).optimizer.lr, 3e-4);
  EXPECT_EQ(from_arguments({"optimizer.lr=1"}).optimizer.lr, 1.0);
}

TEST(CommandLine, Lists) {
  const std::vector<std::string> both = {"data", "optimizer"};
  EXPECT_EQ(from_arguments({"checkpoint.exclude_from_loading=data,optimizer"}).checkpoint.exclude_from_loading, both);
  EXPECT_EQ(from_arguments({"checkpoint.exclude_from_loading=[data, optimizer]"}).checkpoint.exclude_from_loading, both);
  EXPECT_EQ(from_arguments({"checkpoint.exclude_from_loading=[\"data\", 'optimizer']"}).checkpoint.exclude_from_loading, both);
  EXPECT_TRUE(from_arguments({"checkpoint.exclude_from_loading=[]"}).checkpoint.exclude_from_loading.empty());
}

TEST(CommandLine, TheLastCounts) {
  EXPECT_EQ(from_arguments({"training.steps=5", "--training.steps", "6"}).training.steps, 6);
}

TEST(Order, DefaultsThenFileThenCommandLine) {
  const auto config = parsed("run.toml", "[training]\nsteps = 5\nseq_len = 64\n", {"training.steps=6"});
  EXPECT_EQ(config.training.steps, 6);
  EXPECT_EQ(config.training.seq_len, 64);
  EXPECT_EQ(config.training.local_batch_size, 8);
}

TEST(Order, TheCommandLineCountsWhereverTheFileStands) {
  const testing::ConfigFile file("run.toml", "[training]\nsteps = 5\n");
  EXPECT_EQ(from_arguments({"training.steps=6", "--config=" + file.path()}).training.steps, 6);
}

TEST(Order, LaterFilesCountMore) {
  const testing::ConfigFile first("a.toml", "[training]\nsteps = 5\nseq_len = 64\n"), second("b.yaml", "training: {steps: 7}\n");
  const auto config = from_arguments({"--config", first.path(), "--config", second.path()});
  EXPECT_EQ(config.training.steps, 7);
  EXPECT_EQ(config.training.seq_len, 64);
}

TEST(Toml, EveryTypeIsRead) {
  const auto config = parsed("run.toml",
                             "[checkpoint]\nenable = true\nexclude_from_loading = [\"data\"]\n"
                             "[training]\nsteps = 1_000\nmax_seconds = 5\nmax_tokens = 1e6\n"
                             "[optimizer]\nlr = 3e-4\n[job]\ndescription = 'C:\\new'\n");
  EXPECT_TRUE(config.checkpoint.enable);
  EXPECT_EQ(config.checkpoint.exclude_from_loading, std::vector<std::string>{"data"});
  EXPECT_EQ(config.training.steps, 1000);
  EXPECT_EQ(config.training.max_seconds, 5.0);
  EXPECT_EQ(config.training.max_tokens, 1000000);
  EXPECT_EQ(config.optimizer.lr, 3e-4);
  EXPECT_EQ(config.job.description, "C:\\new");
}

TEST(Toml, DotsInTextAndDottedKeysAreNoNesting) {
  const std::string dots(200, '.');
  EXPECT_EQ(parsed("a.toml", "[job]\ndescription = \"\\\"" + dots + "\"\n").job.description, "\"" + dots);
  EXPECT_EQ(parsed("a.toml", "[job]\ndescription = '" + dots + "' # " + dots + "\n").job.description, dots);
  EXPECT_EQ(parsed("a.toml", "[job]\ndescription = '''\n" + dots + "\n'''\n").job.description, dots + "\n");
  EXPECT_EQ(parsed("a.toml", "training.steps = 5\ntraining.seq_len = 6\n").training.seq_len, 6);
}

TEST(Yaml, EveryTypeIsRead) {
  const auto config = parsed("run.yml",
                             "# a comment\ncheckpoint:\n  enable: true\n  exclude_from_loading: [data, \"optimizer\"]\n"
                             "training:\n  steps: 1e3\n  norm_type: 2\n  max_seconds: 5\n"
                             "optimizer: {lr: 3e-4}\njob:\n  description: 'it''s'\n  dump_folder: !!str 5\nmetrics:\n");
  EXPECT_TRUE(config.checkpoint.enable);
  EXPECT_EQ(config.checkpoint.exclude_from_loading, (std::vector<std::string>{"data", "optimizer"}));
  EXPECT_EQ(config.training.steps, 1000);
  EXPECT_EQ(config.training.norm_type, "2");
  EXPECT_EQ(config.training.max_seconds, 5.0);
  EXPECT_EQ(config.optimizer.lr, 3e-4);
  EXPECT_EQ(config.job.description, "it's");
  EXPECT_EQ(config.job.dump_folder, "5");
}

TEST(Files, EmptyOnesChangeNothing) {
  for (const char* name : {"run.toml", "run.yaml"}) {
    EXPECT_EQ(config_to_toml(parsed(name, "")), config_to_toml(PretrainConfig()));
    EXPECT_EQ(config_to_toml(parsed(name, "# nothing\n")), config_to_toml(PretrainConfig()));
  }
}

TEST(Origin, IsRemembered) {
  const testing::ConfigFile file("run.toml", "[training]\n\nsteps = 5\nseq_len = 64\n");
  PretrainConfig config;
  KeyTable keys = key_table_of(config);
  const std::vector<std::string> arguments = {"--config", file.path(), "training.seq_len=32"};
  parse_arguments(keys, {"pretrain", ""}, arguments);
  EXPECT_EQ(keys.origin("training.steps"), file.path() + ":3");
  EXPECT_EQ(keys.origin("training.seq_len"), "command line");
  EXPECT_EQ(keys.origin("training.max_norm"), "default");
  EXPECT_THROW(keys.origin("training.nothing"), std::logic_error);
}

// What a user's own recipe does: one more section beside ours.
struct MySection {
  std::int64_t width = 8;
  bool deep = false;
  void declare(KeyTable& keys) {
    keys.section("mine", "What this part does");
    keys.add("width", &width, "columns of the output", at_least(1));
    keys.add("deep", &deep, "more of it");
  }
};
struct MyConfig {
  PretrainConfig base;
  MySection mine;
  void declare(KeyTable& keys) {
    base.declare(keys);
    mine.declare(keys);
  }
};

TEST(OwnSection, IsParsedAndExplained) {
  std::vector<std::string> text = {"my_recipe", "mine.width=3", "--mine.deep", "training.steps=2"};
  std::vector<char*> argv;
  for (std::string& argument : text) {
    argv.push_back(argument.data());
  }
  MyConfig config;
  EXPECT_TRUE(parse_config(config, {"my_recipe", "what it does"}, static_cast<int>(argv.size()), argv.data()));
  EXPECT_EQ(config.mine.width, 3);
  EXPECT_TRUE(config.mine.deep);
  EXPECT_EQ(config.base.training.steps, 2);

  text[1] = "--help";
  argv[1] = text[1].data();
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(parse_config(config, {"my_recipe", "what it does"}, 2, argv.data()));
  const std::string help = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("my_recipe: what it does"), std::string::npos);
  EXPECT_NE(help.find("[mine] What this part does\n  width "), std::string::npos) << help;
}

TEST(OwnSection, AWrongDeclarationIsFoundAtOnce) {
  std::int64_t field = 0;
  KeyTable keys;
  EXPECT_THROW(keys.add("early", &field, ""), std::logic_error);
  keys.section("mine", "");
  keys.add("width", &field, "");
  EXPECT_THROW(keys.add("width", &field, ""), std::logic_error);
  EXPECT_THROW(keys.section("mine", ""), std::logic_error);
}

}  // namespace
}  // namespace rhea
