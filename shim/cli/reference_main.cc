// Writes the completions and the manual page of `berglite` into a directory: a step of the build.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <berglite/version.h>

#include "shim/cli/commands.h"
#include "shim/cli/options.h"
#include "shim/cli/reference.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "expected the directory to write to\n";
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  bool is_good = true;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream file(directory / name);
    file << text;
    file.close();
    is_good = is_good && file.good();
  };
  berglite::cli::ShowCommandLine(berglite::cli::CommandGroups(), [&](CLI::App& app) {
    write("berglite.bash", berglite::cli::BashCompletion(app));
    write("_berglite", berglite::cli::ZshCompletion(app));
    write("berglite.fish", berglite::cli::FishCompletion(app));
    write("berglite.1", berglite::cli::ManualPage(app, BERGLITE_VERSION));
  });
  return is_good ? 0 : 1;
}
