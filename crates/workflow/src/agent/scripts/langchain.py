"""A small agent on langchain for Python: its ready-made agent, chat completions, one tool."""

import os

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

import shell_tool


def main():
    model = ChatOpenAI(model=os.environ["REHEARSAL_MODEL"])
    agent = create_agent(model, [tool(shell_tool.run_command)])
    asked = {"messages": [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}]}
    print(agent.invoke(asked)["messages"][-1].text)


main()
