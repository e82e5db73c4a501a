"""The specification's OpenAPI file, as far as its answers are concerned.

The file is OpenAPI 3.1, so its schemas are JSON Schema 2020-12. Two things in it are not, and where
it contradicts itself its own text or examples decide: see `corrections`.
"""

import base64
import binascii
import dataclasses
import datetime
import json
import re
import typing

import jsonschema
import jsonschema.validators
import referencing
import referencing.jsonschema
import yaml

METHODS = ("get", "head", "post", "put", "patch", "delete")
URI = "urn:openapi"

# Everything that a schema of an answer may hold. What is not here would be passed over in silence.
KEYWORDS = {
    "$ref", "type", "properties", "required", "items", "additionalProperties", "allOf", "anyOf",
    "oneOf", "enum", "const", "minimum", "maximum", "minLength", "maxLength", "pattern", "format",
    "uniqueItems"}
NOTES = {"description", "example", "default", "deprecated", "readOnly", "contentEncoding"}


# By the table format; the file requires them of all versions.
OPTIONAL_IN_VERSION_1 = {"TableMetadata": ["table-uuid"], "Snapshot": ["manifest-list", "summary"]}


class SpecificationError(Exception):
    """The file holds something that this suite cannot check."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    place: str  # path, query or header
    name: str


@dataclasses.dataclass(frozen=True)
class Response:
    schema: typing.Optional[str]  # where it is in the file; None for an answer without a body
    has_etag: bool


@dataclasses.dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    parameters: tuple
    responses: dict  # status, or 5XX, to Response

    def key_of(self, status):
        """Under which key the file lists a status; None where it does not."""
        for key in (str(status), f"{str(status)[0]}XX"):
            if key in self.responses:
                return key
        return None


class Specification:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self._root = _with_text_keys(yaml.safe_load(file))
        if not self._root["openapi"].startswith("3.1."):
            raise SpecificationError(f"expected OpenAPI 3.1, found {self._root['openapi']}")
        self._corrections = Corrections(self)
        self.operations = {operation.id: operation for operation in self._read_operations()}

    @property
    def schemas(self):
        return self._root["components"]["schemas"]

    @property
    def examples(self):
        return self._root["components"]["examples"]

    @property
    def corrections(self):
        """What is wrong in the file, each with the reason to take it for wrong."""
        return self._corrections.texts

    def check_keywords(self, operation_ids):
        """Raises SpecificationError where a schema of their answers holds an unknown keyword."""
        seen = set()
        for operation_id in operation_ids:
            for response in self.operations[operation_id].responses.values():
                if response.schema:
                    self._check_keywords(self._at(response.schema), response.schema, seen)

    def problems(self, schema, body):
        """Each way in which a body is not as the schema at that place says."""
        return [f"{_place_of(error)}: {error.message[:300]}" for error in
                self.validator({"$ref": f"{URI}#{schema}"}).iter_errors(body)]

    def validator(self, schema):
        """A strict validator of a schema, which may refer to the file."""
        resource = referencing.Resource.from_contents(
            self._root, default_specification=referencing.jsonschema.DRAFT202012)
        registry = referencing.Registry().with_resource(URI, resource)
        return Validator(schema, registry=registry, format_checker=FORMATS)

    def _at(self, pointer):
        found = self._root
        for step in pointer.lstrip("#").split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return found

    def _resolve(self, holder, pointer):
        """What is at a place that may be a reference, and where it really is."""
        while "$ref" in holder:
            pointer = holder["$ref"].lstrip("#")
            holder = self._at(pointer)
        return holder, pointer

    def _read_operations(self):
        for path, item in self._root["paths"].items():
            for method in METHODS:
                if method in item:
                    yield self._read_operation(path, method, item)

    def _read_operation(self, path, method, item):
        found = item[method]
        parameters = []
        for parameter in item.get("parameters", []) + found.get("parameters", []):
            parameter, _ = self._resolve(parameter, "")
            parameters.append(Parameter(parameter["in"], parameter["name"]))
        base = f"/paths/{path.replace('~', '~0').replace('/', '~1')}/{method}/responses"
        responses = {}
        for key, response in found["responses"].items():
            response, pointer = self._resolve(response, f"{base}/{key}")
            responses[key] = self._read_response(response, pointer, method)
        return Operation(found["operationId"], method.upper(), path, tuple(parameters), responses)

    def _read_response(self, response, pointer, method):
        schema = None
        if "content" in response and method != "head":
            if set(response["content"]) != {"application/json"}:
                raise SpecificationError(f"{pointer}: expected application/json alone")
            schema = f"{pointer}/content/application~1json/schema"
        return Response(schema, "etag" in response.get("headers", {}))

    def _check_keywords(self, schema, where, seen):
        if id(schema) in seen:
            return
        seen.add(id(schema))
        unknown = set(schema) - KEYWORDS - NOTES
        if unknown:
            raise SpecificationError(f"{where}: cannot check {', '.join(sorted(unknown))}")
        if schema.get("format", "int64") not in FORMATS.checkers:
            raise SpecificationError(f"{where}: cannot check the format {schema['format']}")
        for name, child in _children_of(schema):
            self._check_keywords(child, f"{where}/{name}", seen)
        if "$ref" in schema:
            pointer = schema["$ref"].lstrip("#")
            self._check_keywords(self._at(pointer), pointer, seen)


class Corrections:
    """Mends the file in memory, and says how. A fault that is mended upstream is an error here, so
    that nothing is forgiven for longer than it must be."""

    def __init__(self, specification):
        self._specification = specification
        self._schemas = specification.schemas
        self.texts = []
        self._keep_error_envelope()
        self._allow_null(specification._root)
        self._let_alternatives_overlap("PrimitiveTypeValue", 42, "a whole number is also a float")
        self._let_alternatives_overlap("Type", "variant", "the string is also a PrimitiveType")
        for name, members in OPTIONAL_IN_VERSION_1.items():
            self._make_optional(name, members)

    def _add(self, needed, text):
        if not needed:
            raise SpecificationError(f"no longer wrong in the file, and still corrected: {text}")
        self.texts.append(text)

    def _fits(self, name, value):
        reference = {"$ref": f"{URI}#/components/schemas/{name}"}
        return self._specification.validator(reference).is_valid(value)

    def _keep_error_envelope(self):
        model = {"$ref": "#/components/schemas/ErrorModel"}
        count = 0
        for holder in _objects_of(self._specification._root):
            if holder.get("schema") == model:
                holder["schema"] = {"$ref": "#/components/schemas/IcebergErrorResponse"}
                count += 1
        example = self._specification.examples["NoSuchViewError"]["value"]
        self._add(count and not self._fits("ErrorModel", example),
                  f"{count} answers are said to be an ErrorModel, and their own examples are an "
                  "IcebergErrorResponse that holds one")

    def _allow_null(self, root):
        count = 0
        for holder in _objects_of(root):
            if "nullable" not in holder or not isinstance(holder["nullable"], bool):
                continue
            count += 1
            if holder.pop("nullable"):
                holder["type"] = [holder["type"], "null"]
        self._add(count, f"{count} times `nullable` of OpenAPI 3.0, which 3.1 writes as a type")

    def _let_alternatives_overlap(self, name, value, why):
        needed = not self._fits(name, value)
        schema = self._schemas[name]
        schema["anyOf"] = schema.pop("oneOf")
        self._add(needed, f"{name} is oneOf alternatives that overlap: {why}")

    def _make_optional(self, name, members):
        required = self._schemas[name]["required"]
        self._schemas[name]["required"] = [each for each in required if each not in members]
        self._add(set(members) <= set(required), f"{name} requires {' and '.join(members)}, which "
                  "tables of version 1 need not have; required here of the other versions")


def strict_json(text):
    """JSON as it is: no member twice, no NaN."""
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    def unique(members):
        if len(dict(members)) != len(members):
            raise ValueError(f"a member occurs twice: {[name for name, _ in members]}")
        return dict(members)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def _is_integer(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer))

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("int64")
def _is_int64(value):
    return not _is_integer(None, value) or -2**63 <= value < 2**63


@FORMATS.checks("uuid")
def _is_uuid(value):
    return not isinstance(value, str) or bool(
        re.fullmatch("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", value))


@FORMATS.checks("duration")
def _is_duration(value):
    pattern = r"P(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?"
    return not isinstance(value, str) or bool(re.fullmatch(pattern, value))


@FORMATS.checks("byte", raises=binascii.Error)
def _is_base64(value):
    return not isinstance(value, str) or base64.b64decode(value, validate=True) is not None


@FORMATS.checks("date", raises=ValueError)
def _is_date(value):
    return not isinstance(value, str) or bool(datetime.date.fromisoformat(value))


@FORMATS.checks("float")
@FORMATS.checks("double")
def _is_number(_):
    return True


def _with_text_keys(value):
    if isinstance(value, dict):
        return {str(key): _with_text_keys(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_with_text_keys(child) for child in value]
    return value


def _objects_of(value):
    """All objects in a document, examples excepted."""
    if isinstance(value, list):
        for child in value:
            yield from _objects_of(child)
    elif isinstance(value, dict):
        yield value
        for key, child in value.items():
            if key not in ("example", "examples"):
                yield from _objects_of(child)


def _children_of(schema):
    yield from schema.get("properties", {}).items()
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from ((keyword, child) for child in schema.get(keyword, []))
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield keyword, schema[keyword]


def _place_of(error):
    return "/".join(map(str, error.absolute_path)) or "the body"
