"""Compares a log of histograms, as PyPI's hdrhistogram reads it, with the JSON of its run.

Usage: read_hdr.py LOG JSON, one record a line (-JJ) with each request. Prints for each
target its name, its requests that count, and what differs: counts of all values,
extremes, percentiles, and those of all targets together in the end.
"""
import json
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

PERCENTILES = (50, 90, 99, 99.9)
MOST = (1 << 42) - 1


def empty():
    return HdrHistogram(1, MOST, 2)


def read_log(path):
    """Returns the sum of all intervals of each tag."""
    reader, sums = HistogramLogReader(path, empty()), {}
    while True:
        interval = reader.get_next_interval_histogram()
        if interval is None:
            return sums
        total = sums.setdefault(interval.get_tag(), empty())
        if interval.get_total_count():  # it takes the minimum of nothing for 0 ns
            total.add(interval)


def counts_of(histogram):
    return {item.value_iterated_to: item.count_at_value_iterated_to
            for item in histogram.get_recorded_iterator()}


def value_of(latencies, percentile):
    """Returns the value below N ns that the N ns at that rank are reported as."""
    rank = max(1, round(percentile * len(latencies) / 100))
    value = sorted(latencies)[rank - 1] - 1
    shift = max(0, value.bit_length() - 8)
    return ((value >> shift) + 1 << shift) - 1


def compare(name, histogram, latencies, stat):
    """LATENCIES of requests that count, each recorded by the library itself."""
    expected, differences = empty(), []
    for latency in latencies:
        expected.record_value(latency - 1)

    def check(what, ours, theirs):
        if ours != theirs:
            differences.append(f"{what}: {theirs}, not {ours}")

    check("count", len(latencies), histogram.get_total_count())
    check("counts", counts_of(expected), counts_of(histogram))
    check("min", expected.get_min_value(), histogram.get_min_value())
    check("max", value_of(latencies, 100), histogram.get_max_value())
    for percentile in PERCENTILES:
        value = histogram.get_value_at_percentile(percentile)
        check(f"p{percentile}", value_of(latencies, percentile), value)
    for percentile, middle in stat.get("percentiles", {}).items():
        value = histogram.get_value_at_percentile(float(percentile))
        lowest = histogram.get_lowest_equivalent_value(value)
        theirs = min((lowest + value + 1) // 2, max(latencies))
        check(f"{percentile} % of the summary", middle, theirs)
    print(name, len(latencies), *differences)


def main():
    log, records = sys.argv[1:]
    latencies, stats = {}, {}
    with open(records, encoding="utf-8") as file:
        for record in map(json.loads, file):
            path = record["target"]["path"]
            if "stat" in record:
                stats[path] = record["stat"]
            elif not record["io"]["ignored"]:
                latencies.setdefault(path, []).append(record["io"]["time"])
    sums, all_of_them = read_log(log), empty()
    if set(sums) != set(latencies):
        print("tags", *sums)
    for path, histogram in sums.items():
        all_of_them.add(histogram)
        compare(path, histogram, latencies[path], stats[path])
    compare("sum", all_of_them, sum(latencies.values(), []), {})


main()
