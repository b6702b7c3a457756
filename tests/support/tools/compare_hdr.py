"""Writes logs with PyPI's package hdrhistogram, and checks how ioping reads logs.

Usage: compare_hdr.py write LOG UNIT DIGITS RATIO SEED
       compare_hdr.py check JSON
       compare_hdr.py week LOG
       compare_hdr.py long LOG
       compare_hdr.py heat LOG SVG
       compare_hdr.py minutes LOG COUNT

The third form writes a week of intervals of a minute, without the third day. The fourth form
writes 20000 intervals of a second, with two long gaps, many short ones, and 10 slow minutes. Every
40th interval has enough values for p99. The fifth form recomputes a plot of such a log: the shade of each cell, the steps of each line, and the figures
of the answer, with its worst interval and its gaps. The sixth form writes COUNT intervals of a
minute, without pauses. The first form writes 40 intervals of 200 values of about 0.4 ms, which are in UNIT ns, with
DIGITS significant digits. Interval_Max is divided by RATIO. The second form reads the output of
"ioping -compare LOG... -JJ -percentiles 50,90,99,99.9", and compares each record with the sum
of the histograms of its log, or of one tag of its log, as the package reads it. The name of a
log ends in _UNIT. Prints what differs, or the name and the number of values.
"""
import collections
import json
import math
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


def write_long(path):
    random.seed(20)
    with open(path, "w", encoding="ascii") as file:
        writer = HistogramLogWriter(file)
        writer.output_legend()
        for second in range(28400):
            if 3000 <= second < 10800 or 15000 <= second < 15600:
                continue
            slow = 4 if 12000 <= second < 12600 else 1
            histogram = HdrHistogram(1, 60_000_000_000, 2)
            for _ in range(150 if second % 40 == 7 else second % 13):
                histogram.record_value(int(slow * random.lognormvariate(12, 1)))
            start = 1793577600 + second
            writer.output_interval_histogram(histogram, start, start + 1)


def write_minutes(path, count):
    with open(path, "w", encoding="ascii") as file:
        writer = HistogramLogWriter(file)
        writer.output_legend()
        for minute in range(int(count)):
            histogram = HdrHistogram(1, 60_000_000_000, 2)
            for value in range(200):
                histogram.record_value(2_000_000 + 10000 * value)
            start = 1793577600 + 60 * minute
            writer.output_interval_histogram(histogram, start, start + 60)


WIDTH, LEFT, TOP, HEIGHT, COLUMNS, CELLS = 860, 84, 128, 360, 160, 45
SHADES = [0, .1, .4, 1.6, 6.4, 25]
UNITS = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10, "h": 36e11}


def to_ns(text):
    """Returns the time of a text such as "2 h 10 min"."""
    words = text.split()
    return sum(float(number) * UNITS[unit] for number, unit in zip(words[::2], words[1::2]))


def rank(counts, percent):
    """Returns the middle of the bin that has the percentile."""
    left = math.ceil(sum(counts.values()) * percent / 100)
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return None


def read_intervals(path):
    """Returns the start, in seconds since the first, and the histogram of each interval."""
    intervals = []
    for line in open(path, encoding="ascii"):
        if line[0] not in '#"':
            start, _, _, encoded = line.split(",")
            intervals.append((round(float(start)), HdrHistogram.decode(encoded)))
    return [(start - intervals[0][0], histogram) for start, histogram in intervals]


