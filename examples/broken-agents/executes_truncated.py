"""Repairs arguments that were cut short, and runs them.

An answer that hits the length limit ends in the middle of its JSON. Closing the open string and brackets makes it readable, and
wrong: half of a file is written as if it were whole, half of a command is run.
"""
import json

from agent import Agent, main


class ExecutesTruncated(Agent):
    def arguments(self, call):
        text = call["function"]["arguments"]
        for ending in ("", "}", '"}', '""}', ': ""}', '": ""}'):
            try:
                return json.loads(text + ending)
            except ValueError:
                continue
        raise ValueError("beyond repair")


main(ExecutesTruncated())
