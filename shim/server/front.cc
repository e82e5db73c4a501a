#include "shim/server/front.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "shim/rest/service.h"
#include "shim/server/request_reader.h"

namespace berglite::server {

struct Connection {
  enum class Phase {
    kReading,    // idle, or receiving a request
    kWorking,    // with a worker
    kWriting,    // the client is slow to take the reply
    kLingering,  // the last reply is sent; waiting for the client to close
    kClosed,
  };

  Connection(UniqueFd fd, const Limits& limits) : socket(std::move(fd)), reader(limits) {}

  UniqueFd socket;
  RequestReader reader;
  Phase phase = Phase::kReading;
  // epoll tells of a change once (EPOLLET); these remember it until a call would block.
  bool readable = false;
  bool peer_closed = false;
  bool keep_alive = true;
  // Counted in Front::held_bytes_.
  size_t charged_bytes = 0;
  WireReply reply;
  Front::Clock::time_point deadline = Front::Clock::time_point::max();
  // When the first byte of the request, the end of its head, or the last reply came.
  Front::Clock::time_point begun;
  Front::Clock::time_point head_done;
};

namespace {

// Read at once; and read of one connection before the others have their turn.
constexpr size_t kReadBytes = size_t{128} << 10;
constexpr int kReadsPerTurn = 8;
constexpr int kAcceptsPerTurn = 256;
constexpr size_t kEventsPerTurn = 256;
// How long to wait before accepting again when the system has run out of something.
constexpr std::chrono::seconds kAcceptPause(1);

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The limit of the process on open files, less those that it needs for other things.
size_t ConnectionsMax(const Limits& limits) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
    return limits.connections_max;
  }
  const auto open_max = static_cast<size_t>(files.rlim_cur);
  const size_t kept = std::min(limits.file_descriptors_kept, open_max / 2);
  return std::min(limits.connections_max, open_max - kept);
}

bool HasClient(int listener) {
  pollfd poller{.fd = listener, .events = POLLIN, .revents = 0};
  return poll(&poller, 1, 0) > 0;
}

bool Watch(const UniqueFd& epoll, int fd, uint32_t events, void* tag) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = tag;
  return epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Result<std::unique_ptr<Front>> Front::Create(Listener listener, const Limits& limits,
                                             std::atomic<size_t>* open_connections) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (epoll.get() < 0 || wake.get() < 0) {
    return Error{ErrorKind::kUnavailable,
                 "Cannot watch connections: " + std::system_category().message(errno)};
  }
  std::unique_ptr<Front> front(
      new Front(std::move(listener), std::move(epoll), std::move(wake), limits, open_connections));
  if (!Watch(front->epoll_, front->wake_.get(), EPOLLIN, &front->finished_)) {
    return Error{ErrorKind::kUnavailable,
                 "Cannot watch connections: " + std::system_category().message(errno)};
  }
  front->Listen(true);
  return front;
}

Front::Front(Listener listener, UniqueFd epoll, UniqueFd wake, const Limits& limits,
             std::atomic<size_t>* open_connections)
    : limits_(limits),
      connections_max_(ConnectionsMax(limits)),
      open_connections_(open_connections),
      listener_(std::move(listener)),
      epoll_(std::move(epoll)),
      wake_(std::move(wake)),
      buffer_(kReadBytes) {}

Front::~Front() = default;

// -- The loop -----------------------------------------------------------------------------------

void Front::Run(WorkerPool& workers) {
  workers_ = &workers;
  std::array<epoll_event, kEventsPerTurn> events{};
  while (!stopping_ || !connections_.empty()) {
    const int count = epoll_wait(epoll_.get(), events.data(), kEventsPerTurn, WaitMs());
    now_ = Clock::now();
    bool take_finished = false;
    for (Connection* connection : std::exchange(ready_, {})) {
      if (connection->phase != Connection::Phase::kClosed) Progress(*connection);
    }
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if (event.data.ptr == &listener_) {
        accept_ = true;
      } else if (event.data.ptr == &finished_) {
        take_finished = true;
      } else {
        OnEvent(*static_cast<Connection*>(event.data.ptr), event.events);
      }
    }
    if (take_finished) TakeFinished();
    if (std::exchange(accept_, false)) Accept();
    if (stop_requested_ && !stopping_) BeginStop();
    if (now_ >= next_deadline_) CheckDeadlines();
    std::erase_if(ready_, [](const Connection* connection) {
      return connection->phase == Connection::Phase::kClosed;
    });
    closed_.clear();
  }
}

