// The built program from outside: its command line, what it prints, how it ends, and the requests
// that tests send it.
#pragma once

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace berglite::testing {

using Arguments = std::vector<std::string>;

// A run of the program in a directory of the test's own. Killed, if it still runs, with its owner.
class Program {
 public:
  Program(const TempDir& directory, const Arguments& arguments, const Arguments& environment = {}) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawn_file_actions_addchdir_np(&actions, directory.path().c_str());
    std::vector<char*> argv = {const_cast<char*>(BERGLITE_PROGRAM)};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (const std::string& item : environment) envp.push_back(const_cast<char*>(item.c_str()));
    envp.push_back(nullptr);
    if (posix_spawn(&pid_, BERGLITE_PROGRAM, &actions, nullptr, argv.data(), envp.data()) != 0) {
      ADD_FAILURE() << "Cannot start " << BERGLITE_PROGRAM;
      pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      Wait();
    }
    close(out_);
    close(err_);
  }
  Program(const Program&) = delete;

  // The port of the line that says that it is ready.
  int Port() {
    while (greeting_.find('\n') == std::string::npos && ReadSome(out_, greeting_)) {
    }
    constexpr std::string_view kUri = "http://127.0.0.1:";
    const size_t found = greeting_.find(kUri);
    if (found == std::string::npos) {
      ADD_FAILURE() << "No URI in '" << greeting_ << "'; " << Err();
      return 0;
    }
    return std::stoi(greeting_.substr(found + kUri.size()));
  }

  void Send(int signal) const { kill(pid_, signal); }
  // Waits for the end of the program and returns its exit code, or minus the signal that ended it.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int Stop() {
    Send(SIGTERM);
    return Wait();
  }

  // What it printed, to its end.
  std::string Out() {
    while (ReadSome(out_, greeting_)) {
    }
    return greeting_;
  }
  std::string Err() {
    std::string text;
    while (ReadSome(err_, text)) {
    }
    return text;
  }

 private:
  static bool ReadSome(int fd, std::string& text) {
    std::array<char, 4096> buffer{};
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
    return count > 0;
  }

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string greeting_;
};

// A run that ends by itself.
struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

inline Ended RunToEnd(const TempDir& directory, const Arguments& arguments,
                      const Arguments& environment = {}) {
  Program program(directory, arguments, environment);
  Ended ended;
  ended.out = program.Out();
  ended.err = program.Err();
  ended.code = program.Wait();
  return ended;
}

inline Ended RunToEnd(const Arguments& arguments, const Arguments& environment = {}) {
  const TempDir directory;
  return RunToEnd(directory, arguments, environment);
}

MATCHER(IsOneErrorLine, "") {
  return arg.starts_with("berglite: ") && arg.find('\n') == arg.size() - 1;
}

inline std::string Get(const std::string& target, const std::string& host = "localhost") {
  return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

inline std::string Post(const std::string& target, const std::string& body) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Authorization: Bearer top-secret\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string CreateNamespace(const std::string& name) {
  return Post("/v1/namespaces", R"({"namespace":[")" + name + R"("],"properties":{}})");
}

inline std::string CreateTable(const std::string& name_space, const std::string& name) {
  return Post("/v1/namespaces/" + name_space + "/tables",
              R"({"name":")" + name + R"(","schema":{"type":"struct","fields":[]}})");
}

}  // namespace berglite::testing
