#include "shim/cli/signal_watch.h"

#include <csignal>
#include <pthread.h>
#include <utility>

namespace berglite::cli {
namespace {

// Sent to the thread, ends it.
constexpr int kEndOfWatch = SIGUSR1;

}  // namespace

SignalWatch::SignalWatch(std::function<void()> clear_up) : clear_up_(std::move(clear_up)) {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kEndOfWatch}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  thread_ = std::thread([this] { Run(); });
}

SignalWatch::~SignalWatch() {
  pthread_kill(thread_.native_handle(), kEndOfWatch);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SignalWatch::Run() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  if (signal == kEndOfWatch) return;
  clear_up_();
  std::signal(signal, SIG_DFL);
  // That one alone: the end of the watch may be signalled meanwhile.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, signal);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  raise(signal);
}

}  // namespace berglite::cli