def count_bins(histogram):
    """Returns the counts of a histogram, by the middles of the bins of ioping."""
    counts = collections.Counter()
    for item in histogram.get_recorded_iterator():
        lowest = histogram.get_lowest_equivalent_value(item.value_iterated_to)
        highest = histogram.get_highest_equivalent_value(item.value_iterated_to)
        counts[middle((lowest + highest + 1) // 2)] += item.count_added_in_this_iter_step
    return counts


def heat(path, svg_path):
    svg, intervals = open(svg_path, encoding="utf-8").read(), read_intervals(path)
    width = 2**30 / 1e9  # an interval of a second needs a column of at least 2^30 ns
    while intervals[-1][0] / width >= COLUMNS:
        width *= 2

    sums, total = {}, collections.Counter()
    for start, histogram in intervals:
        column = int(start / width)
        if histogram.get_total_count() and column in sums:
            sums[column].add(histogram)
        elif histogram.get_total_count():
            sums[column] = HdrHistogram(1, 60_000_000_000, 2)
            sums[column].add(histogram)
    columns = {column: count_bins(histogram) for column, histogram in sums.items()}
    for counts in columns.values():
        total.update(counts)
    number = max(columns) + 1

    ticks = re.findall(r'text-anchor="end">([0-9]+ (?:ns|\u00b5s|ms|s))<', svg)
    low, high = to_ns(ticks[0]), to_ns(ticks[-1])
    wrong = []

    def part(value):
        return math.log(value / low) / math.log(high / low)

    def left(column):
        return LEFT + WIDTH * column / number

    expected, found = {}, {}
    for column, counts in columns.items():
        cells = collections.Counter()
        for value, count in counts.items():
            cells[min(int(part(value) * CELLS), CELLS - 1)] += count
        for cell, count in cells.items():
            share = 100 * count / sum(counts.values())
            expected[column, cell] = max(i for i, least in enumerate(SHADES) if share > least)
    for shade, drawn in re.findall(r'class="heat heat(\d)[^"]*" d="([^"]*)"', svg):
        for x, y, end in re.findall(r"M([\d.]+),([\d.]+)H[\d.]+V([\d.]+)H", drawn):
            column = round((float(x) - LEFT) * number / WIDTH)
            for cell in range(round((TOP + HEIGHT - float(y)) / HEIGHT * CELLS),
                              round((TOP + HEIGHT - float(end)) / HEIGHT * CELLS)):
                found[column, cell] = int(shade)
    if expected != found:
        wrong.append(f"cells: {set(expected.items()) ^ set(found.items())}")

    def check_line(name, percent):
        """Compares the steps of a line."""
        drawn = re.search(rf'class="{name} t0" d="([^"]*)"', svg)
        steps, x, y = {}, 0, 0
        for command, one, _, two in re.findall(r"([MHV])([\d.]+)(,([\d.]+))?",
                                               drawn[1] if drawn else ""):
            if command == "V":
                y = float(one)
            elif command == "M":
                x, y = float(one), float(two)
            else:
                steps[round((x - LEFT) * number / WIDTH)] = y
                x = float(one)
        least = 100 / (100 - percent) - 1 if percent < 100 else 1
        wanted = {column: TOP + HEIGHT * (1 - part(rank(counts, percent)))
                  for column, counts in columns.items() if sum(counts.values()) >= least}
        differ = [column for column in wanted.keys() | steps.keys()
                  if abs(wanted.get(column, 0) - steps.get(column, 0)) > (.06 if percent < 100 else 1)]
        if differ or not wanted:
            wrong.append(f"{name}: {sorted(differ)}")

    check_line("p50", 50)
    check_line("p99", 99)
    check_line("max", 100)

    answer = re.search('class="answer"[^>]*>([^<]*)<', svg)[1]
    p50, p99, clock, worst, gap, gaps = re.fullmatch(
        r"p50 (.*), p99 (.*); worst at (.*) UTC: p99 (.*); no requests for (.*) in (\d+) gaps",
        answer).groups()
    known = [(rank(count_bins(histogram), 99), -start) for start, histogram in intervals
             if histogram.get_total_count() >= 99]
    slowest, second = max(known)
    for what, text, value in (("p50", p50, rank(total, 50)), ("p99", p99, rank(total, 99)),
                              ("worst", worst, slowest)):
        if abs(to_ns(text) - value) > .006 * value:
            wrong.append(f"{what}: {text}, not {value}")
    if clock != f"{-second // 3600:02}:{-second // 60 % 60:02}:{-second % 60:02}":
        wrong.append(f"at {clock}, not {-second}")
    times = [start for start, histogram in intervals if histogram.get_total_count()]
    missing = [end - start - 1 for start, end in zip(times, times[1:]) if end - start > 1]
    if abs(to_ns(gap) / 1e9 - sum(missing)) > 30 or int(gaps) != len(missing):
        wrong.append(f"{gaps} gaps of {gap}, not {missing}")
    print(sum(total.values()), *wrong)


if sys.argv[1] == "write":
    write(*sys.argv[2:])
elif sys.argv[1] == "week":
    write_week(sys.argv[2])
elif sys.argv[1] == "long":
    write_long(sys.argv[2])
elif sys.argv[1] == "minutes":
    write_minutes(*sys.argv[2:])
elif sys.argv[1] == "heat":
    heat(*sys.argv[2:])
else:
    check(sys.argv[2])
