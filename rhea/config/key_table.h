// A program's configuration keys, each declared once.
//
// A section is a plain struct whose member initialisers are the defaults and whose declare() adds each key: name, field,
// one line of help, limits. From this one table come the readers of TOML, YAML and the command line, --help,
// docs/config.md and the config.toml that a run leaves behind.
//
//   struct MySection {
//     std::int64_t width = 8;
//     void declare(KeyTable& keys) {
//       keys.section("mine", "What this part does");
//       keys.add("width", &width, "columns of the output", at_least(1));
//     }
//   };
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rhea {

// What a key accepts beyond its type.
struct Limits {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  // least itself is not accepted
  bool below_most = false;
  std::vector<std::string> choices = {};  // for text and lists of text; empty: any
};
Limits at_least(double least);
Limits greater_than(double least);
Limits between(double least, double most);
Limits above_and_at_most(double least, double most);
Limits one_of(std::vector<std::string> choices);

using Field = std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*>;
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct Key {
  std::string section;
  std::string name;
  Field field;
  std::string help;
  Limits limits;
  std::string default_value = {};  // as TOML
  std::string origin = "default";  // or "run.toml:12", or "command line"
  std::string full_name() const { return section + "." + name; }
};

struct SectionHelp {
  std::string name;
  std::string help;
};

class KeyTable {
 public:
  // The keys added from now on belong to this section.
  void section(std::string name, std::string help);
  // The field must live as long as the table and holds its default now.
  void add(std::string name, Field field, std::string help, Limits limits = {});

  const std::vector<SectionHelp>& sections() const { return sections_; }
  const std::vector<Key>& keys() const { return keys_; }

  // Sets a key to a typed value. Throws UsageError "<origin>: section.key: expected ..., got ..." for an unknown section
  // or key (with the nearest names), a wrong type or a value out of its limits.
  void set(std::string_view section, std::string_view name, const Value& value, const std::string& origin);
  // The same from text, read as the key's type asks: the command line, YAML's plain scalars.
  void set_from_text(std::string_view section, std::string_view name, std::string_view text, const std::string& origin);

  // Throws UsageError with the nearest names unless there is such a section, or such a key in it.
  void require_section(std::string_view section, const std::string& origin) const;
  const Key& require_key(std::string_view section, std::string_view name, const std::string& origin) const;
  // The full names of the keys so called in any section: what "steps" may have meant.
  std::vector<std::string> keys_named(std::string_view name) const;
  // Where a key ("section.key") got its value: "default", "run.toml:12", "command line".
  const std::string& origin(std::string_view full_name) const;

 private:
  std::vector<SectionHelp> sections_;
  std::vector<Key> keys_;
};

// "an integer of at least 1", "one of cpu, cuda": what a key accepts, for messages and help.
std::string expectation(const Key& key);
// The field's present value as TOML: true, 8, 0.0008, "text", ["a", "b"]. Reads back to the same value.
std::string to_toml(const Field& field);

}  // namespace rhea
