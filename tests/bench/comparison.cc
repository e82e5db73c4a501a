// berglite beside Iceberg's own reference REST server, on the same machine, with the same client
// and the same tables, both with their files on disk.
//
//   berglite_comparison --program <path> --classpath <jars> [--seconds <per trial>] [--trials <n>]
//
// Prints a table in Markdown. The two run one after the other in each trial, so that what slows the
// machine slows both.
#include <cstdio>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/bench/harness.h"
#include "tests/support/temp_dir.h"

namespace berglite::bench {
namespace {

constexpr int kNames = 10'000;
constexpr int kTables = 64;
constexpr int kLongTable = kTables;  // the one with many snapshots
constexpr int kSnapshots = 10;
constexpr int kManySnapshots = 1'000;
constexpr double kStartTimeoutS = 60;

struct Options {
  std::string program;
  std::string classpath;
  double seconds = 2.0;
  int trials = 3;
};

int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

bool Answers(int port) {
  try {
    return HttpClient(port).Send("GET", "/v1/config").status == 200;
  } catch (const std::runtime_error&) {
    return false;
  }
}

// One of the two servers, with a directory of its own.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::unique_ptr<ServerProcess> Start() = 0;
  virtual std::string catalog_name() const = 0;
  std::string file() const { return directory_ / "lake.db"; }

 protected:
  testing::TempDir directory_;
};

class Berglite final : public Contender {
 public:
  explicit Berglite(std::string program) : program_(std::move(program)) {}
  std::unique_ptr<ServerProcess> Start() override {
    return std::make_unique<ServerProcess>(
        std::vector<std::string>{program_, "serve", "--file", file(), "--port", "0"});
  }
  std::string catalog_name() const override { return "default"; }

 private:
  const std::string program_;
};

class Reference final : public Contender {
 public:
  explicit Reference(std::string classpath) : classpath_(std::move(classpath)) {}
  std::unique_ptr<ServerProcess> Start() override {
    const int port = FreePort();
    return std::make_unique<ServerProcess>(
        std::vector<std::string>{"java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp",
                                 classpath_, "org.apache.iceberg.rest.RESTCatalogServer"},
        std::vector<std::string>{"CATALOG_URI=jdbc:sqlite:" + file(),
                                 "CATALOG_JDBC_SCHEMA__VERSION=V1",
                                 "CATALOG_WAREHOUSE=file://" + (directory_ / "warehouse"),
                                 "CATALOG_REST_PORT=" + std::to_string(port)},
        port);
  }
  std::string catalog_name() const override { return "rest_backend"; }

