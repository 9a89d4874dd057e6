"""pluggy: nanoseconds per trigger at 0, 1, 10 and 100 hooks (pip install pluggy)."""
import statistics
import time

import pluggy

spec, impl = pluggy.HookspecMarker("bench"), pluggy.HookimplMarker("bench")


class Spec:
    @spec
    def file_post_save(self, path, content, created):
        """After a file was saved."""


class Plugin:
    @impl
    def file_post_save(self, path, created):
        return None


def measure(hooks):
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for _ in range(hooks):
        manager.register(Plugin())
    trigger, rounds, calls = manager.hook.file_post_save, [], 2000 if hooks < 50 else 200
    for _ in range(21):
        began = time.perf_counter_ns()
        for _ in range(calls):
            trigger(path="/tmp/a.py", content="abc", created=True)
        rounds.append((time.perf_counter_ns() - began) / calls)
    return statistics.median(rounds)


print("  ".join(f"{hooks}: {measure(hooks):.0f}" for hooks in (0, 1, 10, 100)))
