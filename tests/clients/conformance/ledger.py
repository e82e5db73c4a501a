"""Judges each answer by the specification, and keeps what was seen of each operation and status."""

import collections

from openapi import OPTIONAL_IN_VERSION_1, strict_json

# Answers that the file does not list for an operation, and why they are given all the same.
UNLISTED = {
    ("fetchPlanningResult", 406): "not served; the file lists 406 for planTableScan alone",
    ("cancelPlanning", 406): "not served; the file lists 406 for planTableScan alone",
    ("fetchScanTasks", 406): "not served; the file lists 406 for planTableScan alone",
    ("signRequest", 406): "not served; the file lists 406 for planTableScan alone",
    ("viewExists", 403): "left out, and listed for every other operation with a namespace",
    ("getToken", 429): "who guesses secrets must wait, for which HTTP has a status (RFC 6585)",
    ("createNamespace", 404): "a prefix that names no catalog, which the file does not think of",
}

_COMMITS = ("updateTable", "commitTransaction", "replaceView")
_GATEWAY = "berglite is no gateway"
_SUPPORTED = "nothing that the file allows here is unsupported"
_EXPIRED = "the file prefers 401 for an expired token"

# Statuses that the file lists and no request can bring about, and why.
UNREACHABLE = {
    **{(name, "406"): _SUPPORTED
       for name in ("createNamespace", "updateProperties", "renameTable", "renameView")},
    **{(name, status): _GATEWAY for name in _COMMITS for status in ("502", "504")},
    **{(name, "500"): "a fault inside of a commit of SQLite, which tests/store brings about"
       for name in _COMMITS},
    **{(name, "5XX"): "a commit fails with 500, 503 or 4xx, which are listed by themselves"
       for name in _COMMITS},
}


def unreachable(operation, key):
    """Why the status cannot be brought about; None where it can."""
    return _EXPIRED if key == "419" else UNREACHABLE.get((operation.id, key))


class Ledger:
    def __init__(self, specification):
        self.specification = specification
        self.validated = collections.Counter()
        self.differences = []
        self.unlisted_seen = collections.Counter()
        self._parameters_seen = set()

    def object(self, sent, text):
        """Notes a difference in the answer to what was sent, once."""
        line = f"{sent}: {text}"
        if line not in self.differences:
            self.differences.append(line)

    def judge(self, operation, sent, answer):
        """Compares an answer with the file; returns its body as JSON, or None."""
        body = self._read_body(operation, sent, answer)
        key = operation.key_of(answer.status)
        if key is None:
            if (operation.id, answer.status) not in UNLISTED:
                self.object(sent, f"{answer.status} is not listed: {answer.body[:300]!r}")
            self.unlisted_seen[operation.id, answer.status] += 1
            self._judge_error(sent, answer, body)
            return body
        before = len(self.differences)
        self._judge_listed(operation.responses[key], sent, answer, body)
        if len(self.differences) == before:
            self.validated[operation.id, key] += 1
        return body

    def note_parameters(self, operation, seen):
        """Parameters that were sent with a request that succeeded."""
        self._parameters_seen.update((operation.id, place, name) for place, name in seen)

    def missing_parameters(self, operations):
        return [f"{operation.id}: {each.name} in {each.place}" for operation in operations
                for each in operation.parameters
                if (operation.id, each.place, each.name) not in self._parameters_seen]

    def _read_body(self, operation, sent, answer):
        """A body is there exactly where there may be one, and is then JSON that says so."""
        if operation.method == "HEAD" or answer.status in (204, 304):
            if answer.body or answer.headers.get("Content-Type"):
                self.object(sent, f"expected no body, found {answer.body[:300]!r}")
            return None
        if answer.headers.get("Content-Type") != "application/json":
            self.object(sent, f"Content-Type is {answer.headers.get('Content-Type')}")
        try:
            return strict_json(answer.body)
        except ValueError as error:
            self.object(sent, f"the body is not JSON: {error}: {answer.body[:300]!r}")
            return None

    def _judge_listed(self, response, sent, answer, body):
        if response.schema and body is not None:
            for problem in self.specification.problems(response.schema, body):
                self.object(sent, f"{answer.status}: {problem}")
        # What is staged has no location yet, and no version to be told by.
        if answer.status == 304 or (response.has_etag and (body or {}).get("metadata-location")):
            etag = answer.headers.get("ETag", "")
            if len(etag) < 3 or not etag.startswith('"') or not etag.endswith('"'):
                self.object(sent, f"{answer.status}: ETag is {etag!r}")
        if answer.status >= 400:
            self._judge_error(sent, answer, body)
        elif isinstance(body, dict) and isinstance(body.get("metadata"), dict):
            self._judge_later_versions(sent, body["metadata"])

    def _judge_error(self, sent, answer, body):
        """What schemas cannot say: the code in the body is that of the answer."""
        if body is None or isinstance(body.get("error"), str):
            return  # HEAD, or OAuth
        for problem in self.specification.problems(
                "/components/schemas/IcebergErrorResponse", body):
            self.object(sent, f"{answer.status}: {problem}")
        if body.get("error", {}).get("code") != answer.status:
            self.object(sent, f"{answer.status} has the code {body['error'].get('code')}")
        if answer.status == 503 and not answer.headers.get("Retry-After"):
            self.object(sent, "503 without Retry-After, which is only sent where nothing was done")

    def _judge_later_versions(self, sent, metadata):
        """What the corrected schemas let pass."""
        if metadata.get("format-version", 1) == 1:
            return
        for name, holders in (("TableMetadata", [metadata]),
                              ("Snapshot", metadata.get("snapshots", []))):
            for holder in holders:
                missing = set(OPTIONAL_IN_VERSION_1[name]) - set(holder)
                if missing:
                    self.object(sent, f"a {name} without {missing}: {str(holder)[:300]}")
