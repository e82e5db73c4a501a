"""Statements in Spark, on the catalog at a URI: spark_statements.py URI JARS STATEMENT...

Prints the rows of each as a line of JSON.
"""

import json
import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "spark"))

from conftest import CATALOG, SETTINGS  # noqa: E402


def main():
    uri, jars, *statements = sys.argv[1:]
    builder = SparkSession.builder.master("local[1]").appName("takeover")
    catalog = {"spark.sql.catalog.ice": CATALOG, "spark.sql.catalog.ice.type": "rest",
               "spark.sql.catalog.ice.uri": uri, "spark.driver.extraClassPath": f"{jars}/*"}
    with tempfile.TemporaryDirectory() as scratch:
        own = {"spark.local.dir": scratch, "spark.sql.warehouse.dir": f"{scratch}/own"}
        for key, value in {**SETTINGS, **catalog, **own}.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        for statement in statements:
            rows = session.sql(statement).collect()
            print(json.dumps([list(row) for row in rows]), flush=True)
        session.stop()


if __name__ == "__main__":
    main()
