"""A small agent on the openai-agents package: its runner, the Responses API, one tool."""

import os

from agents import Agent, Runner, function_tool

import shell_tool


def main():
    agent = Agent(
        name="rehearsal",
        instructions="You work in the current folder.",
        model=os.environ["REHEARSAL_MODEL"],
        tools=[function_tool(shell_tool.run_command)],
    )
    print(Runner.run_sync(agent, os.environ["REHEARSAL_PROMPT"]).final_output)


main()
