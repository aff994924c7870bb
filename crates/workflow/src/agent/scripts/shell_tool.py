"""The one tool of Rehearsal's small Python agents: a command in the current folder."""

import subprocess

NAME = "run_command"
DESCRIPTION = "Run a shell command in the workspace; gives its output and its exit status."
PARAMETERS = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "The command."}},
    "required": ["command"],
    "additionalProperties": False,
}


def run_command(command: str) -> str:
    """Run a shell command in the workspace; gives its output and its exit status."""
    try:
        ran = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        return "error: the command ran longer than 60 s"
    return f"{ran.stdout}exit status {ran.returncode}"


def answer(name, arguments):
    """What a call gives back, also where the model asks for what cannot be."""
    if name != NAME:
        return f"error: there is no tool {name}"
    if not isinstance(arguments, dict) or not isinstance(arguments.get("command"), str):
        return "error: the arguments must be an object with a text `command`"
    return run_command(arguments["command"])
