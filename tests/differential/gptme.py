"""Writes the tables of this folder: inputs, and what gptme's own hooks did with them.

    pip install gptme==0.35.1
    python3 tests/differential/gptme.py

Each table below holds rows of (name, input) or (name, input, why, ours): `why` says on purpose what hookspec does
otherwise, and `ours` what that is. The functions at the top run a row through the real hook of gptme, and bring what
it said into the form in which the two are compared. `tests/tests/differential.rs` does the same with ours.
"""

import contextlib
import json
import os
import re
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

# No vocabulary is fetched: gptme then counts four characters as a token, which the texts here are made for.
os.environ["GPTME_TIKTOKEN_TIMEOUT"] = "0"

sys.path.pop(0)  # this file's own folder: it has the name of what is imported
import gptme
import gptme.llm.models
import gptme.tools
from gptme.hooks import cost_awareness, form_autodetect, markdown_validation, time_awareness, token_awareness
from gptme.message import Message
from gptme.util import console
from gptme.util.cost_tracker import CostEntry, CostTracker

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LOGDIR = Path("/nowhere/conversation")


def fresh():
    """Forgets what the hooks keep in context variables."""
    for module in (token_awareness, time_awareness, cost_awareness):
        for name, value in vars(module).items():
            if name.endswith("_var"):
                value.set(None)
    CostTracker.reset()


def words(tokens):
    return Message("user", " the" * tokens)


# --- tokens


def run_tokens(row):
    """The log at each tool call, as sizes of messages; what is said, as used/budget and what is left."""
    fresh()
    model = SimpleNamespace(context=row["context"], model="test") if row["context"] else None
    gptme.llm.models.get_default_model = lambda: model
    workspace = Path("/w") if row["workspace"] else None
    said = []
    for sizes in row["logs"]:
        log = SimpleNamespace(messages=[words(size) for size in sizes])
        data = SimpleNamespace(log=log, workspace=workspace)
        messages = list(token_awareness.add_token_usage_warning(data))
        found = [re.search(r"Token usage: (\d+/\d+); (-?\d+) remaining", m.content) for m in messages]
        said.append(" ".join(found[0].groups()) if found else None)
    return said


def grown(*counts):
    return [[1000] * count for count in counts]


def tokens_row(logs, context=100_000, workspace=True):
    return {"context": context, "workspace": workspace, "logs": logs}


EDGES = [
    ("just below and at ten thousand", tokens_row([[9_999], [9_999, 1], [9_999, 1, 9_999], [9_999, 1, 9_999, 1]])),
    ("all marks, one token early and exact", tokens_row([
        [49_999], [49_999, 1], [49_999, 1, 9_999], [74_999], [50_000, 24_999, 1], [50_000, 39_999], [50_000, 40_000],
    ]), "messages that were taken back and replaced are counted again", [
        "49999/100000 50001", "50000/100000 50000", None, "74999/100000 25001", "75000/100000 25000",
        "89999/100000 10001", "90000/100000 10000",
    ]),
    ("marks, one token early and exact", tokens_row([
        [49_999], [49_999, 1], [49_999, 1, 24_999], [49_999, 1, 24_999, 1], [49_999, 1, 24_999, 1, 14_999],
        [49_999, 1, 24_999, 1, 14_999, 1], [49_999, 1, 24_999, 1, 14_999, 1, 4_999],
        [49_999, 1, 24_999, 1, 14_999, 1, 4_999, 1],
    ])),
    ("a small context", tokens_row([[499], [499, 1], [499, 1, 250], [499, 1, 250, 150], [499, 1, 250, 150, 50]], 1_000)),
    ("all marks at once", tokens_row([[96_000], [96_000, 3_000]])),
]

TOKENS = [
    ("counts of the reference's own test", tokens_row(grown(5, 9, 10, 19, 20, 49, 50, 59, 75, 76, 89, 90, 95))),
    ("a first call that is past a mark", tokens_row([[110_000]], 200_000)),
    ("five thousand, and five thousand more", tokens_row([[5_000], [5_000, 5_000]], 200_000)),
    ("nothing new", tokens_row([[5_000], [5_000]], 200_000)),
    ("an empty log", tokens_row([[]])),
    ("no model", tokens_row([[90_000]], None)),
    *EDGES,
    ("a log that shrinks and grows a little", tokens_row(grown(20, 5, 12))),
    ("a log that shrinks and grows again", tokens_row(grown(20, 5, 15)),
     "the count is right after an undo, and what was said falls with it",
     ["20000/100000 80000", None, "15000/100000 85000"]),
    ("a compaction", tokens_row([[1000] * 60, [8_000], [8_000, 500], [8_000] + [1000] * 12]),
     "the count is right after a compaction", ["60000/100000 40000", None, None, "20000/100000 80000"]),
    ("an edit that keeps the length", tokens_row([[10_000, 10_000], [10_000, 45_000]]),
     "an edited message is counted again", ["20000/100000 80000", "55000/100000 45000"]),
    ("beyond the budget", tokens_row([[1_250]], 1_000),
     "it says by how much it is over, not a negative number", ["1250/1000 over 250"]),
    ("no workspace", tokens_row([[50_000], [50_000]], 200_000, False),
     "state belongs to the session, so that one without a workspace is no special case",
     ["50000/200000 150000", None]),
]


