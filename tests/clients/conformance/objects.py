"""Requests and files that hold everything which the specification has a name for."""

LONG = 9_007_199_254_740_993  # more than a double can hold


def field(number, name, kind, **more):
    return {"id": number, "name": name, "type": kind, "required": False, **more}


def schema(version):
    """Columns of every type that a format version has, nested and with documentation."""
    primitive = ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "date", "time",
                 "timestamp", "timestamptz", "string", "uuid", "fixed[16]", "binary"]
    if version >= 3:
        primitive += ["timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry",
                      "geography"]
    fields = [field(1, "id", "long", required=True, doc="which one")]
    fields += [field(2 + i, f"c{i}", kind) for i, kind in enumerate(primitive)]
    fields += [
        field(101, "s", {"type": "struct", "fields": [field(102, "x", "int", doc="inner")]}),
        field(103, "l", {"type": "list", "element-id": 104, "element": "string",
                         "element-required": True}),
        field(105, "m", {"type": "map", "key-id": 106, "key": "string", "value-id": 107,
                         "value": {"type": "list", "element-id": 108, "element": "long",
                                   "element-required": False}, "value-required": False})]
    if version >= 3:
        fields += [field(111, "d1", "int", **{"initial-default": 7, "write-default": 8}),
                   field(112, "d2", "string", **{"initial-default": "x", "write-default": "y"}),
                   field(113, "d3", "boolean", **{"initial-default": True}),
                   field(114, "d4", "date", **{"write-default": "2024-02-29"})]
    return {"type": "struct", "schema-id": 0, "identifier-field-ids": [1], "fields": fields}


def create_table(name, version=2, **more):
    return {"name": name, "schema": schema(version),
            "partition-spec": {"spec-id": 0, "fields": [
                {"source-id": 1, "name": "part", "transform": "bucket[16]"}]},
            "write-order": {"order-id": 1, "fields": [
                {"source-id": 1, "transform": "identity", "direction": "desc",
                 "null-order": "nulls-last"}]},
            "properties": {"format-version": str(version), "owner": "ada"}, **more}


def snapshot(number, version, parent=None):
    """A snapshot whose id no double can hold."""
    made = {"snapshot-id": LONG + number, "timestamp-ms": 1_900_000_000_000 + number,
            "manifest-list": f"file:///none/snap-{number}.avro", "schema-id": 0,
            "summary": {"operation": ["append", "replace", "overwrite", "delete"][number % 4],
                        "added-records": str(number)}}
    if version > 1:
        made["sequence-number"] = number
    if version > 2:
        made.update({"first-row-id": 10 * (number - 1), "added-rows": 10})
    if parent:
        made["parent-snapshot-id"] = LONG + parent
    return {"action": "add-snapshot", "snapshot": made}


def ref(name, number, kind="branch", **more):
    return {"action": "set-snapshot-ref", "ref-name": name, "type": kind,
            "snapshot-id": LONG + number, **more}


def statistics(number):
    return {"action": "set-statistics", "statistics": {
        "snapshot-id": LONG + number, "statistics-path": f"file:///none/{number}.puffin",
        "file-size-in-bytes": LONG, "file-footer-size-in-bytes": 42, "blob-metadata": [
            {"type": "apache-datasketches-theta-v1", "snapshot-id": LONG + number,
             "sequence-number": number, "fields": [1], "properties": {"ndv": "5"}}]}}


def partition_statistics(number):
    return {"action": "set-partition-statistics", "partition-statistics": {
        "snapshot-id": LONG + number, "statistics-path": f"file:///none/{number}.parquet",
        "file-size-in-bytes": LONG}}


def table_updates(version):
    """What makes a table of every member that its version may have."""
    updates = []
    for number in range(1, 6):
        updates += [snapshot(number, version, number - 1 or None), ref("main", number)]
    return updates + [
        ref("audit", 2, **{"min-snapshots-to-keep": 3, "max-snapshot-age-ms": LONG,
                           "max-ref-age-ms": LONG}),
        ref("v1", 1, "tag", **{"max-ref-age-ms": 1}),
        statistics(1), statistics(5), partition_statistics(5), *layout_updates(version),
        *([encryption_key(1)] if version > 2 else [])]


def layout_updates(version):
    wider = schema(version)
    wider["fields"].append(field(201, "late", "string"))
    return [
        {"action": "add-schema", "schema": wider},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"fields": [
            {"source-id": 201, "name": "late_trunc", "transform": "truncate[4]"}]}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 9, "fields": [
            {"source-id": 201, "transform": "identity", "direction": "asc",
             "null-order": "nulls-first"}]}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-properties", "updates": {"k": "v", "\u00fc": "\U0001f600"}}]


