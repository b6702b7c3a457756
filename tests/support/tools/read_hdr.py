"""Compares an HdrHistogram log with the JSON of the same run.

Usage: read_hdr.py LOG JSON. The log is read by PyPI's package hdrhistogram. The JSON has one
record a line (-JJ), with all requests. Prints a line for each tag of the log: its name, the
number of its values, and what differs (counts of values, extremes or percentiles). The last
line, "sum", is for all requests of all targets together.
"""
import json
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

PERCENTILES = (50, 90, 99, 99.9)
HIGHEST = (1 << 42) - 1
# The tags of parts of the requests, which are not added to the sum of all requests.
PARTS = {"read", "write", "sync", "submit", "stack", "queue", "device", "return",
         "sync_device"}


def empty():
    return HdrHistogram(1, HIGHEST, 2)


def read_log(path):
    """Returns the sum of all intervals of each tag."""
    reader, sums = HistogramLogReader(path, empty()), {}
    while True:
        interval = reader.get_next_interval_histogram()
        if interval is None:
            return sums
        total = sums.setdefault(interval.get_tag(), empty())
        # The library takes 0 ns for the minimum of an empty interval.
        if interval.get_total_count():
            total.add(interval)


def counts_of(histogram):
    return {item.value_iterated_to: item.count_at_value_iterated_to
            for item in histogram.get_recorded_iterator()}


def is_rank(latencies, percentile):
    """Returns whether the percentile is exactly a rank. The library rounds others."""
    return round(percentile * len(latencies), 6) % 100 == 0


def value_of(latencies, percentile):
    """Returns the value that the log must report for a percentile of the latencies.

    The log has the latency at that rank less 1 ns, as the end of its histogram bucket.
    """
    rank = max(1, round(percentile * len(latencies) / 100))
    value = max(0, sorted(latencies)[rank - 1] - 1)
    shift = max(0, value.bit_length() - 8)
    return ((value >> shift) + 1 << shift) - 1


def compare(name, histogram, latencies, stat):
    """Compares a histogram of the log with one of LATENCIES that the library makes itself.

    ioping records each latency less 1 ns, so 0 and 1 ns are the same.
    """
    expected, differences = empty(), []
    for latency in latencies:
        expected.record_value(max(0, latency - 1))

    def check(what, ours, theirs):
        if ours != theirs:
            differences.append(f"{what}: {theirs}, not {ours}")

    check("count", len(latencies), histogram.get_total_count())
    check("counts", counts_of(expected), counts_of(histogram))
    check("min", expected.get_min_value(), histogram.get_min_value())
    check("max", value_of(latencies, 100), histogram.get_max_value())
    for percentile in PERCENTILES:
        if not is_rank(latencies, percentile):
            continue
        value = histogram.get_value_at_percentile(percentile)
        check(f"p{percentile}", value_of(latencies, percentile), value)
    for percentile, middle in stat.get("percentiles", {}).items():
        # Corrected percentiles also contain the waits of missed requests. The log does not.
        if stat.get("corrected") or not is_rank(latencies, float(percentile)):
            continue
        value = histogram.get_value_at_percentile(float(percentile))
        lowest = histogram.get_lowest_equivalent_value(value)
        theirs = min((lowest + value + 1) // 2, max(latencies))
        check(f"{percentile} % of the summary", middle, theirs)
    print(name, len(latencies), *differences)


def times_of(request, both):
    """Returns the times of a request, by the last part of their tags."""
    times = {"": request["time"], **request.get("breakdown", {})}
    if both:
        times[request["operation"]] = request["time"]
    if "sync" in request:
        times["sync"] = request["sync"]
    return times


def main():
    log, records = sys.argv[1:]
    with open(records, encoding="utf-8") as file:
        records = list(map(json.loads, file))
    both = len({record["io"]["operation"] for record in records if "io" in record}) == 2
    latencies, stats, whole = {}, {}, []
    for record in records:
        phase = record.get("phase", "").replace("under load", "loaded")
        name = "#".join(filter(None, (record["target"]["path"], phase)))
        if "stat" in record:
            stat = record["stat"]
            apart = {**stat.get("breakdown", {}), **stat, "": stat}
            stats.update(("#".join(filter(None, (name, key))), value)
                         for key, value in apart.items())
        elif not record["io"]["ignored"]:
            whole.append(record["io"]["time"])
            for key, time in times_of(record["io"], both).items():
                tag = "#".join(filter(None, (name, key)))
                latencies.setdefault(tag, []).append(time)
    sums, all_of_them = read_log(log), empty()
    if set(sums) != set(latencies):
        print("tags", *sums)
    for tag, histogram in sums.items():
        if tag.split("#")[-1] not in PARTS:
            all_of_them.add(histogram)
        compare(tag, histogram, latencies[tag], stats[tag])
    compare("sum", all_of_them, whole, {})


main()