def run_budget(row):
    fresh()
    model = SimpleNamespace(context=row["context"], model="test") if row["context"] else None
    gptme.llm.models.get_default_model = lambda: model
    return [m.content for m in token_awareness.add_token_budget(LOGDIR, None, [])]


BUDGET = [(f"context {context}", {"context": context}) for context in (1, 128_000, 1_047_576)] + [
    ("no model", {"context": None}),
]

# --- time


def run_time(row):
    """Tool calls, minutes after the session's first message; the time that is said to have passed."""
    fresh()
    log = SimpleNamespace(messages=[Message("user", "go", timestamp=NOON)])
    said = []
    for minutes in row["minutes"]:
        time_awareness.clock = SimpleNamespace(now=lambda at=minutes: NOON + timedelta(minutes=at))
        data = SimpleNamespace(log=log, workspace=Path("/w") if row["workspace"] else None)
        found = [re.search(r"Time elapsed: (.*?) since", m.content) for m in time_awareness.add_time_message(data)]
        said.append(found[0].group(1) if found else None)
    return said


def time_row(*minutes, workspace=True):
    return {"minutes": list(minutes), "workspace": workspace}


SINGLE = [0, 0.99, 1, 4, 4.99, 5, 9, 10, 14, 15, 19, 20, 29, 30, 31, 40, 59, 60, 65, 119, 120, 125, 600, 1439]
TIME = [(f"one call after {minutes} minutes", time_row(minutes)) for minutes in SINGLE] + [
    ("one after the other", time_row(*SINGLE)),
    ("a milestone is said once", time_row(2, 2, 3, 6, 7, 25, 25, 25)),
    ("what was skipped is not caught up", time_row(17, 18, 19, 20)),
    ("no workspace", time_row(5, 30, workspace=False)),
    ("more than a day", time_row(1500), "hours go on counting, as in the release the built-in follows", ["25h"]),
]

# --- cost


def said_of_cost(texts):
    """The numbers that a warning is about."""
    said = []
    for text in texts:
        if "cold" in text:
            said.append("cold")
            continue
        cost = re.search(r"Session cost reached (?:at least )?\$([\d.,]+)", text)
        budget = re.search(r"([\d.]+%) of \$([\d.,]+) budget", text)
        numbers = re.search(r"tokens: ([\d,]+/[\d,]+) in/out, cache hit: ([\d.]+%)", text)
        tokens = re.search(r"token usage reached ([\d,]+) \(([\d.]+%) of ([\d,]+) token budget", text)
        parts = [part for match in (cost, budget, numbers, tokens) if match for part in match.groups()]
        said.append(" ".join(parts))
    return said


def run_cost(row):
    """Turns of requests, and what the request after each of them says."""
    fresh()
    for name in ("GPTME_SESSION_BUDGET_USD", "GPTME_SESSION_BUDGET_TOKENS", "GPTME_BUDGET_WARN_PCT"):
        os.environ.pop(name, None)
    for key, name in (("budget_usd", "GPTME_SESSION_BUDGET_USD"), ("budget_tokens", "GPTME_SESSION_BUDGET_TOKENS"),
                      ("warn_pct", "GPTME_BUDGET_WARN_PCT")):
        if key in row["settings"]:
            os.environ[name] = str(row["settings"][key])
    now = [NOON.timestamp()]
    cost_awareness.time = SimpleNamespace(time=lambda: now[0])
    list(cost_awareness.session_start_cost_tracking(LOGDIR, None, []))
    said = []
    for turn in row["turns"]:
        list(cost_awareness.record_turn_start_costs(None))
        for model, micro, *usage in turn["requests"]:
            usage = dict(zip(("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"), usage))
            CostTracker.record(CostEntry(timestamp=now[0], model=model, cost=micro / 1_000_000, **usage))
        list(cost_awareness.cost_warning_hook(None))
        now[0] += turn["wait"]
        if turn["next"] is None:
            said.append(None)
            continue
        messages = [Message(role, "go") for role in turn["log"]]
        texts = []
        for hook in (cost_awareness.cache_cold_warning_hook, cost_awareness.inject_pending_warning):
            with open(os.devnull, "w") as quiet, contextlib.redirect_stdout(quiet):
                texts += [m.content for m in hook(messages, model=turn["next"])]
        said.append(said_of_cost(texts))
    return said


