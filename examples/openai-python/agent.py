"""A whole agent on the official `openai` package, plain or with --stream. Retries are left to the package."""
import json
import os
import subprocess
import sys
from pathlib import Path

from openai import LengthFinishReasonError, OpenAI


def tool(name, description, *parameters):
    schema = {"type": "object", "properties": {word: {"type": "string"} for word in parameters}, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def write_file(path, content):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content.encode())
    return f"wrote {path}"


def read_file(path):
    return Path(path).read_bytes().decode()


def run_command(command):
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=10)
    return f"exit status {ran.returncode}\n{ran.stdout}{ran.stderr}"


RUN = {"write_file": write_file, "read_file": read_file, "run_command": run_command}
TOOLS = [
    tool("write_file", "Write a file in the workspace.", "path", "content"),
    tool("read_file", "Read a file in the workspace.", "path"),
    tool("run_command", "Run a shell command in the workspace.", "command"),
]


def call(function):
    """What a call gives back to the model. Arguments that were cut short or broken are not run; the model is told."""
    try:
        return RUN[function.name](**json.loads(function.arguments))
    except (ValueError, TypeError, KeyError, OSError, subprocess.TimeoutExpired) as error:
        return f"error: {error!r}"


def ask(client, stream, messages):
    asked = {"model": os.environ["REHEARSAL_MODEL"], "messages": messages, "tools": TOOLS}
    if not stream:
        return client.chat.completions.create(**asked).choices[0].message
    try:
        with client.chat.completions.stream(**asked) as events:
            return events.get_final_completion().choices[0].message
    except LengthFinishReasonError as cut:
        # Streamed, the package raises what it returns otherwise: an answer that hit the length limit.
        return cut.completion.choices[0].message


def main():
    client = OpenAI()
    messages = [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}]
    for _ in range(20):
        message = ask(client, "--stream" in sys.argv, messages)
        if not message.tool_calls:
            print(message.content)
            return
        messages.append(message.model_dump(exclude_none=True))
        for made in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": made.id, "content": call(made.function)})
    sys.exit("no end after 20 turns")


main()