 private:
  const std::string classpath_;
};

// Milliseconds from the start of the process to the first answer.
double AwaitAnswer(const ServerProcess& server) {
  while (!Answers(server.port())) {
    if (server.has_ended() || SecondsSince(server.start()) > kStartTimeoutS) {
      throw std::runtime_error("a server does not start");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return SecondsSince(server.start()) * 1000;
}

// Three digits that mean something, or more.
std::string Format(double figure) {
  char text[32];
  std::snprintf(text, sizeof(text), figure < 100 ? "%.1f" : "%.0f", figure);
  return text;
}

// A line of the table: the figures of both over the trials. A larger one is better where `rises`.
struct Row {
  std::string what;
  const char* unit;
  bool rises;
  std::vector<double> ours = {};
  std::vector<double> theirs = {};
  int refused_of_theirs = 0;

  void Print() const {
    const double mine = Median(ours);
    const double other = Median(theirs);
    const double ratio = rises ? mine / other : other / mine;
    std::printf("| %s | %s %s | %s %s | %.1f |%s\n", what.c_str(), Format(mine).c_str(), unit,
                Format(other).c_str(), unit, ratio, refused_of_theirs == 0 ? "" : " *");
  }
};

class Comparison {
 public:
  explicit Comparison(const Options& options)
      : options_(options), ours_(options.program), theirs_(options.classpath) {}

  void Run() {
    CompareStarts();
    our_server_ = ours_.Start();
    their_server_ = theirs_.Start();
    AwaitAnswer(*our_server_);
    AwaitAnswer(*their_server_);
    for (const ServerProcess* server : {our_server_.get(), their_server_.get()}) Fill(*server);
    CompareLoads();
    CompareCommits();
    CompareLists();
    std::printf("| | berglite | reference | times better |\n|---|---|---|---|\n");
    for (const Row& row : rows_) row.Print();
  }

 private:
  using Request = std::function<Reply(HttpClient&, int, int)>;

  void CompareStarts() {
    Row ready{
        .what = "start on an existing file to the first answer", .unit = "ms", .rises = false};
    Row memory{.what = "memory when idle", .unit = "MB", .rises = false};
    for (Contender* contender :
         {static_cast<Contender*>(&ours_), static_cast<Contender*>(&theirs_)}) {
      const bool is_ours = contender == &ours_;
      AwaitAnswer(*contender->Start());  // makes the file
      for (int trial = 0; trial < options_.trials; ++trial) {
        const auto server = contender->Start();
        (is_ours ? ready.ours : ready.theirs).push_back(AwaitAnswer(*server));
        (is_ours ? memory.ours : memory.theirs).push_back(server->MemoryMb());
      }
    }
    rows_.push_back(std::move(ready));
    rows_.push_back(std::move(memory));
  }

  static void Fill(const ServerProcess& server) {
    HttpClient client(server.port());
    Check(client.Send("POST", "/v1/namespaces", R"({"namespace":["bench"]})"), "namespace");
    for (int i = 0; i < kTables; ++i) MakeTable(client, i, kSnapshots);
    MakeTable(client, kLongTable, kManySnapshots);
  }

  // Rows for the rate and the 99th percentile of one kind of request.
  void CompareRequests(const std::string& what, int clients, const Request& request) {
    const std::string with =
        what + ", " + std::to_string(clients) + (clients == 1 ? " client" : " clients");
    Row rate{.what = with, .unit = "/s", .rises = true};
    Row p99{.what = with + ", p99", .unit = "ms", .rises = false};
    for (int trial = 0; trial < options_.trials; ++trial) {
      const Load ours = bench::Run(our_server_->port(), clients, options_.seconds, request);
      const Load theirs = bench::Run(their_server_->port(), clients, options_.seconds, request);
      if (ours.refused > 0) throw std::runtime_error("berglite refused some: " + with);
      rate.ours.push_back(ours.per_second);
      p99.ours.push_back(ours.p99_ms);
      rate.theirs.push_back(theirs.per_second);
      p99.theirs.push_back(theirs.p99_ms);
      rate.refused_of_theirs += theirs.refused;
    }
    if (rate.refused_of_theirs > 0) {
      std::printf("* the reference refused %d of: %s\n", rate.refused_of_theirs, with.c_str());
    }
    rows_.push_back(std::move(rate));
    rows_.push_back(std::move(p99));
  }

  void CompareLoads() {
    for (const int clients : {1, 16, 64}) {
      CompareRequests("loads of tables with 10 snapshots", clients,
                      [](HttpClient& client, int i, int) {
                        return client.Send("GET", TableTarget(i) + "?snapshots=all");
                      });
    }
  }

  void CompareCommits() {
    for (const int clients : {1, 16, 64}) {
      CompareRequests("commits to a table each", clients, CommitTo);
    }
    CompareRequests(
        "commits to a table with 1,000 snapshots", 1,
        [](HttpClient& client, int, int turn) { return CommitTo(client, kLongTable, turn); });
  }

  void CompareLists() {
    InsertNames(ours_.file(), ours_.catalog_name(), kNames);
    InsertNames(theirs_.file(), theirs_.catalog_name(), kNames);
    CompareRequests("lists of 10,000 tables", 1, [](HttpClient& client, int, int) {
      return client.Send("GET", "/v1/namespaces/many/tables");
    });
  }

  const Options options_;
  Berglite ours_;
  Reference theirs_;
  std::unique_ptr<ServerProcess> our_server_;
  std::unique_ptr<ServerProcess> their_server_;
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace berglite::bench

int main(int argc, char** argv) {
  berglite::bench::Options options;
  CLI::App app("Measures the program berglite beside Iceberg's reference REST server");
  app.add_option("--program", options.program, "The built program")->required();
  app.add_option("--classpath", options.classpath, "What the reference server needs")->required();
  app.add_option("--seconds", options.seconds, "How long a trial takes");
  app.add_option("--trials", options.trials, "Trials of each case; their median is shown");
  CLI11_PARSE(app, argc, argv);
  try {
    berglite::bench::Comparison(options).Run();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "berglite_comparison: %s\n", e.what());
    return 1;
  }
}
