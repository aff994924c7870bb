"""An honest agent on the standard library alone. Each broken agent beside it overrides one of its methods, and so shows one bug."""
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


def tool(name, description, *parameters):
    schema = {"type": "object", "properties": {word: {"type": "string"} for word in parameters}, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


class Agent:
    tools = [
        tool("write_file", "Write a file in the workspace.", "path", "content"),
        tool("read_file", "Read a file in the workspace.", "path"),
        tool("run_command", "Run a shell command in the workspace.", "command"),
    ]
    most_turns = 20
    most_attempts = 3

    def body(self, messages):
        """What is asked."""
        return {"model": os.environ["REHEARSAL_MODEL"], "messages": messages, "tools": self.tools}

    def may_pass(self, status):
        """Whether an error may be gone at the next attempt. 400 and 404 say that the request itself is wrong."""
        return status in (408, 409, 429) or status >= 500

    def echoed(self, message):
        """The model's turn as it goes back into the history: as it came."""
        return message

    def answers(self, results):
        """One answer for each call, under the id of its call."""
        return [{"role": "tool", "tool_call_id": call["id"], "content": text} for call, text in results]

    def arguments(self, call):
        """The arguments of a call. A text that is no JSON object was cut short or broken, and must not be run."""
        arguments = json.loads(call["function"]["arguments"])
        if not isinstance(arguments, dict):
            raise ValueError("the arguments are no object")
        return arguments

    def run(self, call):
        """What a call gives back to the model; a failure too."""
        try:
            return getattr(self, call["function"]["name"])(**self.arguments(call))
        except (ValueError, TypeError, AttributeError, OSError, subprocess.TimeoutExpired) as error:
            return f"error: {error}"

    def write_file(self, path, content):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content.encode())
        return f"wrote {path}"

    def read_file(self, path):
        return Path(path).read_text()

    def run_command(self, command):
        ran = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=10)
        return f"exit status {ran.returncode}\n{ran.stdout}{ran.stderr}"

    def ask(self, messages):
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
        request = urllib.request.Request(url, json.dumps(self.body(messages)).encode(), headers)
        for attempt in range(1, self.most_attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=30) as reply:
                    return json.load(reply)["choices"][0]["message"]
            except urllib.error.HTTPError as error:
                if attempt == self.most_attempts or not self.may_pass(error.code):
                    sys.exit(f"the model cannot be asked: {error}: {error.read().decode()}")
            time.sleep(0.1 * attempt)

    def work(self, prompt):
        messages = [{"role": "user", "content": prompt}]
        turn = 0
        while self.most_turns is None or turn < self.most_turns:
            turn += 1
            message = self.ask(messages)
            calls = message.get("tool_calls") or []
            if not calls:
                print(message["content"])
                return
            messages.append(self.echoed(message))
            messages += self.answers([(call, self.run(call)) for call in calls])
        sys.exit(f"no end after {turn} turns")


def main(agent):
    agent.work(os.environ["REHEARSAL_PROMPT"])
