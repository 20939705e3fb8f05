// Wrong configurations and what each is told: the whole message, since a part of it would not show that the rest helps.
#include "rhea/config/generate_config.h"
#include "rhea/config/recipes.h"
#include "tests/unit/config/parse_helpers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace rhea {
namespace {

using testing::refusal;

struct Case {
  std::string text;
  std::string message;
};

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

TEST(Refusal, OnTheCommandLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"training.stpes=5"}, "[training] has no key \"stpes\"; did you mean \"steps\"?"},
      {{"trainin.steps=5"}, "there is no section \"trainin\"; did you mean \"training\"?"},
      {{"training.lr=5"}, "[training] has no key \"lr\"; did you mean \"optimizer.lr\"?"},
      {{"comm.elephant=5"}, "[comm] has no key \"elephant\"; there are: init_timeout_seconds, train_timeout_seconds"},
      {{"steps=5"}, "\"steps=5\" is no override; did you mean \"training.steps\" or \"validation.steps\"?"},
      {{"--lr", "5"}, "\"--lr\" is no override; did you mean \"optimizer.lr\"?"},
      {{"--confg", "x.toml"}, "\"--confg\" is no override; did you mean \"--config\"?"},
      {{"run.toml"}, "\"run.toml\" is no override; a configuration file is given as --config FILE"},
      {{"elephant"}, "\"elephant\" is no override; write section.key=value (--help lists the keys)"},
      {{".steps=5"}, "\".steps=5\" is no override; write section.key=value (--help lists the keys)"},
      {{"training.=5"}, "\"training.=5\" is no override; write section.key=value (--help lists the keys)"},
      {{""}, "\"\" is no override; write section.key=value (--help lists the keys)"},
      {{"--config"}, "--config needs a file behind it"},
      {{"training.steps"}, "training.steps needs a value: training.steps=..."},
      {{"--training.steps"}, "--training.steps needs a value behind it: expected an integer of at least 1"},
      {{"--training.steps", "--training.seq_len=5"},
       "--training.steps needs a value behind it: expected an integer of at least 1"},
      {{"training.steps=many"}, "training.steps: expected an integer of at least 1, got \"many\""},
      {{"training.steps="}, "training.steps: expected an integer of at least 1, got \"\""},
      {{"training.steps=0"}, "training.steps: expected an integer of at least 1, got 0"},
      {{"training.steps=1.5"}, "training.steps: expected an integer of at least 1, got 1.5"},
      {{"training.steps=5 "}, "training.steps: expected an integer of at least 1, got \"5 \""},
      {{"training.steps=+-5"}, "training.steps: expected an integer of at least 1, got \"+-5\""},
      {{"training.max_tokens=9223372036854775808"},
       "training.max_tokens: expected an integer of at least 0, got 9.223372036854776e+18"},
      {{"training.max_tokens=nan"}, "training.max_tokens: expected an integer of at least 0, got nan"},
      {{"training.local_batch_size=9999999999"},
       "training.local_batch_size: expected an integer of at least 1 and at most 1048576, got 9999999999"},
      {{"optimizer.lr=nan"}, "optimizer.lr: expected a number of at least 0, got nan"},
      {{"optimizer.lr=inf"}, "optimizer.lr: expected a number of at least 0, got inf"},
      {{"optimizer.lr=1e999"}, "optimizer.lr: expected a number of at least 0, got \"1e999\""},
      {{"optimizer.lr=-1e-4"}, "optimizer.lr: expected a number of at least 0, got -0.0001"},
      {{"optimizer.beta1=1"}, "optimizer.beta1: expected a number of at least 0 and below 1, got 1.0"},
      {{"lr_scheduler.decay_ratio=1.5"}, "lr_scheduler.decay_ratio: expected a number of at most 1, got 1.5"},
      {{"validation.share=0"}, "validation.share: expected a number above 0 and at most 0.5, got 0.0"},
      {{"checkpoint.enable=yes"}, "checkpoint.enable: expected true or false, got \"yes\""},
      {{"job.device=gpu"}, "job.device: expected one of auto, cpu, cuda, got \"gpu\"; did you mean \"cpu\"?"},
      {{"optimizer.name=adamw"}, "optimizer.name: expected one of AdamW, SGD, got \"adamw\"; did you mean \"AdamW\"?"},
      {{"activation_checkpoint.mode=op"}, "activation_checkpoint.mode: expected one of none, full, selective, got \"op\""},
      {{"checkpoint.exclude_from_loading=data,optimiser"},
       "checkpoint.exclude_from_loading: expected a list of optimizer, lr_scheduler, data, got [\"data\", \"optimiser\"]"},
      {{"job.description=\xff"}, "job.description: expected text, got \"\xff\" (not UTF-8, or with a zero byte in it)"},
      {{"job.device=" + repeated("x", 1000)}, "job.device: expected one of auto, cpu, cuda, got \"" + repeated("x", 79) + "..."},
  };
  for (const auto& [arguments, message] : cases) {
    EXPECT_EQ(refusal(arguments), "command line: " + message);
  }
}

