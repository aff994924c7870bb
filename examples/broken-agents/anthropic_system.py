"""Sends the system prompt as Anthropic's API wants it.

The code was moved from one provider to another, and the `system` of the top level came along. The OpenAI API knows no such
key: a lenient server drops it without a word, and the agent runs without its system prompt.
"""
from agent import Agent, main


class AnthropicSystem(Agent):
    def body(self, messages):
        return dict(super().body(messages), system="You are a careful assistant.")


main(AnthropicSystem())
