// A queue whose next bodies are sure to form one group: the lead is held until all of them wait.
#pragma once

#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lib/store/commit_queue.h"
#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {

class GroupFixture : public ::testing::Test {
 protected:
  struct Write {
    CommitQueue::Body body;
    CommitQueue::Landed landed = NeverAsked;
  };

  // Makes the file and the queue.
  void OpenQueue() {
    OpenOrDie(path_);
    Result<std::unique_ptr<Session>> session = Session::Open(options_);
    ASSERT_THAT(session, testing::IsOk());
    queue_ = std::make_unique<CommitQueue>(options_, *std::move(session));
  }

  // Makes the writes in one group, in their order, and returns their outcomes.
  std::vector<Status> RunTogether(const std::vector<Write>& writes) {
    std::vector<Status> outcomes(writes.size());
    std::latch leads(1);
    std::latch release(1);
    std::vector<std::thread> threads;
    threads.emplace_back([&] { Hold(leads, release); });
    leads.wait();
    for (size_t i = 0; i < writes.size(); ++i) {
      threads.emplace_back(
          [&, i] { outcomes[i] = queue_->Write(writes[i].body, writes[i].landed); });
      while (queue_->WaitingForTest() <= i) std::this_thread::yield();
    }
    release.count_down();
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }

  // The names of the top-level namespaces in the file.
  std::vector<std::string> Namespaces() {
    auto names =
        ReadOne(*OpenOrDie(path_), [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
    EXPECT_THAT(names, testing::IsOk());
    return names ? *names : std::vector<std::string>();
  }

  testing::TempDir dir_;
  const std::string path_ = dir_ / "lake.db";
  const SessionOptions options_{path_, "default", 10'000};
  std::unique_ptr<CommitQueue> queue_;

 private:
  // Leads a group of one until it is released.
  void Hold(std::latch& leads, std::latch& release) {
    auto body = [&](Writer&) -> Status {
      leads.count_down();
      release.wait();
      return Error{ErrorKind::kUnavailable, "made no change"};
    };
    EXPECT_THAT(queue_->Write(body, NeverAsked),
                testing::IsError(ErrorKind::kUnavailable, "made no change"));
  }
};

}  // namespace berglite::store
