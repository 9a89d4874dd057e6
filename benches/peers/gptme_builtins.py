"""gptme's default hooks on one tool call: microseconds, with a log of 2 000 messages (pip install gptme).

Token awareness is left out: it waits for a vocabulary from the network, which no bench may need.
"""
import logging
import statistics
import tempfile
import time
from pathlib import Path

from gptme.hooks import HookType, get_hooks, init_hooks, trigger_hook, unregister_hook
from gptme.hooks.types import ToolExecutePostData, ToolExecutePreData
from gptme.llm.models import set_default_model
from gptme.logmanager import Log
from gptme.message import Message
from gptme.tools.base import ToolUse

logging.disable(logging.CRITICAL)
set_default_model("openai/gpt-4o")
init_hooks(interactive=True)
for hook in get_hooks():
    if hook.name.startswith("token_awareness"):
        unregister_hook(hook.name, hook.hook_type)
text = "some words of a conversation, " * 16
log = Log([Message(role, f"message {n}: {text}") for n in range(1000) for role in ("user", "assistant")])
workspace = Path(tempfile.mkdtemp())
figures = []
for number in range(120):
    call = ToolUse("save", ["src/a.py"], f"# {number}\n" + "print('hello, world')\n" * 200)
    result = [Message("system", "Saved to src/a.py")]
    began = time.perf_counter()
    pre = ToolExecutePreData(log=log, workspace=workspace, tool_use=call)
    list(trigger_hook(HookType.TOOL_EXECUTE_PRE, pre))
    list(trigger_hook(HookType.FILE_SAVE_PRE, log=log, workspace=workspace, path=workspace / "a", content=""))
    list(trigger_hook(HookType.FILE_SAVE_POST, log=log, workspace=workspace, path=workspace / "a", content="", created=False))
    post = ToolExecutePostData(log=log, workspace=workspace, tool_use=call, result_msgs=result)
    list(trigger_hook(HookType.TOOL_EXECUTE_POST, post))
    if number >= 20:
        figures.append((time.perf_counter() - began) * 1e6)
print(f"{statistics.median(figures):.0f} microseconds a tool call, without its token awareness")