int Front::WaitMs() const {
  if (!ready_.empty()) return 0;
  if (next_deadline_ == Clock::time_point::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next_deadline_ - Clock::now());
  constexpr int64_t kHourMs = 3'600'000;
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, kHourMs));
}

void Front::Stop() {
  stop_requested_ = true;
  Wake();
}

void Front::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

void Front::Finish(Finished finished) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = finished_.empty();
    finished_.push_back(std::move(finished));
  }
  if (first) Wake();
}

void Front::TakeFinished() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.get(), &count, sizeof(count));
  std::vector<Finished> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(finished_);
  }
  for (Finished& finished : taken) OnFinished(std::move(finished));
}

void Front::OnEvent(Connection& connection, uint32_t events) {
  if (connection.phase == Connection::Phase::kClosed) return;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) connection.readable = true;
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) connection.peer_closed = true;
  Progress(connection);
}

void Front::Progress(Connection& connection) {
  try {
    switch (connection.phase) {
      case Connection::Phase::kReading:
        return Read(connection);
      case Connection::Phase::kWriting:
        return Write(connection);
      case Connection::Phase::kLingering:
        return Drain(connection);
      case Connection::Phase::kWorking:
      case Connection::Phase::kClosed:
        return;
    }
  } catch (const std::exception&) {
    // Memory ran out: one connection is lost, the others are not.
    Close(connection);
  }
}

// -- Accepting ----------------------------------------------------------------------------------

void Front::Listen(bool on) {
  listening_ = on;
  for (const UniqueFd& socket : listener_.sockets) {
    if (on) {
      Watch(epoll_, socket.get(), EPOLLIN, &listener_);
    } else {
      epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket.get(), nullptr);
    }
  }
}

void Front::Accept() {
  for (const UniqueFd& socket : listener_.sockets) {
    if (listening_) AcceptFrom(socket.get());
  }
}

void Front::AcceptFrom(int listener) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const bool is_full = connections_.size() >= connections_max_;
    if (is_full && !HasClient(listener)) return;
    if (!is_full || MakeRoom()) {
      UniqueFd socket(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() >= 0) {
        Open(std::move(socket));
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      if (errno == EINTR || errno == ECONNABORTED) continue;
    }
    // Every connection is busy, or the system has run out of something. Clients wait in the backlog
    // until one of ours closes; in case it was not ours to begin with, we look again.
    Listen(false);
    next_deadline_ = std::min(next_deadline_, now_ + kAcceptPause);
    return;
  }
}

// Closes the connection that has been idle longest, if one is: it must not keep a new one out. One
// that has just been opened or answered is not idle; its next request may be on the way.
bool Front::MakeRoom() {
  Connection* idlest = nullptr;
  const Clock::time_point deadline_max = now_ + limits_.idle_timeout - limits_.idle_min;
  for (const auto& [connection, owner] : connections_) {
    if (connection->phase != Connection::Phase::kReading || connection->readable) continue;
    if (connection->reader.state() != RequestReader::State::kIdle) continue;
    if (connection->deadline > deadline_max) continue;
    if (idlest == nullptr || connection->deadline < idlest->deadline) idlest = connection;
  }
  if (idlest == nullptr) return false;
  Close(*idlest);
  return true;
}

void Front::Open(UniqueFd socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  auto owner = std::make_unique<Connection>(std::move(socket), limits_);
  Connection& connection = *owner;
  SetDeadline(connection, now_ + limits_.idle_timeout);
  constexpr uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  if (!Watch(epoll_, connection.socket.get(), kEvents, &connection)) return;
  connections_.emplace(&connection, std::move(owner));
  TellOpenConnections();
}

void Front::Close(Connection& connection) {
  const auto found = connections_.find(&connection);
  connection.phase = Connection::Phase::kClosed;
  connection.socket = UniqueFd();
  held_bytes_ -= std::exchange(connection.charged_bytes, 0);
  closed_.push_back(std::move(found->second));
  connections_.erase(found);
  TellOpenConnections();
  if (!listening_ && !stopping_) Listen(true);
}

void Front::TellOpenConnections() {
  if (open_connections_ == nullptr) return;
  open_connections_->store(connections_.size(), std::memory_order_relaxed);
}

// -- Reading ------------------------------------------------------------------------------------

