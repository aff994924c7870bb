"""A client of an agent-run daemon, protocol major 3, with the standard library alone.

What it does about trouble is what the protocol asks of a client: whatever must happen once has a key that is made before the first
attempt; a lost answer is asked for once more under the same key; the code of a refusal is read before anything else.
"""
import http.client
import json
import os
import urllib.parse
import uuid
from pathlib import Path

TIMEOUT = 10.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Refused(Exception):
    """The daemon said no, for good. `code` says why."""

    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


class Lost(Exception):
    """No answer came that can be read: what was asked for may have happened, or not."""


class Client:
    def __init__(self, config_dir):
        self.find(Path(config_dir) / "daemon" / "control-api.json")
        self.sends_messages = False

    def find(self, descriptor):
        """Where the daemon listens, and its secret."""
        found = json.loads(descriptor.read_text())
        self.host, self.port = found["host"], found["port"]
        if self.host not in LOOPBACK:
            raise SystemExit("daemon_endpoint_not_loopback")
        self.token = Path(found["tokenPath"]).read_text().strip()

    def headers(self):
        return {"Authorization": f"Bearer {self.token}", "X-Claudexor-Protocol-Major": "3"}

    def ask(self, method, path, body=None, key=None):
        """Status and body of an answer. Lost where none came, or one that is no JSON."""
        headers = self.headers()
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            status, text = answer.status, answer.read()
            found = json.loads(text) if text else {}
            if not isinstance(found, dict):
                raise Lost(f"{status} is no object")
            return status, found
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Lost(type(error).__name__) from None
        finally:
            connection.close()

    def call(self, method, path, body=None, key=None):
        """The body of an answer that is none of the refusals."""
        status, found = self.ask(method, path, body, key)
        if status >= 500 or status in (408, 429):
            raise Lost(str(status))
        if status >= 400:
            raise Refused(status, found.get("code", "unknown"))
        return found

    def once(self, path, body):
        """What must happen once: one key, one body, and a second attempt with both where the first answer was lost."""
        key = self.fresh_key()
        try:
            return self.call("POST", path, body, key)
        except Lost:
            return self.call("POST", path, body, self.key_again(key))

    def fresh_key(self):
        return str(uuid.uuid4())

    def key_again(self, key):
        return key

    def read(self, path):
        """Looking changes nothing, so that it may be tried twice."""
        try:
            return self.call("GET", path)
        except Lost:
            return self.call("GET", path)

    def greet(self):
        """The handshake, and whether live messages can be sent: what cannot be read counts as no."""
        found = self.call("POST", "/v2/handshake", {"protocolMajor": 3, "client": "example-orchestrator"})
        if found.get("protocolMajor") != 3:
            raise SystemExit("the daemon speaks another major version")
        self.sends_messages = self.can_send()

    def can_send(self):
        try:
            operations = [row["id"] for row in self.read("/v2/operations")["operations"]]
            self.harness = self.read("/v2/harnesses")["harnesses"][0]
        except (Lost, KeyError, IndexError, TypeError):
            raise SystemExit("the daemon does not say what it can do") from None
        return "run.message" in operations and self.harness.get("liveInput", "none") != "none"

    def register(self, root):
        return self.once("/v2/projects", {"root": root})

    def start(self, prompt, root, profile=None):
        body = {
            "prompt": prompt,
            "mode": "agent",
            "access": "readonly",
            "scope": {"kind": "project", "root": root},
            "harnesses": [self.harness["id"]],
            "primaryHarness": self.harness["id"],
        }
        if profile is not None:
            body["credentialProfileId"] = profile
        return self.once("/v2/runs", body)["runId"]

    def detail(self, run):
        return self.read(f"/v2/runs/{run}")

    def answer(self, run, question):
        """Answers an open question: with its first option, or in words. Gives what became of it."""
        rows = [self.row(part) for part in question["questions"]]
        name = urllib.parse.quote(question["interactionId"], safe="")
        path = f"/v2/runs/{run}/interactions/{name}/answer"
        try:
            # Here the status says less than the body.
            _, found = self.ask("POST", path, {"answers": rows})
        except Lost:
            return "unknown"
        return found.get("status", "rejected")

    def row(self, part):
        labels = [option["label"] for option in part["options"][:1]]
        return {"questionId": part["id"], "selectedLabels": labels, "freeText": None if labels else "go on"}

    def message(self, run, text):
        """Puts a message into a run that goes on. Gives its outcome: `delivery_unknown` where nobody knows."""
        if not self.sends_messages:
            return "unsupported"
        message = self.fresh_message_id()
        outcome = self.send(run, message, text)
        if outcome == "delivery_unknown":
            # Once more and never again, under the id that it has: the daemon gives the first receipt.
            outcome = self.send(run, message, text)
        return outcome

    def fresh_message_id(self):
        return str(uuid.uuid4())

    def message_body(self, message, text):
        return {"text": text}

    def send(self, run, message, text):
        try:
            status, found = self.ask("POST", f"/v2/runs/{run}/messages", self.message_body(message, text), message)
        except Lost:
            return "delivery_unknown"
        code = found.get("code")
        if status >= 500 or (status == 409 and code != "idempotency_conflict"):
            return "delivery_unknown"
        if status >= 400:
            return "not_found" if status == 404 else "rejected"
        return found.get("outcome", "delivery_unknown")

    def cancel(self, run):
        body = {"control": {"kind": "cancel", "reason": "it takes too long"}}
        try:
            self.call("POST", f"/v2/runs/{run}/control", body)
        except Lost:
            self.call("POST", f"/v2/runs/{run}/control", body)
        except Refused as refused:
            if refused.code != "run_terminal":
                raise


def config_dir():
    """Where a client looks for its daemon."""
    named = os.environ.get("CLAUDEXOR_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claudexor" / "v3"
