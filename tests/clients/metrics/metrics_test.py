"""What a collector gets: text that the format's own parser takes, and numbers that are right."""

import json
import urllib.error
import urllib.request

from clientkit.program import Server, add_principal
from prometheus_client.parser import text_string_to_metric_families

SECRETIVE = "confidential"


def ask(server, method, path, body=None):
    request = urllib.request.Request(server.uri + path, method=method,
                                     data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status
    except urllib.error.HTTPError as refusal:
        refusal.read()
        return refusal.code


def scrape(server):
    """(families by name, {(sample, labels): value}), read as strictly as the parser does."""
    with urllib.request.urlopen(server.uri + "/metrics", timeout=60) as reply:
        assert reply.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = reply.read().decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    samples = {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
               for family in families.values() for sample in family.samples}
    assert len(samples) == sum(len(family.samples) for family in families.values())
    return families, samples


def work(server):
    table = {"name": f"{SECRETIVE}_t", "schema": {"type": "struct", "fields": []}}
    commit = {"requirements": [], "updates": [
        {"action": "set-properties", "updates": {SECRETIVE: "1"}}]}
    stale = dict(commit, requirements=[{"type": "assert-table-uuid", "uuid": "nobody"}])
    tables = f"/v1/namespaces/{SECRETIVE}/tables"
    assert ask(server, "POST", "/v1/namespaces", {"namespace": [SECRETIVE]}) == 200
    assert ask(server, "POST", tables, table) == 200
    assert ask(server, "POST", f"{tables}/{SECRETIVE}_t", commit) == 200
    assert ask(server, "POST", f"{tables}/{SECRETIVE}_t", stale) == 409
    assert ask(server, "GET", f"{tables}/{SECRETIVE}_t") == 200
    assert ask(server, "GET", f"{tables}/{SECRETIVE}_no") == 404
    assert ask(server, "GET", f"/{SECRETIVE}") == 404


def test_says_what_was_done(program, lake):
    server = Server(program, lake)
    work(server)
    families, samples = scrape(server)
    assert families["berglite_requests"].type == "counter"
    assert families["berglite_request_duration_seconds"].type == "histogram"
    assert families["berglite_open_connections"].type == "gauge"
    assert all(family.documentation for family in families.values())
    assert samples["berglite_commits_total", ()] == 2
    assert samples["berglite_commit_conflicts_total", ()] == 1
    assert samples["berglite_write_queue_length", ()] == 0
    assert samples["berglite_write_group_size_sum", ()] >= 3
    assert samples["berglite_open_connections", ()] >= 1
    assert samples["berglite_metadata_cache_hits_total", ()] >= 1
    for name in ("commit_races_lost", "metadata_cache_misses", "write_lock_waits"):
        assert samples[f"berglite_{name}_total", ()] >= 0
    for operation, status, count in (("updateTable", "200", 1), ("updateTable", "409", 1),
                                     ("loadTable", "404", 1), ("none", "404", 1)):
        labels = (("operation", operation), ("status", status))
        assert samples["berglite_requests_total", labels] == count
    server.stop()


def test_histograms_are_whole(program, lake):
    server = Server(program, lake)
    work(server)
    families, samples = scrape(server)
    histogram = families["berglite_request_duration_seconds"]
    for operation in {sample.labels["operation"] for sample in histogram.samples}:
        buckets = [(float(sample.labels["le"]), sample.value) for sample in histogram.samples
                   if sample.name.endswith("_bucket") and sample.labels["operation"] == operation]
        assert buckets == sorted(buckets)
        counts = [count for _, count in buckets]
        assert counts == sorted(counts)
        assert buckets[-1][0] == float("inf")
        labels = (("operation", operation),)
        assert samples["berglite_request_duration_seconds_count", labels] == counts[-1]
        assert samples["berglite_request_duration_seconds_sum", labels] > 0
        answered = sum(value for (name, found), value in samples.items()
                       if name == "berglite_requests_total" and labels[0] in found)
        assert answered == counts[-1]
    server.stop()


def test_names_nothing_of_the_catalog(program, lake):
    """Also with --auth they are for whoever can connect."""
    server = Server(program, lake)
    work(server)
    server.stop()
    add_principal(program, lake, f"{SECRETIVE}-principal")
    server = Server(program, lake, ["--auth"])
    assert ask(server, "GET", f"/v1/namespaces/{SECRETIVE}") == 401
    with urllib.request.urlopen(server.uri + "/metrics", timeout=60) as reply:
        text = reply.read().decode()
    assert SECRETIVE not in text
    assert str(lake.path) not in text
    families, samples = scrape(server)
    labels = (("operation", "loadNamespaceMetadata"), ("status", "401"))
    assert samples["berglite_requests_total", labels] == 1
    known = {"operation", "status", "le", "version"}
    assert {name for _, found in samples for name, _ in found} <= known
    server.stop()