void Front::Read(Connection& connection) {
  for (int i = 0; i < kReadsPerTurn; ++i) {
    if (!connection.readable || connection.phase != Connection::Phase::kReading) return;
    if (!ReadOnce(connection)) return;
  }
  if (connection.phase == Connection::Phase::kReading) ready_.push_back(&connection);
}

// Reads what one call gives. False: there is no more for now.
bool Front::ReadOnce(Connection& connection) {
  const ssize_t count = recv(connection.socket.get(), buffer_.data(), buffer_.size(), 0);
  if (count > 0) {
    const auto size = static_cast<size_t>(count);
    // Fewer bytes than asked for: the socket is empty, and epoll tells when it no longer is.
    if (size < buffer_.size() && !connection.peer_closed) connection.readable = false;
    connection.reader.Feed(std::string_view(buffer_.data(), size));
    OnBytes(connection);
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  connection.readable = false;
  // A client that closes, or is gone, within a request has not made one.
  if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) Close(connection);
  return false;
}

// Acts on what the reader made of new bytes, or of those that it had kept.
void Front::OnBytes(Connection& connection) {
  RequestReader& reader = connection.reader;
  if (reader.state() == RequestReader::State::kRefused) {
    const Refusal& refusal = reader.refusal();
    return Refuse(connection, refusal.status, refusal.type, refusal.message);
  }
  if (!Charge(connection)) {
    return Refuse(connection, 503, "ServiceUnavailableException",
                  "The server holds too many unanswered requests");
  }
  if (reader.state() == RequestReader::State::kComplete) return Dispatch(connection);
  if (reader.TakeContinue()) {
    const ssize_t sent = send(connection.socket.get(), kContinue.data(), kContinue.size(),
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(kContinue.size())) return Close(connection);
  }
  SetReadDeadline(connection);
}

// Counts what the connection holds. False: all of them together hold too much.
bool Front::Charge(Connection& connection) {
  const size_t bytes = connection.reader.held_bytes();
  held_bytes_ += bytes - connection.charged_bytes;
  connection.charged_bytes = bytes;
  return held_bytes_ <= limits_.buffered_bytes_max;
}

void Front::SetReadDeadline(Connection& connection) {
  constexpr Clock::time_point kNone = Clock::time_point{};
  switch (connection.reader.state()) {
    case RequestReader::State::kIdle:
      return SetDeadline(connection, now_ + limits_.idle_timeout);
    case RequestReader::State::kHead:
      if (connection.begun == kNone) connection.begun = now_;
      return SetDeadline(connection, connection.begun + limits_.head_timeout);
    case RequestReader::State::kBody:
      if (connection.head_done == kNone) connection.head_done = now_;
      return SetDeadline(connection,
                         TransferDeadline(connection.head_done, connection.reader.body_bytes()));
    case RequestReader::State::kComplete:
    case RequestReader::State::kRefused:
      return;
  }
}

void Front::Dispatch(Connection& connection) {
  Job job;
  job.keep_alive = connection.reader.keep_alive() && !stopping_;
  job.request = connection.reader.TakeRequest();
  Push(connection, std::move(job));
}

void Front::Refuse(Connection& connection, int status, std::string_view type,
                   std::string_view message) {
  Job job;
  job.keep_alive = false;
  job.request = connection.reader.TakeRemains();
  job.request.body = {};
  job.refusal = rest::MakeErrorReply(status, type, message);
  if (status == 503) job.refusal->headers.emplace_back("Retry-After", "1");
  Push(connection, std::move(job));
}

void Front::Push(Connection& connection, Job job) {
  connection.phase = Connection::Phase::kWorking;
  connection.begun = connection.head_done = Clock::time_point{};
  SetDeadline(connection, Clock::time_point::max());
  job.connection = &connection;
  job.socket = connection.socket.get();
  job.received = now_;
  workers_->Push(std::move(job));
}

// -- Answering ----------------------------------------------------------------------------------

void Front::OnFinished(Finished finished) {
  Connection& connection = *finished.connection;
  if (finished.progress == WireReply::Progress::kBroken) return Close(connection);
  const size_t bytes = finished.rest.missing_bytes();
  held_bytes_ += bytes - connection.charged_bytes;
  connection.charged_bytes = bytes;
  if (bytes > 0) {
    if (held_bytes_ > limits_.buffered_bytes_max) return Close(connection);
    SetDeadline(connection,
                stopping_ ? now_ + limits_.stop_timeout : TransferDeadline(now_, bytes));
  }
  connection.keep_alive = finished.keep_alive;
  connection.reply = std::move(finished.rest);
  connection.phase = Connection::Phase::kWriting;
  Progress(connection);
}