TEST(Refusal, InToml) {
  const std::vector<Case> cases = {
      {"[training]\nstpes = 5\n", "run.toml:2: [training] has no key \"stpes\"; did you mean \"steps\"?"},
      {"\n[trainin]\n", "run.toml:2: there is no section \"trainin\"; did you mean \"training\"?"},
      {"lr = 5\n", "run.toml:1: there is no section \"lr\"; did you mean \"optimizer.lr\"?"},
      {"training = 5\n", "run.toml:1: \"training\" is a section: write [training] and its keys below"},
      {"[[training]]\nsteps = 5\n", "run.toml:1: \"training\" is a section: write [training] and its keys below"},
      {"[training]\nsteps = \"5\"\n", "run.toml:2: training.steps: expected an integer of at least 1, got \"5\""},
      {"[training]\nsteps = 0x0\n", "run.toml:2: training.steps: expected an integer of at least 1, got 0"},
      {"[training]\nsteps = true\n", "run.toml:2: training.steps: expected an integer of at least 1, got true"},
      {"[training]\nsteps = 1.5\n", "run.toml:2: training.steps: expected an integer of at least 1, got 1.5"},
      {"[training]\nsteps = 1979-05-27\n", "run.toml:2: training.steps: expected an integer of at least 1, got a date or time"},
      {"[training]\nsteps = {a = 1}\n", "run.toml:2: training.steps: expected an integer of at least 1, got a table"},
      {"[training.steps]\n", "run.toml:1: training.steps: expected an integer of at least 1, got a table"},
      {"[training]\nsteps = [5]\n",
       "run.toml:2: training.steps: expected an integer of at least 1, got a list of other things than text"},
      {"[training]\nsteps = [\"5\"]\n", "run.toml:2: training.steps: expected an integer of at least 1, got [\"5\"]"},
      {"[training]\nnorm_type = 2\n", "run.toml:2: training.norm_type: expected one of 2, inf, got 2; write \"2\", with quotes"},
      {"[model]\ntie_embeddings = true\n",
       "run.toml:2: model.tie_embeddings: expected one of default, true, false, got true; write \"true\", with quotes"},
      {"[optimizer]\nlr = nan\n", "run.toml:2: optimizer.lr: expected a number of at least 0, got nan"},
      {"[job]\ndump_folder = \"a\\u0000b\"\n",
       "run.toml:2: job.dump_folder: expected text, got \"a\\u0000b\" (not UTF-8, or with a zero byte in it)"},
      {"[job]\n\"\\u001b[31m\" = 1\n",
       "run.toml:2: [job] has no key \"\\u001B[31m\"; there are: dump_folder, description, device, print_config"},
      {"[job]\ndescription = \"\xff\"\n", "run.toml:2: a configuration is UTF-8 text, but this line is not"},
      {"[training]\n" + repeated("a.", 100000) + "a = 1\n", "run.toml:2: a key with more than 64 dots"},
      {"[" + repeated("\"=\".", 100000) + "a]\n", "run.toml:1: a key with more than 64 dots"},
      {"[training]\nsteps = {" + repeated("a.", 100000) + "a = 1}\n", "run.toml:2: a key with more than 64 dots"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(refusal("run.toml", text), message);
  }
}

// The words of a syntax error are toml++'s and yaml-cpp's own; the place is ours.
TEST(Refusal, SyntaxErrorsHaveAPlace) {
  for (const auto& [text, place] : std::vector<Case>{{"[training]\nsteps = \n", "run.toml:2:"},
                                                     {"[training]\nsteps = 5\nsteps = 6\n", "run.toml:3:"},
                                                     {"[training]\nsteps = 5\n[training]\n", "run.toml:3:"},
                                                     {"[training\n", "run.toml:1:"},
                                                     {"[job]\ndescription = \"open\n", "run.toml:2:"},
                                                     {"[training]\nsteps = 99999999999999999999\n", "run.toml:2:"},
                                                     {"[training]\nsteps = " + repeated("[", 100000), "run.toml:2:"},
                                                     {"[training]\nsteps = " + repeated("{a=", 100000), "run.toml:2:"}}) {
    EXPECT_TRUE(refusal("run.toml", text).starts_with(place)) << refusal("run.toml", text);
  }
  for (const auto& [text, place] : std::vector<Case>{{"training: {steps: 5\n", "run.yaml:"},
                                                     {"training:\n  steps: *nowhere\n", "run.yaml:2:10: "},
                                                     {"training:\n\tsteps: 5\n", "run.yaml:2:7: "},
                                                     {"a: b: c\n", "run.yaml:1:5: "}}) {
    EXPECT_TRUE(refusal("run.yaml", text).starts_with(place)) << refusal("run.yaml", text);
  }
}

TEST(Refusal, InYaml) {
  const std::vector<Case> cases = {
      {"training:\n  stpes: 5\n", "run.yaml:2: [training] has no key \"stpes\"; did you mean \"steps\"?"},
      {"trainin:\n  steps: 5\n", "run.yaml:1: there is no section \"trainin\"; did you mean \"training\"?"},
      {"lr: 5\n", "run.yaml:1: there is no section \"lr\"; did you mean \"optimizer.lr\"?"},
      {"training: 5\n", "run.yaml:1: \"training\" is a section: write its keys indented below it"},
      {"training: [5]\n", "run.yaml:1: \"training\" is a section: write its keys indented below it"},
      {"- training\n", "run.yaml:1: expected sections (\"training:\" and the like), got a list"},
      {"training\n", "run.yaml:1: expected sections (\"training:\" and the like), got a single value"},
      {"training:\n  steps: 5\n  steps: 6\n", "run.yaml:3: training.steps is given twice"},
      {"training:\n  steps: 5\ntraining:\n  steps: 6\n", "run.yaml:3: section \"training\" is given twice"},
      {"training:\n  steps: \"5\"\n", "run.yaml:2: training.steps: expected an integer of at least 1, got \"5\""},
      {"training:\n  steps: many\n", "run.yaml:2: training.steps: expected an integer of at least 1, got \"many\""},
      {"training:\n  steps:\n", "run.yaml:2: training.steps: expected an integer of at least 1, got nothing"},
      {"training:\n  steps: {a: 1}\n", "run.yaml:2: training.steps: expected an integer of at least 1, got a map"},
      {"training:\n  steps: [5]\n", "run.yaml:2: training.steps: expected an integer of at least 1, got [\"5\"]"},
      {"checkpoint:\n  enable: on\n", "run.yaml:2: checkpoint.enable: expected true or false, got \"on\""},
      {"checkpoint:\n  exclude_from_loading: [[data]]\n",
       "run.yaml:2: checkpoint.exclude_from_loading: expected a list of optimizer, lr_scheduler, data, got a nested list or map"},
      {"optimizer:\n  lr: .nan\n", "run.yaml:2: optimizer.lr: expected a number of at least 0, got \".nan\""},
      {"? [training]\n: 5\n", "run.yaml:1: expected the name of a section, got a list or a map"},
      {"training: {steps: 1}\n---\ntraining: {steps: 2}\n",
       "run.yaml: 2 YAML documents in one file, separated by ---; a configuration is one"},
      {"job:\n  description: \xff\n", "run.yaml:2: a configuration is UTF-8 text, but this line is not"},
      {"training:\n  steps: &a [*a]\n",
       "run.yaml:2: training.steps: expected an integer of at least 1, got a nested list or map"},
      {"training:\n  steps: " + repeated("[", 100000), "run.yaml:2: nested deeper than a configuration can be"},
      {repeated("- ", 100000), "run.yaml:1: nested deeper than a configuration can be"},
      {repeated("{a: ", 100000), "run.yaml:1: nested deeper than a configuration can be"},
      {repeated("? ", 100000), "run.yaml:1: nested deeper than a configuration can be"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(refusal("run.yaml", text), message);
  }
}

// Ten anchors, each ten times the one before: ten billion elements for whoever walks them.
TEST(Refusal, OfAYamlBombIsQuick) {
  std::string text = "training:\n  steps: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    text += fmt::format("  x{}: &a{} [{}*a{}]\n", i, i, repeated(fmt::format("*a{}, ", i - 1), 9), i - 1);
  }
  EXPECT_EQ(refusal("run.yaml", text).substr(0, 80),
            "run.yaml:2: training.steps: expected an integer of at least 1, got [\"x\", \"x\", \"x");
  text.replace(text.find("steps"), 5, "job");
  EXPECT_EQ(refusal("run.yaml", "training: {steps: &a [&b [&c [x]], *b, *b]}\n"),
            "run.yaml:1: training.steps: expected an integer of at least 1, got a nested list or map");
}

TEST(Refusal, OfFiles) {
  const testing::TemporaryFolder folder;
  const auto told = [&](const std::string& name) {
    std::string message = refusal({"--config", (folder / name).string()});
    const std::string prefix = folder.path().string() + "/";
    if (const auto at = message.find(prefix); at != std::string::npos) {
      message.erase(at, prefix.size());
    }
    return message;
  };
  make_folder(folder / "folder.toml");
  write_file_atomically(folder / "run.json", "{}");
  write_file_atomically(folder / "huge.toml", std::string((1 << 20) + 1, '#'));
  ASSERT_EQ(mkfifo((folder / "pipe.yaml").c_str(), 0600), 0);
  EXPECT_EQ(told("missing.toml"), "configuration: missing.toml: cannot read: No such file or directory (check the path)");
  EXPECT_EQ(told("folder.toml"), "configuration: folder.toml: no regular file but a folder");
  EXPECT_EQ(told("pipe.yaml"), "configuration: pipe.yaml: no regular file");
  EXPECT_EQ(told("huge.toml"), "configuration: huge.toml: 1048577 bytes, more than the 1048576 that are expected here at most");
  EXPECT_EQ(told("run.json"), "run.json: a configuration is a .toml or .yaml file");
}

TEST(Check, NamesKeysAndNumbers) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"dataset.path="}, "dataset.path is not set: give a text file, a folder, .jsonl or .bin (dataset.path=my_texts/)"},
      {{"job.dump_folder="}, "job.dump_folder is empty: give the folder to write to"},
      {{"dataset.cache_folder="}, "dataset.cache_folder is empty: give the folder that keeps tokenised data between runs"},
      {{"training.global_batch_size=0"},
       "training.global_batch_size = 0: expected at least 1, or -1 for local_batch_size times the ranks"},
      {{"training.global_batch_size=12"}, "training.global_batch_size = 12 is no multiple of training.local_batch_size = 8"},
      {{"parallelism.data_parallel_replicate_degree=0"},
       "parallelism.data_parallel_replicate_degree = 0: expected at least 1, or -1 for as many as there are ranks"},
      {{"optimizer.momentum=0.5"},
       "optimizer.momentum = 0.5 is SGD's, but optimizer.name is AdamW: leave it at 0 (AdamW's is optimizer.beta1)"},
      {{"tokenizer.vocab_size=500", "model.vocab_size=400"},
       "tokenizer.vocab_size = 500 is more than model.vocab_size = 400: the model has no embedding for the rest"},
      {{"validation.steps=0"},
       "validation.steps = 0: expected at least 1, or -1 for the whole set (validation.enable=false for none)"},
      {{"checkpoint.load_step=5"}, "checkpoint.load_step = 5 needs checkpoint.enable=true"},
      {{"checkpoint.initial_load_path=old"}, "checkpoint.initial_load_path = \"old\" needs checkpoint.enable=true"},
      {{"--profiling.enable_profiling", "profiling.profile_freq=3"},
       "profiling.profiler_warmup = 3 and profiling.profiler_active = 1 do not fit into profiling.profile_freq = 3"},
  };
  for (const auto& [arguments, message] : cases) {
    PretrainConfig config;
    config.dataset.path = "texts";
    testing::parse(config, arguments);
    EXPECT_EQ(testing::message_of<UsageError>([&] { check(config); }), message);
  }
}

