"""An orchestrator that talks A2A with its daemon: one task, read until it is over, or left where the first argument says so."""
import json
import os
import sys
import time
import urllib.request
import uuid
from pathlib import Path

BASE = os.environ["REHEARSAL_DAEMON_URL"].removesuffix("/v2") + "/a2a"
TOKEN = (Path(os.environ["REHEARSAL_DAEMON_CONFIG_DIR"]) / "daemon" / "token").read_text().strip()


def ask(path, body=None):
    headers = {"Authorization": f"Bearer {TOKEN}", "A2A-Version": "1.0", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(BASE + path, data, headers), timeout=10) as answer:
        return json.load(answer)


message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": os.environ["REHEARSAL_PROMPT"]}]}
task = ask("/message:send", {"message": message, "configuration": {"returnImmediately": True}})["task"]
while "leave" not in sys.argv and task["status"]["state"] not in ("TASK_STATE_COMPLETED", "TASK_STATE_FAILED"):
    time.sleep(0.02)
    task = ask(f"/tasks/{task['id']}")
print(task["status"]["state"])
