"""Encodes arguments twice.

Arguments are a JSON text already. Whoever takes them for a value and serialises the message once more sends back a string that
holds a string. Seen wherever a history is kept as objects and arguments pass through `json.dumps` on the way in and on the way out.
"""
import json

from agent import Agent, main


class DoubleEncodes(Agent):
    def echoed(self, message):
        calls = [dict(call, function=dict(call["function"])) for call in message["tool_calls"]]
        for call in calls:
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
        return dict(message, tool_calls=calls)


main(DoubleEncodes())
