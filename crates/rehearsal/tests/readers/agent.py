"""An agent that asks once, prints what it is told and never does what it is asked for."""

import json
import os
import urllib.request

body = {
    "model": os.environ["REHEARSAL_MODEL"],
    "messages": [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}],
    "tools": [{
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Writes a file.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        },
    }],
}
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    json.dumps(body).encode(),
    {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["choices"][0]["message"]["content"])
