"""A small orchestrator: has one task done by a run of an agent-run daemon, and says what came of it.

The task is REHEARSAL_PROMPT. Its lines that begin with `say:` and `profile:` are for the orchestrator: a message to put into the run once
it goes on, and the credential profile to start it with. It ends with 0 where the run succeeded, 3 where it was refused, 4 where it was
cancelled because it took too long, 5 where it failed.
"""
import hashlib
import os
import sys
import time

from client import Client, Refused, config_dir

# Seconds that a run may take, and between two looks at it: at first, and at most.
PATIENCE = 1.5
PAUSE, LONGEST_PAUSE = 0.02, 0.25


class Orchestrator:
    client = Client
    patience = PATIENCE

    def __init__(self):
        self.daemon = self.client(config_dir())
        self.root = os.environ.get("REHEARSAL_DAEMON_PROJECT", os.getcwd())
        self.answered = set()

    def log(self, text):
        print(text, file=sys.stderr)

    def task(self):
        """The prompt of the run, what is to be said into it, the profile."""
        lines, said, profile = [], None, None
        for line in os.environ["REHEARSAL_PROMPT"].splitlines():
            name, _, rest = line.partition(":")
            if name == "say":
                said = rest.strip()
            elif name == "profile":
                profile = rest.strip()
            else:
                lines.append(line)
        return "\n".join(lines).strip(), said, profile

    def work(self):
        prompt, said, profile = self.task()
        self.daemon.greet()
        self.daemon.register(self.root)
        try:
            run = self.start(prompt, profile)
        except Refused as refused:
            return self.refused(refused)
        return self.follow(run, said)

    def start(self, prompt, profile):
        try:
            return self.daemon.start(prompt, self.root, profile)
        except Refused as refused:
            if refused.code != "credential_profile_unknown":
                raise
            self.log(f"there is no profile {profile!r}; the daemon's own is taken")
            return self.daemon.start(prompt, self.root)

    def refused(self, refused):
        print(f"refused: {refused.code}")
        return 3

    def follow(self, run, said):
        until, pause = time.monotonic() + self.patience, PAUSE
        while True:
            detail = self.daemon.detail(run)
            state = detail["summary"]["state"]
            if state != "running":
                return self.ended(state, detail, said)
            questions = detail["pendingInteractions"]
            for question in questions:
                self.decide(run, question)
            if said is not None and not questions:
                self.say(run, said)
                said = None
            if time.monotonic() > until:
                return self.give_up(run)
            time.sleep(pause)
            pause = self.longer(pause)

    def longer(self, pause):
        return min(pause * 1.5, LONGEST_PAUSE)

    def decide(self, run, question):
        if question["interactionId"] in self.answered:
            return
        status = self.daemon.answer(run, question)
        if status in ("delivered", "already_resolved"):
            self.answered.add(question["interactionId"])
        self.log(f"the answer to {question['interactionId']} was {status}")

    def say(self, run, text):
        outcome = self.daemon.message(run, text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        print(f"message: {outcome}")
        self.log(f"a message of {len(text.encode())} bytes, sha256 {digest}, was {outcome}")

    def ended(self, state, detail, said):
        if said is not None:
            self.late(detail["id"], said)
        print(detail["primaryOutput"]["text"])
        return 0 if state == "succeeded" else 5

    def late(self, run, said):
        # Nothing is put into a run that is over.
        print("message: not_active")

    def give_up(self, run):
        self.daemon.cancel(run)
        state = self.daemon.detail(run)["summary"]["state"]
        print(f"{state} after {self.patience} s")
        return 4


if __name__ == "__main__":
    sys.exit(Orchestrator().work())
