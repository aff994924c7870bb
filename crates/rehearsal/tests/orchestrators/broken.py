"""The orchestrator of examples/orchestrator with one bug, named by the first argument: the code of the finding that tells it."""
import json
import sys
import uuid
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "examples" / "orchestrator"))

from client import Client, Lost, Refused  # noqa: E402
from orchestrator import Orchestrator  # noqa: E402

BUGS = {}


def bug(code):
    def take(made):
        BUGS[code] = made
        return made

    return take


def with_client(made):
    """The orchestrator with another client."""
    return type(made.__name__, (Orchestrator,), {"client": made})


@bug("none")
class Honest(Client):
    pass


@bug("daemon-unauthorized")
class NoToken(Client):
    def headers(self):
        return {name: value for name, value in super().headers().items() if name != "Authorization"}


@bug("protocol-major")
class OtherMajor(Client):
    def headers(self):
        return {**super().headers(), "X-Claudexor-Protocol-Major": "2"}


@bug("protocol-major-missing")
class NoMajor(Client):
    def headers(self):
        return {name: value for name, value in super().headers().items() if "Major" not in name}


@bug("key-missing")
class NoKey(Client):
    def once(self, path, body):
        return self.call("POST", path, body)


@bug("key-conflict")
class OtherBody(Client):
    """Counts its attempts within the body."""

    def once(self, path, body):
        key = self.fresh_key()
        try:
            return self.call("POST", path, body, key)
        except Lost:
            body = {**body, "instructions": "second attempt"}
            return self.call("POST", path, body, key)


@bug("daemon-refused")
class UnknownField(Client):
    def once(self, path, body):
        return super().once(path, {**body, "colour": "red"} if "prompt" in body else body)


@bug("start-under-another-key")
class OtherKey(Client):
    def key_again(self, key):
        return self.fresh_key()


@bug("refusal-unread")
class UnreadRefusal(Client):
    """Takes whatever comes for the body of a good answer."""

    def once(self, path, body):
        status, found = self.ask("POST", path, body, self.fresh_key())
        return {"runId": found.get("runId")}


@bug("refusal-repeated")
class RepeatedRefusal(Client):
    def once(self, path, body):
        key = self.fresh_key()
        try:
            return self.call("POST", path, body, key)
        except Refused:
            return self.call("POST", path, body, key)


@bug("message-id")
class CountedId(Client):
    def fresh_message_id(self):
        return "message-1"


@bug("message-id-mismatch")
class TwoIds(Client):
    def message_body(self, message, text):
        return {"text": text, "messageId": str(uuid.uuid4())}


@bug("message-repeated")
class SendsTwice(Client):
    def message(self, run, text):
        message = self.fresh_message_id()
        self.send(run, message, text)
        return self.send(run, message, text)


@bug("message-under-another-id")
class FreshIdAgain(Client):
    def message(self, run, text):
        outcome = self.send(run, self.fresh_message_id(), text)
        return self.send(run, self.fresh_message_id(), text) if outcome == "delivery_unknown" else outcome


@bug("message-retry-loop")
class Insists(Client):
    def message(self, run, text):
        message = self.fresh_message_id()
        for _ in range(4):
            outcome = self.send(run, message, text)
            if outcome != "delivery_unknown":
                break
        return outcome


@bug("message-to-settled-run")
class TooLate(Orchestrator):
    def late(self, run, said):
        self.say(run, said)


@bug("live-input-unread")
class Guesses(Client):
    def can_send(self):
        self.harness = {"id": "fake-harness"}
        return True


@bug("message-unsupported")
class SendsAnyway(Client):
    def can_send(self):
        super().can_send()
        return True


@bug("question-answered-twice")
class AnswersTwice(Client):
    def answer(self, run, question):
        super().answer(run, question)
        return super().answer(run, question)


@bug("question-not-open")
class AnswersAnother(Client):
    def answer(self, run, question):
        super().answer(run, {**question, "interactionId": "int-00000000"})
        return super().answer(run, question)


@bug("answer-invalid")
class OwnChoice(Client):
    def row(self, part):
        return {"questionId": part["id"], "selectedLabels": ["7070"], "freeText": None}


@bug("answer-invalid-rows")
class NoRows(Client):
    def answer(self, run, question):
        name = question["interactionId"]
        self.ask("POST", f"/v2/runs/{run}/interactions/{name}/answer", {"answers": []})
        return super().answer(run, question)


@bug("polled-without-pause")
class Spins(Orchestrator):
    patience = 50

    def longer(self, pause):
        return 0


@bug("too-many-daemon-requests")
class Hasty(Orchestrator):
    """A thousand looks, one after the other, each after a pause."""

    patience = 50

    def longer(self, pause):
        return 0.015


@bug("daemon-never-asked")
class Idle(Orchestrator):
    def work(self):
        print("All done.")
        return 0


@bug("run-left")
class Leaves(Orchestrator):
    patience = 0.1

    def give_up(self, run):
        print("cancelled after a while")
        return 4


@bug("token-in-output")
class PrintsHeaders(Client):
    def greet(self):
        print(json.dumps(self.headers()), file=sys.stderr)
        super().greet()


@bug("message-in-output")
class PrintsMessage(Orchestrator):
    def say(self, run, text):
        self.log(f"sends {json.dumps({'text': text})}")
        super().say(run, text)


@bug("daemon-runs")
class StartsTwice(Orchestrator):
    def start(self, prompt, profile):
        self.follow(super().start(prompt, profile), None)
        return super().start(prompt + " Once more.", profile)


@bug("daemon-answers")
class NeverAnswers(Orchestrator):
    patience = 50

    def decide(self, run, question):
        pass


@bug("daemon-messages")
class NeverSays(Orchestrator):
    def say(self, run, text):
        print("message: accepted")


@bug("daemon-cancelled")
class Patient(Orchestrator):
    """Says that it gave up, and waits all the same."""

    patience = 50

    def follow(self, run, said):
        super().follow(run, said)
        return 4


if __name__ == "__main__":
    made = BUGS[sys.argv[1]]
    made = made if issubclass(made, Orchestrator) else with_client(made)
    sys.exit(made().work())