CLAUDE = "anthropic/claude-sonnet-4-5"
DIRECT = "claude-sonnet-4-5"
GPT = "openai/gpt-5"


def turn(*requests, wait=0, next=GPT, log=("user",)):
    """Requests as cents, or as [model, millionths of a dollar, input, output, cache read, cache written]."""
    requests = [r if isinstance(r, list) else [GPT, round(r * 10_000), 10, 10, 0, 0] for r in requests]
    return {"requests": requests, "wait": wait, "next": next, "log": list(log)}


def cost_row(*turns, **settings):
    return {"settings": settings, "turns": list(turns)}


def spent(micro):
    return turn([GPT, micro, 10, 10, 0, 0])


def used(*tokens):
    return turn([GPT, 0, *tokens])


def cached(model, wait, next, creation=100):
    return cost_row(turn([model, 0, 10, 1, 0, creation], wait=wait, next=next))


MARKS = [10, 50, 100, 500, *range(1000, 10_001, 1000), 20_000, 50_000, 100_000]
EACH = [spent(round((b - a) * 10_000)) for a, b in zip([0, *MARKS], MARKS)]
EARLY = [spent(step) for a, b in zip([0, *MARKS], MARKS) for step in ((b - a) * 10_000 - 1, 1)]
START = "a setting that makes no sense stops the program at its start"
COLD = "one mechanism notices cold caches, and says it once"
SCALE = "all sums are whole millionths of a dollar"

COST = [
    ("nothing spent", cost_row(turn())),
    ("five cents and six", cost_row(turn(5), turn(6))),
    ("sixty cents at once", cost_row(turn(60))),
    ("three cents between two marks", cost_row(turn(60), turn(3))),
    ("several marks at once", cost_row(turn(700))),
    ("a mark in the first of two requests", cost_row(turn(11, 1))),
    ("a turn without an answer", cost_row(turn(11), turn(), turn(1)),
     "a request that was not answered has not delivered its warnings",
     [["0.11 10/10 0.0%"], ["0.11 10/10 0.0%"], []]),
    ("every mark, exactly", cost_row(*EACH), SCALE, "each"),
    ("every mark, a millionth early", cost_row(*EARLY), SCALE, "each"),
    ("ten times one cent", cost_row(*[turn(1)] * 10), SCALE, [[]] * 9 + [["0.10 100/100 0.0%"]]),
    ("a share of the budget", cost_row(turn(79), turn(2), budget_usd="1")),
    ("another share of the budget", cost_row(turn(45), turn(5), turn(45), budget_usd="2", warn_pct="25"),
     SCALE, [["0.45 10/10 0.0%"], ["0.50 25% 2.00 20/20 0.0%"], []]),
    ("the whole budget", cost_row(turn(95), turn(5), turn(50), budget_usd="1", warn_pct="100")),
    ("a share of the token budget", cost_row(used(799, 0, 0, 0), used(1, 0, 0, 0), budget_tokens="1000")),
    ("all kinds of tokens count", cost_row(used(200, 200, 200, 200), budget_tokens="1000")),
    ("both budgets", cost_row(turn(85, 1), budget_usd="1", budget_tokens="40")),
    ("a budget that is never reached", cost_row(turn(30), budget_usd="50", budget_tokens="100000")),
    ("numbers", cost_row(turn([GPT, 120_000, 1234, 56, 1000, 10]))),
    ("large numbers", cost_row(turn([GPT, 1_234_560_000, 1_234_567, 1_000, 0, 0])),
     "thousands of dollars are set apart too", [["1,234.56 1,234,567/1,000 0.0%"]]),
    *[(f"budget_usd = {value}", cost_row(turn(11), budget_usd=value), START, "error")
      for value in ("nan", "inf", "-inf", "0", "-1", "much")],
    *[(f"budget_tokens = {value}", cost_row(turn(11), budget_tokens=value), START, "error")
      for value in ("0", "-5", "1.5", "many")],
    *[(f"warn_pct = {value}", cost_row(turn(79), turn(2), budget_usd="1", warn_pct=value), START, "error")
      for value in ("150", "0", "-1", "nan", "most")],
    ("a hook spoke behind the user", cost_row(turn(11, log=("user", "system"))),
     "warnings wait for the turn's first request, whatever another hook put behind the user's message",
     [["0.11 10/10 0.0%"]]),
    ("an empty log", cost_row(turn(11, log=())), "the same", [["0.11 10/10 0.0%"]]),
    ("a turn that ends before its request", cost_row(turn(11, next=None), turn(45)),
     "no warning displaces another", [None, ["0.11 10/10 0.0%", "0.56 20/20 0.0%"]]),
    ("a cache of 60 s", cached(DIRECT, 60, CLAUDE)),
    ("a cache of 300 s", cached(DIRECT, 300, CLAUDE)),
    ("a cache of 301 s", cached(DIRECT, 301, DIRECT)),
    ("a cache of seven minutes", cached(DIRECT, 420, DIRECT)),
    ("nothing in the cache", cached(DIRECT, 420, DIRECT, 0)),
    ("a newer request", cost_row(turn([DIRECT, 0, 10, 1, 0, 100], wait=570, next=None),
                                 turn([DIRECT, 0, 10, 1, 100, 0], wait=30, next=DIRECT))),
    ("a cache under two names", cached(DIRECT, 420, CLAUDE)),
    ("a cache, with the provider's name", cached(CLAUDE, 420, CLAUDE), COLD, [["cold"]]),
    ("a cache that this request does not use", cached(CLAUDE, 420, GPT),
     "only the cache of the model that is about to be asked matters", [[]]),
    ("another provider's cache", cached("any/model", 420, "any/model"),
     "any provider that reports writes has a cache", [["cold"]]),
    ("a cold cache and a mark", cost_row(turn([CLAUDE, 110_000, 10, 1, 0, 100], wait=420, next=CLAUDE)),
     "a cold cache displaces no other warning", [["cold", "0.11 10/1 0.0%"]]),
]


