"""gptme's registry: nanoseconds per trigger at 0, 1, 10 and 100 hooks (pip install gptme)."""
import statistics
import time

from gptme.hooks import HookType, clear_hooks, register_hook, trigger_hook


def hook(*args, **kwargs):
    return
    yield


def measure(hooks):
    clear_hooks()
    for number in range(hooks):
        register_hook(f"bench_{number}", HookType.TURN_POST, hook)
    rounds, calls = [], 1000 if hooks < 50 else 50
    for _ in range(21):
        began = time.perf_counter_ns()
        for _ in range(calls):
            for _ in trigger_hook(HookType.TURN_POST, manager=None):
                pass
        rounds.append((time.perf_counter_ns() - began) / calls)
    return statistics.median(rounds)


print("  ".join(f"{hooks}: {measure(hooks):.0f}" for hooks in (0, 1, 10, 100)))
