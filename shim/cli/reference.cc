#include "shim/cli/reference.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace berglite::cli {
namespace {

// A command as it is typed after `berglite`: nothing for the program itself, `principals add`.
struct CommandPath {
  std::string words;
  CLI::App* app;
};

void CollectCommands(const std::string& words, CLI::App& app, std::vector<CommandPath>& commands) {
  commands.push_back({words, &app});
  for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) {
    CollectCommands(words.empty() ? child->get_name() : words + " " + child->get_name(), *child,
                    commands);
  }
}

// All commands, each before those below it.
std::vector<CommandPath> CommandsOf(CLI::App& app) {
  std::vector<CommandPath> commands;
  CollectCommands("", app, commands);
  return commands;
}

std::vector<CLI::App*> ChildrenOf(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

bool IsFlag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// `--port`, `-h`.
std::vector<std::string> FlagsOf(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  return flags;
}

std::vector<CLI::Option*> OptionsOf(CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<CLI::Option*> ArgumentsOf(CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string Join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

// The words that may follow a command: commands below it and its options.
std::vector<std::string> WordsAfter(CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* child : ChildrenOf(app)) words.push_back(child->get_name());
  for (const CLI::Option* option : OptionsOf(app)) {
    const std::vector<std::string> flags = FlagsOf(*option);
    words.insert(words.end(), flags.begin(), flags.end());
  }
  return words;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// `text` between single quotes of a shell that ends them with '\''.
std::string QuoteForShell(const std::string& text) {
  return "'" + Replaced(text, "'", "'\\''") + "'";
}

// The line in which the words typed so far become a command: a pattern for each.
std::string CasesOfPaths(const std::vector<CommandPath>& commands) {
  std::vector<std::string> patterns;
  for (const CommandPath& command : commands) {
    if (!command.words.empty()) patterns.push_back("' " + command.words + "'");
  }
  return Join(patterns, "|");
}

}  // namespace

std::string BashCompletion(CLI::App& app) {
  const std::vector<CommandPath> commands = CommandsOf(app);
  std::string script =
      "# bash completion for berglite\n"
      "_berglite() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} path= words= i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$path ${COMP_WORDS[i]}\" in\n"
      "      " +
      CasesOfPaths(commands) +
      ") path+=\" ${COMP_WORDS[i]}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path\" in\n";
  for (const CommandPath& command : commands) {
    const std::string path = command.words.empty() ? "" : " " + command.words;
    script += "    '" + path + "') words='" + Join(WordsAfter(*command.app), " ") + "' ;;\n";
  }
  return script +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _berglite berglite\n";
}

std::string ZshCompletion(CLI::App& app) {
  const std::vector<CommandPath> commands = CommandsOf(app);
  const auto item = [](const std::string& word, const std::string& about) {
    return "\n        " + QuoteForShell(Replaced(word, ":", "\\:") + ":" + about);
  };
  std::string script =
      "#compdef berglite\n"
      "_berglite() {\n"
      "  local berglite_path= word\n"
      "  local -a commands options\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    case \"$berglite_path $word\" in\n"
      "      (" +
      CasesOfPaths(commands) +
      ") berglite_path+=\" $word\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$berglite_path\" in\n";
  for (const CommandPath& command : commands) {
    const std::string path = command.words.empty() ? "" : " " + command.words;
    script += "    ('" + path + "')\n      commands=(";
    for (const CLI::App* child : ChildrenOf(*command.app)) {
      script += item(child->get_name(), child->get_description());
    }
    script += ")\n      options=(";
    for (const CLI::Option* option : OptionsOf(*command.app)) {
      for (const std::string& flag : FlagsOf(*option)) {
        script += item(flag, option->get_description());
      }
    }
    script += ") ;;\n";
  }
  return script +
         "  esac\n"
         "  _describe command commands || _describe -o option options || _files\n"
         "}\n"
         "if [[ $funcstack[1] == _berglite ]]; then _berglite \"$@\"; "
         "else compdef _berglite berglite; fi\n";
}

std::string FishCompletion(CLI::App& app) {
  std::string script = "# fish completion for berglite\n";
  for (const CommandPath& command : CommandsOf(app)) {
    std::vector<std::string> below;
    for (const CLI::App* child : ChildrenOf(*command.app)) below.push_back(child->get_name());
    // Every word of the path was typed, and none of the commands below.
    std::string condition = command.words.empty() ? "" : "__fish_seen_subcommand_from ";
    condition += Replaced(command.words, " ", "; and __fish_seen_subcommand_from ");
    if (!below.empty()) {
      condition += condition.empty() ? "" : "; and ";
      condition += "not __fish_seen_subcommand_from " + Join(below, " ");
    }
    const std::string head =
        "complete -c berglite" + (condition.empty() ? "" : " -n '" + condition + "'");
    const auto quote = [](const std::string& text) {
      return "'" + Replaced(Replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
    };
    for (const CLI::App* child : ChildrenOf(*command.app)) {
      script +=
          head + " -f -a " + child->get_name() + " -d " + quote(child->get_description()) + "\n";
    }
    for (const CLI::Option* option : OptionsOf(*command.app)) {
      script += head;
      for (const std::string& name : option->get_lnames()) script += " -l " + name;
      for (const std::string& name : option->get_snames()) script += " -s " + name;
      if (!IsFlag(*option)) script += " -r";
      script += " -d " + quote(option->get_description()) + "\n";
    }
  }
  return script;
}

namespace {

// Text of a manual: a hyphen that is typed is a minus, and no line begins as a request does.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    const bool at_start = roff.empty() || roff.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) roff += "\\&";
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

// The name of the value that an option takes, without what is checked of it.
std::string ValueOf(const CLI::Option& option) {
  const std::string name = IsFlag(option) ? "" : option.get_type_name();
  return name.substr(0, name.find(':'));
}

std::string SynopsisOf(const CommandPath& command) {
  std::string synopsis = Bold("berglite " + command.words);
  if (!OptionsOf(*command.app).empty()) synopsis += " [" + Italic("options") + "]";
  for (const CLI::Option* argument : ArgumentsOf(*command.app)) {
    std::string name = Italic(argument->get_name(true));
    if (argument->get_expected_max() > 1) name += "...";
    synopsis += argument->get_required() ? " " + name : " [" + name + "]";
  }
  return synopsis;
}

std::string DescribeOption(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& flag : FlagsOf(option)) flags.push_back(Bold(flag));
  std::string text = ".TP\n" + Join(flags, ", ");
  if (!ValueOf(option).empty()) text += " " + Italic(ValueOf(option));
  text += "\n" + Roff(option.get_description()) + ".";
  if (!option.get_default_str().empty() && !IsFlag(option)) {
    text += "\nDefault: " + Roff(option.get_default_str()) + ".";
  }
  if (!option.get_envname().empty()) text += "\nEnvironment: " + Bold(option.get_envname()) + ".";
  return text + "\n";
}

std::string DescribeCommand(const CommandPath& command) {
  std::string text = ".SS " + SynopsisOf(command) + "\n";
  text += Roff(command.app->get_description()) + ".\n";
  for (const CLI::Option* argument : ArgumentsOf(*command.app)) {
    text += ".TP\n" + Italic(argument->get_name(true)) + "\n" + Roff(argument->get_description()) +
            ".\n";
  }
  for (const CLI::Option* option : OptionsOf(*command.app)) text += DescribeOption(*option);
  return text;
}

constexpr std::string_view kManualEnd = R"(.SH ENVIRONMENT
A flag wins over the variable that is named with it. For
.B berglite serve
these count where neither is given, as they do in the images tabulario/iceberg\-rest and
apache/iceberg\-rest\-fixture:
.TP
.BR CATALOG_URI " (jdbc:sqlite: and a file), " CATALOG_CATALOG__IMPL
The catalog file.
.TP
.BR CATALOG_WAREHOUSE ", " CATALOG_IO__IMPL
The warehouse, which must be a local directory.
.TP
.B CATALOG_CATALOG_NAME
The catalog of the file.
.TP
.BR REST_PORT ", " CATALOG_REST_PORT
The port.
.TP
.B LOG_LEVEL
The log level.
.TP
.BR CATALOG_TABLE__DEFAULT_ "\fIKEY\fR, " CATALOG_TABLE__OVERRIDE_ "\fIKEY\fR, and as many for VIEW"
Properties of new tables and views.
.PP
The others have no effect; each is noted when the server starts.
.SH FILES
.TP
.IR berglite.db ", " berglite.db\-wal ", " berglite.db\-shm
The catalog. The latter two are there while a program has it open.
.TP
.I warehouse
Beside it: metadata and data of the tables.
.TP
.I berglite\-XXXXXX
Among the temporary files: what a server with
.B \-\-ephemeral
leaves behind where it is killed.
.SH SIGNALS
.B berglite serve
answers what it has begun and ends on SIGTERM and SIGINT.
.SH NOTES
.EX
)";

}  // namespace

std::string ManualPage(CLI::App& app, const std::string& version) {
  std::string text = ".TH BERGLITE 1 \"\" \"berglite " + Roff(version) + "\"\n.SH NAME\nberglite " +
                     "\\- serve an Apache Iceberg catalog in one SQLite file\n.SH SYNOPSIS\n";
  const std::vector<CommandPath> commands = CommandsOf(app);
  // Of a command with others below it only those can be carried out.
  const auto is_whole = [](const CommandPath& command) {
    return command.app->get_require_subcommand_min() == 0 && !command.words.empty();
  };
  for (const CommandPath& command : commands) {
    if (is_whole(command)) text += SynopsisOf(command) + "\n.br\n";
  }
  text += ".SH DESCRIPTION\n" + Roff(app.get_description()) + "\n.SH OPTIONS\n";
  for (const CLI::Option* option : OptionsOf(app)) text += DescribeOption(*option);
  text += ".SH COMMANDS\n";
  for (const CommandPath& command : commands) {
    if (is_whole(command)) text += DescribeCommand(command);
  }
  // What stands below the help: an example, names and exit codes.
  return text.append(kManualEnd) + Roff(app.get_footer()) + "\n.EE\n";
}

}  // namespace berglite::cli
