#!/usr/bin/env python3
"""The SQL catalog of another language on one file with the built program.

    run.py PROGRAM {go,rust} [pytest's arguments]
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite  # noqa: E402

# What each is called in the cache, and how it is built from its folder.
LANGUAGES = {
    "go": lambda: cache.go_program("sqlcatalog-go", HERE / "go"),
    "rust": lambda: cache.cargo_program("sqlcatalog-rust", HERE / "rust", rust=(1, 94)),
}


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in LANGUAGES:
        sys.exit(__doc__)
    language = sys.argv.pop(2)

    def prepare():
        writer = LANGUAGES[language]()
        return (cache.venv("python", HERE.parent / "requirements.txt"),
                ["--language", language, "--sqlcatalog", str(writer)])

    pytest_suite.run(HERE, prepare)


if __name__ == "__main__":
    main()
