"""Tests `hookspec serve` against its own OpenAPI document, with schemathesis.

    pip install schemathesis
    HOOKSPEC=path/to/hookspec python tests/openapi_fuzz.py [further arguments of schemathesis]

Left out: the event stream, which has no end; the check that whatever fits the document is accepted (that a model is
known or a workspace exists is not in it); and its opposite (a list is taken for an object with its fields in order).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOKEN = "ann-ann-ann-ann-ann"


def main():
    program = os.path.abspath(os.environ.get("HOOKSPEC", "target/debug/hookspec"))
    schemathesis = pathlib.Path(sys.executable).with_name("schemathesis")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "root").mkdir()
        tokens = folder / "tokens"
        tokens.write_text(f"ann {TOKEN}\n")
        tokens.chmod(0o600)
        (folder / "script.jsonl").write_text(json.dumps({"text": "hello", "repeat": True}))
        server = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--workspace", folder / "root", "--token-file", tokens,
             "--model", "replay:script.jsonl"],
            cwd=folder,
            env={"HOME": str(folder), "HOOKSPEC_HOME": str(folder / "home"), "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            base = server.stdout.readline().strip()
            tested = subprocess.run(
                [schemathesis, "run", f"{base}api/v2/openapi.json", "-H", f"Authorization: Bearer {TOKEN}",
                 "--exclude-path-regex", "/events$", "--exclude-checks", "positive_data_acceptance,negative_data_rejection",
                 "--request-timeout", "30", *sys.argv[1:]],
                cwd=folder,
                check=False,
            )
            assert server.poll() is None, "the server is gone"
        finally:
            server.terminate()
            ended = server.wait(timeout=60)
    sys.exit(tested.returncode or ended)


if __name__ == "__main__":
    main()
