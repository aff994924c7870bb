"""Answers two calls under one id.

The id is taken once, outside the loop over the calls: with one call a turn nobody notices, with two the model cannot tell which
answer belongs to which call.
"""
from agent import Agent, main


class ReusesId(Agent):
    def answers(self, results):
        call_id = results[0][0]["id"]
        return [{"role": "tool", "tool_call_id": call_id, "content": text} for _, text in results]


main(ReusesId())