void Front::Write(Connection& connection) {
  switch (connection.reply.Send(connection.socket.get())) {
    case WireReply::Progress::kBlocked:
      return;
    case WireReply::Progress::kBroken:
      return Close(connection);
    case WireReply::Progress::kDone:
      connection.reply = {};
      return AfterReply(connection);
  }
}

void Front::AfterReply(Connection& connection) {
  held_bytes_ -= std::exchange(connection.charged_bytes, 0);
  if (!connection.keep_alive) return Linger(connection);
  connection.phase = Connection::Phase::kReading;
  // The client may have sent its next request behind the last one.
  connection.reader.Feed({});
  OnBytes(connection);
  if (stopping_) return StopReading(connection);
  if (connection.phase == Connection::Phase::kReading) Progress(connection);
}

void Front::Linger(Connection& connection) {
  connection.phase = Connection::Phase::kLingering;
  connection.begun = now_;
  shutdown(connection.socket.get(), SHUT_WR);
  SetDeadline(connection,
              now_ + (stopping_ ? limits_.stop_linger_timeout : limits_.linger_timeout));
  Progress(connection);
}

void Front::Drain(Connection& connection) {
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const ssize_t count = recv(connection.socket.get(), buffer_.data(), buffer_.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) return Close(connection);
    if (!stopping_) {
      SetDeadline(connection, std::min(now_ + limits_.linger_timeout,
                                       connection.begun + limits_.linger_timeout_max));
    }
  }
  ready_.push_back(&connection);
}

// -- Deadlines ----------------------------------------------------------------------------------

void Front::SetDeadline(Connection& connection, Clock::time_point deadline) {
  connection.deadline = deadline;
  next_deadline_ = std::min(next_deadline_, deadline);
}

Front::Clock::time_point Front::TransferDeadline(Clock::time_point from, size_t bytes) const {
  const std::chrono::milliseconds earned(1000 * bytes / limits_.bytes_per_second_min);
  return from + std::min(limits_.transfer_timeout + earned, limits_.transfer_timeout_max);
}

// Looks at all connections, a few thousand at most, and only when a deadline may have passed. Those
// that were put off since show up here once and cost nothing before.
void Front::CheckDeadlines() {
  next_deadline_ = Clock::time_point::max();
  if (!listening_ && !stopping_) {
    Listen(true);
    accept_ = true;
  }
  std::vector<Connection*> expired;
  for (const auto& [connection, owner] : connections_) {
    if (connection->deadline <= now_) {
      expired.push_back(connection);
    } else {
      next_deadline_ = std::min(next_deadline_, connection->deadline);
    }
  }
  for (Connection* connection : expired) Expire(*connection);
}

void Front::Expire(Connection& connection) {
  const bool receiving = connection.phase == Connection::Phase::kReading &&
                         connection.reader.state() != RequestReader::State::kIdle;
  if (!receiving) return Close(connection);
  Refuse(connection, 408, "BadRequestException", "The request took too long to arrive");
}

// Nothing that a client has sent before this moment is lost without an answer.
void Front::BeginStop() {
  Accept();
  stopping_ = true;
  workers_->CloseConnections();
  listener_.sockets.clear();
  std::vector<Connection*> open;
  for (const auto& [connection, owner] : connections_) open.push_back(connection);
  for (Connection* connection : open) {
    switch (connection->phase) {
      case Connection::Phase::kReading:
        StopReading(*connection);
        break;
      case Connection::Phase::kWriting:
        SetDeadline(*connection, std::min(connection->deadline, now_ + limits_.stop_timeout));
        break;
      case Connection::Phase::kLingering:
        SetDeadline(*connection,
                    std::min(connection->deadline, now_ + limits_.stop_linger_timeout));
        break;
      case Connection::Phase::kWorking:
      case Connection::Phase::kClosed:
        break;
    }
  }
}

// Takes a last look at what the client has sent: a whole request is answered, a part of one is
// refused, and where there is nothing the connection is closed.
void Front::StopReading(Connection& connection) {
  connection.readable = true;
  Progress(connection);
  if (connection.phase != Connection::Phase::kReading) return;
  if (connection.reader.state() == RequestReader::State::kIdle) return Close(connection);
  Refuse(connection, 503, "ServiceUnavailableException", "The server is stopping");
}

}  // namespace berglite::server
