"""The blocks of README.md that a suite of clients runs, and not the suite of the page itself."""

import pathlib
import re

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"
URI = "http://127.0.0.1:8181"


def example(suite, language, uri):
    """The block of `suite`, with `uri` for that of the server."""
    pattern = (rf"^<!-- not run: tests/clients/{suite} runs it -->\n+"
               rf"```{language}\n(.+?)^```$")
    block = re.search(pattern, README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block and URI in block[1], f"README.md has no example with {URI} for {suite}"
    return block[1].replace(URI, uri)
