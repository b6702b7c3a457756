"""Writes logs with PyPI's package hdrhistogram, and checks how ioping reads logs.

Usage: compare_hdr.py write LOG UNIT DIGITS RATIO SEED
       compare_hdr.py check JSON
       compare_hdr.py week LOG

The third form writes a week of intervals of a minute, without the third day. The first form writes 40 intervals of 200 values of about 0.4 ms, which are in UNIT ns, with
DIGITS significant digits. Interval_Max is divided by RATIO. The second form reads the output of
"ioping -compare LOG... -JJ -percentiles 50,90,99,99.9", and compares each record with the sum
of the histograms of its log, or of one tag of its log, as the package reads it. The name of a
log ends in _UNIT. Prints what differs, or the name and the number of values.
"""
import json
import random
import re
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader, HistogramLogWriter

NS = {"ns": 1, "us": 1000, "ms": 1000000}


def write(path, unit, digits, ratio, seed):
    unit = float(unit)
    random.seed(int(seed))
    with open(path, "w", encoding="ascii") as file:
        writer = HistogramLogWriter(file)
        writer.output_log_format_version()
        writer.output_base_time(1000)
        writer.output_legend()
        for second in range(40):
            histogram = HdrHistogram(1, int(60e9 / unit), int(digits))
            for _ in range(200):
                histogram.record_value(max(1, int(random.lognormvariate(13, .5) / unit)))
            writer.output_interval_histogram(histogram, 1000 + second, 1001 + second,
                                             float(ratio))


def read(path):
    """Returns the sum of the histograms of each tag."""
    reader, sums = HistogramLogReader(path, HdrHistogram(1, 1 << 42, 2)), {}
    while True:
        interval = reader.get_next_interval_histogram()
        if interval is None:
            return sums
        tag = interval.get_tag()
        if tag not in sums:
            sums[tag] = HdrHistogram(interval.lowest_trackable_value,
                                     interval.highest_trackable_value,
                                     interval.significant_figures)
        if interval.get_total_count():
            sums[tag].add(interval)


def middle(value):
    """Returns the middle of the bin of ioping that has VALUE, in ns."""
    value -= 1
    shift = max(0, value.bit_length() - 8)
    return (value >> shift << shift) + ((1 << shift) + 1) // 2


def check(path):
    logs = {}
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        name, _, tag = record["target"]["path"].partition(": ")
        if name not in logs:
            logs[name] = read(name)
        log, ours = logs[name], int(name.startswith("ours"))
        histogram = log[tag or next(iter(log))]
        unit = NS[re.search("_([mun]s)", name).group(1)]
        stat, wrong = record["stat"], []

        def compare(what, expected, found, wrong=wrong):
            if expected != found:
                wrong.append(f"{what}: {found}, not {expected}")

        def bounds(value, histogram=histogram):
            lowest = histogram.get_lowest_equivalent_value(int(value))
            return lowest, histogram.get_highest_equivalent_value(int(value))

        max_value = (bounds(histogram.get_max_value())[1] + ours) * unit
        compare("count", histogram.get_total_count(), stat["count"])
        compare("max", max_value, stat["max"])
        compare("min", (bounds(histogram.get_min_value())[0] + ours) * unit, stat["min"])
        for percentile, time in stat["percentiles"].items():
            lowest, highest = bounds(histogram.get_value_at_percentile(float(percentile)))
            value = middle((lowest + highest + 1 + ours) // 2 * unit)
            compare(f"p{percentile}", min(value, max_value), time)
            if not ours and histogram.significant_figures == 2 and unit == 1:
                compare("middle", (lowest + highest + 1) // 2, time)
        print(record["target"]["path"], histogram.get_total_count(), *wrong)


def write_week(path):
    random.seed(9)
    with open(path, "w", encoding="ascii") as file:
        writer = HistogramLogWriter(file)
        writer.output_legend()
        for minute in range(7 * 24 * 60):
            histogram = HdrHistogram(1, 60_000_000_000, 2)
            for _ in range(20):
                histogram.record_value(int(random.lognormvariate(12, 2)))
            start = 1793577600 + 60 * minute
            if minute // 1440 != 2:
                writer.output_interval_histogram(histogram, start, start + 60)


if sys.argv[1] == "write":
    write(*sys.argv[2:])
elif sys.argv[1] == "week":
    write_week(sys.argv[2])
else:
    check(sys.argv[2])