TEST(Check, PassesWhatIsRight) {
  PretrainConfig config;
  testing::parse(config, {"dataset.path=texts", "training.global_batch_size=16", "optimizer.name=SGD", "optimizer.momentum=0.9",
                          "--checkpoint.enable", "checkpoint.load_step=5"});
  EXPECT_NO_THROW(check(config));
}

TEST(Recipes, AreCheckedWithoutStartingThem) {
  EXPECT_TRUE(is_builtin_recipe("pretrain"));
  EXPECT_FALSE(is_builtin_recipe("pretrian"));
  const auto told = [](const std::string& recipe, const std::vector<std::string>& arguments) {
    return testing::message_of<UsageError>([&] { check_recipe_arguments(recipe, arguments); });
  };
  EXPECT_EQ(told("pretrain", {"dataset.path=x"}), "");
  EXPECT_EQ(told("generate", {"generate.checkpoint=outputs"}), "");
  EXPECT_EQ(told("generate", {}), "generate.checkpoint is not set: name a run's folder (generate.checkpoint=outputs)");
  EXPECT_EQ(told("generate", {"generate.top_p=0"}),
            "command line: generate.top_p: expected a number above 0 and at most 1, got 0.0");
  EXPECT_EQ(told("generate", {"training.steps=5"}), "command line: there is no section \"training\"; there are: generate");
}

}  // namespace
}  // namespace rhea