def each(row):
    """What exact sums say of the rows that go through all marks."""
    total, tokens, passed, said = 0, 0, 0, []
    for turn in row["turns"]:
        total += turn["requests"][0][1]
        tokens += 10
        due = passed < len(MARKS) and total >= MARKS[passed] * 10_000
        passed += due
        said.append([f"{total / 1_000_000:,.2f} {tokens}/{tokens} 0.0%"] if due else [])
    return said


def run_summary(row):
    """The line at the session's end: cost, requests, context, cache."""
    fresh()
    list(cost_awareness.session_start_cost_tracking(LOGDIR, None, []))
    for micro, *usage in row["requests"]:
        CostTracker.record(CostEntry(0.0, GPT, *usage, cost=micro / 1_000_000))
    lines = []
    console.log = lines.append
    list(cost_awareness.session_end_cost_summary(None))
    pattern = r"\$([\d.,]+) \| (\d+) turns \| (\d+k?) context \| (\d+%) cached"
    return [" ".join(re.search(pattern, line).groups()) for line in lines]


SUMMARY = [
    ("no request", {"requests": []}),
    ("for free", {"requests": [[0, 10, 10, 0, 0]]}),
    ("one", {"requests": [[120_000, 1234, 56, 1000, 10]]}),
    ("several", {"requests": [[120_000, 1234, 56, 1000, 10], [30_000, 999, 1, 0, 0]]}),
    ("a thousand tokens", {"requests": [[30_000, 600, 1, 300, 100]]}),
    ("all from the cache", {"requests": [[1_000_000, 0, 1, 123_456, 0]]}),
]

# --- markdown


def run_markdown(text):
    message = Message("assistant", text)
    manager = SimpleNamespace(log=SimpleNamespace(messages=[message]))
    return bool(list(markdown_validation.validate_markdown_on_message_complete(manager)))


def save(path, content):
    return f"Here it is:\n\n```save {path}\n{content}\n```\n"


HASH = "a line that is a comment, not a heading, is no sign of a block that was cut off"
MARKDOWN = [
    ("no block", "# Title\n\nSome text."),
    ("a block that is no tool's", "```python\nx = 1\n# done\n```"),
    ("code", save("hello.py", 'print("hello")')),
    ("a heading at the end", save("notes.md", "Text\n\n# Header")),
    ("a deeper heading at the end", save("notes.md", "Text\n\n### Usage")),
    ("blank lines behind it", save("notes.md", "Text\n\n# Header\n\n  \n")),
    ("spaces before it", save("notes.md", "Text\n\n  # Header")),
    ("a heading in the middle", save("notes.md", "# Header\n\nText")),
    ("a colon at the end", save("notes.md", "Title:")),
    ("the last block counts", save("a.md", "# Header") + "\n" + save("b.md", "Text")),
    ("the last block is cut off", save("a.md", "Text") + "\n" + save("b.md", "# Header")),
    ("a line that runs a shell", save("run.sh", "#!/bin/sh"), HASH, False),
    ("a line of the preprocessor", save("a.h", "int x;\n#endif"), HASH, False),
    ("a comment in Python", save("a.py", "x = 1\n# done"), HASH, False),
    ("a comment in a command", "```shell\nls\n# done\n```\n", HASH, False),
    ("a word with a hash", save("notes.md", "Text\n#hashtag"), HASH, False),
]

