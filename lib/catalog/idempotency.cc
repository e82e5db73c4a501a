#include "lib/catalog/idempotency.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "lib/base/hash.h"
#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "lib/base/uuid.h"

namespace berglite::catalog {

using store::KeyRecord;
using store::Reader;
using store::Writer;

namespace {

static_assert(std::chrono::milliseconds(limits::kIdempotencyKeyKeptMs) >= kIdempotencyKeyLifetime);

constexpr std::string_view kSuccess = "success";

struct FinalKind {
  ErrorKind kind;
  std::string_view name;  // in the file; never changes
};

// The kinds that are 400, 404, 406, 409 and 422 of the REST protocol, but for kNotFound: a file
// that is missing is nothing that the catalog decides, and its storage may only be away for a
// moment.
constexpr std::array kFinalKinds = {
    FinalKind{ErrorKind::kInvalidArgument, "invalid-argument"},
    FinalKind{ErrorKind::kValidation, "validation"},
    FinalKind{ErrorKind::kMalformedRequest, "malformed-request"},
    FinalKind{ErrorKind::kNoSuchNamespace, "no-such-namespace"},
    FinalKind{ErrorKind::kNoSuchTable, "no-such-table"},
    FinalKind{ErrorKind::kNoSuchView, "no-such-view"},
    FinalKind{ErrorKind::kNoSuchWarehouse, "no-such-warehouse"},
    FinalKind{ErrorKind::kUnsupported, "unsupported"},
    FinalKind{ErrorKind::kAlreadyExists, "already-exists"},
    FinalKind{ErrorKind::kCommitFailed, "commit-failed"},
    FinalKind{ErrorKind::kNamespaceNotEmpty, "namespace-not-empty"},
    FinalKind{ErrorKind::kUnprocessable, "unprocessable"},
};

// The record of an outcome; nullopt for an error that is not final.
std::optional<KeyRecord> MakeRecord(const std::string& fingerprint, const std::string& answer,
                                    const Error* error) {
  if (error == nullptr) return KeyRecord{fingerprint, std::string(kSuccess), answer};
  auto found = std::find_if(kFinalKinds.begin(), kFinalKinds.end(),
                            [&](const FinalKind& final) { return final.kind == error->kind; });
  if (found == kFinalKinds.end()) return std::nullopt;
  return KeyRecord{fingerprint, std::string(found->name), error->message};
}

}  // namespace

std::string FingerprintOf(const Request& request) {
  Json target = Json::array({request.operation});
  if (request.name_space != nullptr) target.push_back(*request.name_space);
  if (request.name != nullptr) target.push_back(*request.name);
  // Names have not been checked yet.
  std::string text = target.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (request.body != nullptr) text += DocumentAccess::Dom(*request.body).dump();
  return StableHash128(text);
}

Status Mutation::Write(const std::function<Status(Writer&)>& body,
                       const std::function<Result<bool>(Reader&)>& landed) {
  if (!key_) return store_.Write(body, landed);
  if (key_->is_recorded) std::abort();
  Status written = store_.Write(
      [&](Writer& writer) -> Status {
        BERGLITE_RETURN_IF_ERROR(Look(writer));
        if (key_->earlier) {
          return Error{ErrorKind::kUnavailable, "The request was carried out by another process"};
        }
        BERGLITE_RETURN_IF_ERROR(body(writer));
        return Insert(writer, *MakeRecord(key_->fingerprint, answer_, nullptr));
      },
      // The record came with the change, so it tells more surely than the change itself.
      [&](Reader& reader) {
        return IsThere(reader, *MakeRecord(key_->fingerprint, answer_, nullptr));
      });
  key_->is_recorded = written.has_value();
  return written;
}

Status Mutation::Look(Reader& reader) {
  BERGLITE_ASSIGN_OR_RETURN(key_->earlier,
                            reader.FindKeyRecord(key_->text, key_->environment.NowMs()));
  return {};
}

// The key is free: this transaction has looked.
Status Mutation::Insert(Writer& writer, const KeyRecord& record) {
  BERGLITE_ASSIGN_OR_RETURN(bool inserted,
                            writer.InsertKeyRecord(key_->text, record, key_->environment.NowMs()));
  if (inserted) return {};
  return Error{ErrorKind::kUnavailable, "The Idempotency-Key was taken a moment ago"};
}

Result<bool> Mutation::IsThere(Reader& reader, const KeyRecord& record) const {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<KeyRecord> found,
                            reader.FindKeyRecord(key_->text, key_->environment.NowMs()));
  return found == record;
}

Status Mutation::Settle(const Error* error) {
  if (key_->is_recorded || key_->earlier) return {};
  std::optional<KeyRecord> record = MakeRecord(key_->fingerprint, answer_, error);
  if (!record) return {};
  Status written = store_.Write(
      [&](Writer& writer) -> Status {
        BERGLITE_RETURN_IF_ERROR(Look(writer));
        return key_->earlier ? Status() : Insert(writer, *record);
      },
      [&](Reader& reader) { return IsThere(reader, key_->earlier.value_or(*record)); });
  if (written || written.error().kind != ErrorKind::kCommitStateUnknown) return written;
  // Unknown is only whether there is a record. Of the request itself nothing was done.
  return Error{ErrorKind::kUnavailable, written.error().message};
}

Result<std::string> Mutation::EarlierAnswer() const {
  const KeyRecord& record = *key_->earlier;
  if (record.fingerprint != key_->fingerprint) {
    return Error{ErrorKind::kUnprocessable,
                 "The Idempotency-Key " + key_->text + " was used for another request"};
  }
  if (record.outcome == kSuccess) return record.answer;
  auto found = std::find_if(kFinalKinds.begin(), kFinalKinds.end(),
                            [&](const FinalKind& final) { return final.name == record.outcome; });
  if (found != kFinalKinds.end()) return Error{found->kind, record.answer};
  return Error{ErrorKind::kInternal,
               "The Idempotency-Key " + key_->text + " has an unknown outcome: " + record.outcome};
}

Result<KeyLocks::Guard> Idempotency::Begin(const Request& request, Mutation& mutation) {
  const std::string& key = *request.options.idempotency_key;
  if (!IsUuid(key)) {
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid Idempotency-Key: expected a UUID of 36 characters, found '" + key + "'"};
  }
  mutation.key_.emplace(Mutation::Key{
      .environment = environment_, .text = key, .fingerprint = FingerprintOf(request)});
  // The two cases of letters are one UUID.
  for (char& c : mutation.key_->text) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  KeyLocks::Guard guard = locks_.Lock({mutation.key_->text});
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) { return mutation.Look(reader); }));
  return guard;
}

Result<Document> ReplayText(std::string answer) {
  return DocumentAccess::FromTrustedText(std::move(answer));
}

}  // namespace berglite::catalog
