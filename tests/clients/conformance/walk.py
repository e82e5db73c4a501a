"""Asks the program for every operation and status of the specification, and prints a table."""

import argparse
import pathlib

import faults
import ledger
import nulls
import openapi
import refusals
import successes
from clientkit import suite
from world import World


def walk_all(program, book):
    for every_parameter in (False, True):
        with World(program, book, every_parameter=every_parameter) as world:
            check_advertised(world)
            successes.walk(world)
    with World(program, book) as world:
        refusals.walk(world)
        world.ask("createNamespace", 404, {"namespace": ["x"]}, path={"prefix": "nowhere"})
    with World(program, book) as world:
        nulls.walk(world)
    with World(program, book, ["--auth"]) as world:
        refusals.walk_with_authentication(world)
    with World(program, book, ["--auth"]) as world:
        refusals.walk_guesses(world)
    with World(program, book) as world:
        faults.walk(world)
    with World(program, book, ["--auth"]) as world:
        faults.walk_with_authentication(world)


def served_operations(specification):
    return [operation for operation in specification.operations.values()
            if operation.id not in refusals.UNSERVED]


def check_advertised(world):
    specification = world.ledger.specification
    expected = {f"{each.method} {each.path}" for each in served_operations(specification)}
    found = world.ask("getConfig", 200).json["endpoints"]
    if len(found) != len(set(found)) or set(found) != expected:
        world.ledger.object("getConfig", "the endpoints differ from the operations of the file: "
                            f"{sorted(expected.symmetric_difference(found))}")


def cell_of(book, operation, key):
    """A number of good answers, `-` for an unlisted status, `.` for one that cannot be had."""
    if key not in operation.responses:
        return "-"
    seen = book.validated[operation.id, key]
    if seen:
        return str(seen)
    return "." if ledger.unreachable(operation, key) else "MISSING"


def print_table(book):
    """Returns how many listed statuses were seen, and those that were neither seen nor excused."""
    served = served_operations(book.specification)
    keys = sorted({key for operation in served for key in operation.responses})
    print(f"{'':22}" + "".join(f"{key:>5}" for key in keys))
    seen, missing = 0, []
    for operation in served:
        cells = [cell_of(book, operation, key) for key in keys]
        print(f"{operation.id:22}" + "".join(f"{cell:>5}" for cell in cells))
        seen += sum(cell.isdigit() for cell in cells)
        missing += [f"{operation.id} {key} was never answered" for key, cell in zip(keys, cells)
                    if cell == "MISSING"]
        missing += [f"{operation.id} {key} is said to be unreachable and was answered"
                    for key, cell in zip(keys, cells)
                    if cell.isdigit() and ledger.unreachable(operation, key)]
    print("Numbers are good answers; - is not listed; . cannot be had:")
    for operation in served:
        for key in operation.responses:
            if key != "419" and ledger.unreachable(operation, key):
                print(f"  {operation.id} {key}: {ledger.unreachable(operation, key)}")
    print(f"  every operation's 419: {ledger.unreachable(served[0], '419')}")
    return seen, missing


def print_exceptions(book):
    """Returns the exceptions that nothing needed."""
    print("Taken for wrong in the file:")
    for text in book.specification.corrections:
        print(f"  {text}")
    print("Answered and not listed:")
    for (operation_id, status), why in ledger.UNLISTED.items():
        print(f"  {operation_id} {status}: {why}")
    return [f"{operation_id} {status} is excused and was not answered"
            for operation_id, status in ledger.UNLISTED
            if not book.unlisted_seen[operation_id, status]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("openapi", type=pathlib.Path)
    arguments = parser.parse_args()
    specification = openapi.Specification(arguments.openapi)
    served = served_operations(specification)
    specification.check_keywords([operation.id for operation in served])
    book = ledger.Ledger(specification)
    walk_all(arguments.program, book)
    seen, wrong = print_table(book)
    wrong += print_exceptions(book)
    wrong += [f"{each} was never sent with success" for each in book.missing_parameters(served)]
    for text in book.differences + wrong:
        print(f"DIFFERENCE {text}")
    print(f"{len(served)} operations, {sum(book.validated.values())} answers validated, "
          f"{len(book.differences)} differences")
    suite.close(seen, len(book.differences) + len(wrong), 0)


if __name__ == "__main__":
    main()
