"""Reads the output of -csv with Python's csv.

Usage: read_csv.py rows FILE COLUMN...      prints these columns of each row
       read_csv.py paths FILE PATH...       prints "same" if the targets are these paths
       read_csv.py requests FILE LINES      compares the row of a run with the lines of its
                                            requests, which stand in the file LINES
"""
import csv
import math
import os
import re
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def read_rows(path):
    """Returns the rows as dictionaries. Ends the program if the file breaks RFC 4180, or if a
    row has more or fewer fields than the head."""
    with open(path, "rb") as file:
        data = file.read()
    if data.count(b"\r\n") != data.count(b"\n") or data.count(b"\r") != data.count(b"\n"):
        sys.exit("a line does not end with CRLF")
    if not data.endswith(b"\r\n"):
        sys.exit("the last line has no end")
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, strict=True)
    if len(rows) + 1 != data.count(b"\n"):
        sys.exit("a row takes several lines")
    if len(set(head)) != len(head) or any(len(row) != len(head) for row in rows):
        sys.exit("a row has not the columns of the head")
    return [dict(zip(head, row)) for row in rows]


def decode(field):
    """Returns the bytes of the path that FIELD stands for."""
    return re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), field.encode())


def print_paths(rows, paths):
    found = [decode(row["target"]) for row in rows]
    print("same" if found == [os.fsencode(path) for path in paths] else found)


def latencies_of(lines):
    """Returns the times, in ns, of the requests that count."""
    times = []
    for line in lines:
        found = re.search(r" time=([\d.]+) (ns|us|ms|s)(?: \((slow|fast)\))?$", line.rstrip())
        if found:
            times.append(float(found[1]) * UNITS[found[2]])
    return sorted(times)


def print_comparison(row, times):
    """Prints a line for each figure that is not the one of TIMES. Lines of requests have three
    digits or more, so figures may differ by half of the last digit. Percentiles may also differ
    by half of a bin of the histogram. The rates are of one request at a time."""
    count, mean = len(times), sum(times) / len(times)
    expected = {
        "count": (count, 0), "failed": (0, 0), "missed": (0, 0), "bytes": (4096 * count, 0),
        "iops": (1e9 / mean, 0.01), "bytes_per_second": (4096e9 / mean, 0.01),
        "min_ns": (times[0], 0.005), "avg_ns": (mean, 0.005), "max_ns": (times[-1], 0.005),
        "mdev_ns": (math.sqrt(sum((time - mean) ** 2 for time in times) / count), 0.02),
    }
    for name in row:
        percentile = re.fullmatch(r"p([\d.]+)_ns", name)
        if percentile:
            rank = math.ceil(float(percentile[1]) / 100 * count - 1e-9)
            is_known = count >= 1 / (1 - float(percentile[1]) / 100) - 1 - 1e-9
            expected[name] = (times[rank - 1] if is_known else None, 0.01)
    for name, (value, tolerance) in expected.items():
        if value is None:
            right = row[name] == ""
        else:
            right = row[name] != "" and abs(float(row[name]) - value) <= tolerance * value
        if not right:
            print(f"{name}: {row[name]}, not {value}")
    print(len(expected), "figures of", count, "requests")


def main():
    command, path, *arguments = sys.argv[1:]
    rows = read_rows(path)
    if command == "rows":
        for row in rows:
            print(*(row[column] for column in arguments))
    elif command == "paths":
        print_paths(rows, arguments)
    elif len(rows) != 1:
        print(len(rows), "rows")
    else:
        with open(arguments[0], encoding="utf-8") as lines:
            print_comparison(rows[0], latencies_of(lines))


main()