# --- form


def run_form(text):
    """Whether the heuristic and the limits let a model be asked about this text."""
    asked = []
    form_autodetect._parse_options_with_llm = lambda text: asked.append(text)
    gptme.tools.has_tool = lambda name: True
    form_autodetect.get_config = lambda: SimpleNamespace(get_env_bool=lambda name: True)
    list(form_autodetect.form_autodetect_hook(Message("assistant", text)))
    return bool(asked)


PAD = "There are some ways to go on from here, and each of them has its price. "
LIST = "a list that nobody asks about is just a list"
NONE = "without a list there is nothing to pick"
FORM = [
    ("numbers", PAD + "Which would you prefer?\n\n1. One\n2. Two\n"),
    ("numbers with brackets", PAD + "Which would you prefer?\n\n1) One\n2) Two\n"),
    ("letters", PAD + "Which one do you like?\n\na. One\nb. Two\n"),
    ("bullets", PAD + "Which one do you like?\n\n- One\n- Two\n"),
    ("stars", PAD + "Which one do you like?\n\n* One\n* Two\n"),
    ("a header", PAD + "\n\nOptions:\n- One\n- Two\n"),
    ("a phrase behind the list", PAD + "\n\n- One\n- Two\n\nPlease choose one.\n"),
    ("plain text", PAD + "I have done all that, and the tests pass."),
    ("one item", PAD + "I did this:\n\n1. One\n"),
    ("short", "Which one?\n- One\n- Two"),
    ("exactly 49 characters", ("Which one?\n- One\n- Two" + " x" * 20)[:49]),
    ("exactly 50 characters", ("Which one?\n- One\n- Two" + " x" * 20)[:50]),
    ("exactly 5000 characters", "x" * (5000 - 25) + "\n\nWhich one?\n- One\n- Two\n"),
    ("exactly 5001 characters", "x" * (5001 - 25) + "\n\nWhich one?\n- One\n- Two\n"),
    ("a form already", PAD + "Which one?\n- One\n- Two\n\n```form\nselection: Which? [One, Two]\n```\n"),
    ("abbreviations", PAD + "\ne.g. foo\ni.e. bar\n"),
    ("select the option", PAD + "You have to select the option in the menu."),
    ("a list of what was done", PAD + "I did this.\n\n- One\n- Two\n", LIST, False),
    ("steps", PAD + "To set it up, follow these.\n\n1. Install it\n2. Run it\n", LIST, False),
    ("a phrase alone", PAD + "You can choose one of them at any time.", NONE, False),
    ("a question alone", PAD + "Which option is it to be, the first or the second", NONE, False),
]


def table(name, run, rows, derive=None):
    written = []
    for title, given, *rest in rows:
        row = {"name": title, "input": given, "gptme": run(given)}
        if rest:
            why, ours = rest
            ours = derive(given) if derive and ours == "each" else ours
            if ours != row["gptme"]:
                row |= {"differs": why, "ours": ours}
            elif rest[1] != "each":
                sys.exit(f"{name}, `{title}`: is said to differ, and does not")
        written.append(row)
    head = json.dumps({"hook": name, "reference": f"gptme {gptme.__version__}"})[:-1]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in written)
    path = Path(__file__).with_name(f"{name}.json")
    path.write_text(f'{head}, "rows": [\n{lines}\n]}}\n')
    print(f"{path.name}: {len(written)} rows, {sum('differs' in row for row in written)} differ on purpose")


if __name__ == "__main__":
    gptme.tools.init_tools(["save", "append", "patch", "shell"], include_mcp=False)
    table("token_usage", run_tokens, TOKENS)
    table("token_budget", run_budget, BUDGET)
    table("time", run_time, TIME)
    table("cost", run_cost, COST, each)
    table("cost_summary", run_summary, SUMMARY)
    table("markdown", run_markdown, MARKDOWN)
    table("form", run_form, FORM)
