"""A small agent on pydantic-ai: its agent, chat completions, one tool."""

import os

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

import shell_tool


def main():
    agent = Agent(OpenAIChatModel(os.environ["REHEARSAL_MODEL"]), tools=[shell_tool.run_command])
    print(agent.run_sync(os.environ["REHEARSAL_PROMPT"]).output)


main()
