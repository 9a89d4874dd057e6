"""Two builds of the contest by turns, round by round, so that a machine's moods hit both.

python3 compare.py BEFORE AFTER [rounds]: two programs built with `cargo bench --no-run`. A figure is the median of its rounds,
in brackets the least of them: nanoseconds per trigger.
"""
import statistics
import subprocess
import sys

SIZES = ("0", "1", "10", "100")


def start(program):
    return subprocess.Popen([program, "--bench", "--by-turns"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return [float(figure) for figure in process.stdout.readline().split()]


def main(before, after, rounds=61):
    processes = {"before": start(before), "after": start(after)}
    names = {side: process.stdout.readline().rstrip("\n").split("\t") for side, process in processes.items()}
    figures = {}
    for turn in range(int(rounds) + 1):
        for side in ("before", "after") if turn % 2 else ("after", "before"):
            for name, figure in zip(names[side], ask(processes[side])):
                if turn:  # the first round finds out how long a round is
                    figures.setdefault((*name.split("|"), side), []).append(figure)
    for process in processes.values():
        process.stdin.close()
        process.wait()
    rows = list(dict.fromkeys(row for row, _, _ in figures))
    print(f"{'nanoseconds per trigger: median (least)':<48}{'':<8}" + "".join(f"{size:>21}" for size in SIZES))
    for row in rows:
        for side in processes:
            cells = [figures.get((row, size, side)) for size in SIZES]
            if any(cells):
                shown = (f"{statistics.median(c):.1f} ({min(c):.1f})" if c else "" for c in cells)
                print(f"{row:<48}{side:<8}" + "".join(f"{cell:>21}" for cell in shown))


main(*sys.argv[1:])
