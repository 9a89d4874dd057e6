"""Drives `hookspec serve` with the client that comes with gptme.

    pip install --no-deps gptme && pip install requests
    HOOKSPEC=path/to/hookspec python tests/gptme_client.py

The client's file is loaded by itself: nothing else of gptme is needed, and none of it is changed.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import requests

TOKEN = "ann-ann-ann-ann-ann"


def load_client():
    path = importlib.metadata.distribution("gptme").locate_file("gptme/server/client.py")
    spec = importlib.util.spec_from_file_location("gptme_client", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gptme_client"] = module
    spec.loader.exec_module(module)
    return module.GptmeApiClient


def save(path, content):
    return {"text": "On it.", "tool_calls": [{"tool": "save", "kwargs": {"path": path, "content": content}}]}


SCRIPT = [
    {"text": "Hello from the server."},
    save("auto.txt", "auto\n"),
    {"text": "Saved."},
    save("asked.txt", "asked\n"),
    {"text": "Saved."},
    save("edited.txt", "before\n"),
    {"text": "Saved."},
    save("skipped.txt", "no\n"),
    {"text": "word " * 500, "chunk_size": 5, "delay_ms": 20},
]


def until(stream, kind):
    for event in stream:
        assert event.type != "error", event
        if event.type == kind:
            return event
    raise AssertionError(f"the stream ended without {kind}")


def play(client, base, root):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    made = requests.put(f"{base}/api/v2/conversations/demo", json={}, headers=headers, timeout=10)
    made.raise_for_status()
    assert made.json()["status"] == "ok" and made.json()["conversation_id"] == "demo"

    # The client's own whole run: a session, a step with a prompt, events to the end.
    assert client.execute_conversation("demo", "hi") == (True, None)
    log = requests.get(f"{base}/api/v2/conversations/demo", headers=headers, timeout=10).json()["log"]
    assert [message["content"] for message in log if not message.get("hide")] == ["hi", "Hello from the server."]

    session = client.create_session("demo")
    assert session == made.json()["session_id"]

    def turn(text, auto_confirm=False):
        answer = client.take_step("demo", session, text, auto_confirm=auto_confirm)
        assert answer["status"] == "ok" and answer["session_id"] == session
        return client.stream_events("demo", session)

    # Confirmed beforehand.
    until(turn("save", auto_confirm=True), "rested")
    assert (root / "auto.txt").read_text() == "auto\n"

    # Asked: confirmed, edited, skipped.
    for name, action, content in [
        ("asked.txt", "confirm", "asked\n"),
        ("edited.txt", "edit", "after\n"),
        ("skipped.txt", "skip", None),
    ]:
        events = turn(f"save {name}")
        pending = until(events, "tool_pending").data
        assert pending["tooluse"]["tool"] == "save" and isinstance(pending["tooluse"]["args"], list)
        answer = client.confirm_tool(
            "demo", session, pending["tool_id"], action, content if action == "edit" else None
        )
        assert answer["status"] == "ok"
        until(events, "rested")
        assert (root / name).exists() == (content is not None), name
        if content is not None:
            assert (root / name).read_text() == content

    events = turn("talk")
    until(events, "generation_progress")
    assert client.interrupt("demo", session)["status"] == "ok"
    until(events, "interrupted")
    until(events, "rested")

    # A forged session is an error that the client sees.
    try:
        client.take_step("demo", "0" * 32, "x")
    except requests.HTTPError as error:
        assert error.response.status_code == 404 and error.response.json()["error"]
    else:
        raise AssertionError("a forged session id was taken")


def main():
    client_class = load_client()
    program = os.path.abspath(os.environ.get("HOOKSPEC", "target/debug/hookspec"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        root = folder / "root"
        root.mkdir()
        tokens = folder / "tokens"
        tokens.write_text(f"ann {TOKEN}\n")
        tokens.chmod(0o600)
        (folder / "script.jsonl").write_text("\n".join(json.dumps(line) for line in SCRIPT))
        server = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--workspace", root, "--token-file", tokens,
             "--model", "replay:script.jsonl"],
            cwd=folder,
            env={"HOME": str(folder), "HOOKSPEC_HOME": str(folder / "home"), "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            base = server.stdout.readline().strip().rstrip("/")
            with client_class(base, TOKEN) as client:
                play(client, base, root)
        finally:
            server.terminate()
            server.wait(timeout=30)
    print("gptme's client works")


if __name__ == "__main__":
    main()
