#include "rhea/tokenizers/post_processor.h"

namespace rhea {
namespace {

// ["[CLS]", 101]
std::int32_t id_of_pair(const JsonView& pair) {
  const std::vector<JsonView> items = pair.items();
  if (items.size() != 2) {
    pair.refuse("expected [\"token\", id]");
  }
  return static_cast<std::int32_t>(items[1].integer(0, INT32_MAX));
}

void add_template(const JsonView& stage, PostProcessor& result) {
  PostProcessor around;
  bool behind_text = false;
  for (const JsonView& part : stage["single"].items()) {
    if (part.has("Sequence")) {
      if (behind_text) {
        part.refuse("the text twice is not supported");
      }
      behind_text = true;
      continue;
    }
    const JsonView token = stage["special_tokens"][part["SpecialToken"]["id"].string()];
    for (const JsonView& id : token["ids"].items()) {
      (behind_text ? around.after : around.before).push_back(static_cast<std::int32_t>(id.integer(0, INT32_MAX)));
    }
  }
  if (!behind_text) {
    stage["single"].refuse("the text itself is missing");
  }
  result.before.insert(result.before.begin(), around.before.begin(), around.before.end());
  result.after.insert(result.after.end(), around.after.begin(), around.after.end());
}

void add(const JsonView& stage, PostProcessor& result) {
  const std::string_view type = stage["type"].string();
  if (type == "Sequence") {
    for (const JsonView& part : stage["processors"].items()) {
      add(part, result);
    }
  } else if (type == "TemplateProcessing") {
    add_template(stage, result);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    result.before.insert(result.before.begin(), id_of_pair(stage["cls"]));
    result.after.push_back(id_of_pair(stage["sep"]));
  } else if (type != "ByteLevel") {  // which only cuts offsets, and there are none here
    stage.refuse("\"{}\" is not supported", type);
  }
}

}  // namespace

PostProcessor read_post_processor(const JsonView& top) {
  PostProcessor result;
  if (top.has("post_processor")) {
    add(top["post_processor"], result);
  }
  return result;
}

}  // namespace rhea