def encryption_key(number):
    return {"action": "add-encryption-key", "encryption-key": {
        "key-id": f"k{number}", "encrypted-key-metadata": "c2VjcmV0", "encrypted-by-id": "k0",
        "properties": {"a": "b"}}}


def version_1_file(location):
    """A table as it was written before manifest lists, schema lists and UUIDs."""
    return {"format-version": 1, "location": location, "last-updated-ms": 1_600_000_000_000,
            "last-column-id": 1, "schema": {"type": "struct", "fields": [field(1, "id", "long")]},
            "partition-spec": [], "properties": {}, "current-snapshot-id": 5,
            "snapshots": [{"snapshot-id": 5, "timestamp-ms": 1_600_000_000_000,
                           "manifests": ["file:///none/m.avro"]}]}


def view_version(number, text):
    return {"version-id": number, "timestamp-ms": 1_900_000_000_000 + number, "schema-id": -1,
            "summary": {"engine-name": "test", "engine-version": "1"},
            "default-catalog": "lake", "default-namespace": ["ns"],
            "representations": [{"type": "sql", "sql": text, "dialect": "spark"},
                                {"type": "sql", "sql": text + ";", "dialect": "trino"}]}


def create_view(name, **more):
    return {"name": name, "schema": schema(2), "view-version": view_version(1, "select 1"),
            "properties": {"comment": "a view"}, **more}


def view_updates(number):
    wider = schema(2)
    wider["fields"].append(field(300 + number, f"v{number}", "int"))
    return [{"action": "add-schema", "schema": wider},
            {"action": "add-view-version",
             "view-version": view_version(number, f"select {number}")},
            {"action": "set-current-view-version", "view-version-id": -1},
            {"action": "set-properties", "updates": {"n": str(number)}}]


def function_file():
    """Overloads of every kind of type, versions with every member."""
    number = {"version-id": 1, "timestamp-ms": 1, "representations": [
        {"type": "sql", "dialect": "spark", "sql": "x + 1"},
        {"type": "sql", "dialect": "trino", "sql": "x + 1"}]}
    nested = {"type": "struct", "fields": [
        {"name": "l", "type": {"type": "list", "element": "int"}},
        {"name": "m", "type": {"type": "map", "key": "string", "value": "decimal(9,2)"}}]}
    return {
        "function-uuid": "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2", "format-version": 1,
        "location": "file:///none/f", "properties": {"a": "b"}, "secure": True, "doc": "adds",
        "definitions": [
            {"definition-id": "int", "specific-name": "add_int", "doc": "of int",
             "parameters": [{"name": "x", "type": "int", "doc": "what"}], "return-type": "int",
             "return-nullable": False, "function-type": "udf", "current-version-id": 2,
             "versions": [number, {**number, "version-id": 2, "timestamp-ms": 2,
                                   "deterministic": True, "on-null-input": "return-null"}]},
            {"definition-id": "struct<l:list<int>,m:map<string,decimal(9,2)>>",
             "parameters": [{"name": "x", "type": nested}], "return-type": nested,
             "function-type": "udtf", "current-version-id": 1, "versions": [number]}],
        "definition-log": [{"timestamp-ms": 2, "definition-versions": [
            {"definition-id": "int", "version-id": 2}]}]}


def counter(value):
    return {"unit": "count", "value": value}


def scan_report():
    return {"report-type": "scan-report", "table-name": "ns.t", "snapshot-id": LONG,
            "filter": {"type": "eq", "term": "id", "value": 1}, "schema-id": 0,
            "projected-field-ids": [1], "projected-field-names": ["id"],
            "metrics": {"total-planning-duration": {
                "count": 1, "time-unit": "nanoseconds", "total-duration": LONG},
                "result-data-files": counter(1)}, "metadata": {"engine": "test"}}


def commit_report():
    return {"report-type": "commit-report", "table-name": "ns.t", "snapshot-id": LONG,
            "sequence-number": 1, "operation": "append",
            "metrics": {"attempts": counter(1)}, "metadata": {}}


def identifier(name, *levels):
    return {"namespace": list(levels) or ["ns"], "name": name}


def rename(source, destination):
    return {"source": source, "destination": destination}


def change(name, *updates, requirements=()):
    return {"identifier": identifier(name), "requirements": list(requirements),
            "updates": list(updates)}


def set_properties(**properties):
    return {"action": "set-properties", "updates": properties}
