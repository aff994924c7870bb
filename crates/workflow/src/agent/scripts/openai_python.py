"""A small agent on the openai package for Python: chat completions, streamed, one tool."""

import json
import os

from openai import OpenAI

import shell_tool

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": shell_tool.NAME,
            "description": shell_tool.DESCRIPTION,
            "parameters": shell_tool.PARAMETERS,
        },
    }
]


def answer(call):
    try:
        arguments = json.loads(call.function.arguments)
    except ValueError as error:
        return f"error: the arguments are not JSON: {error}"
    return shell_tool.answer(call.function.name, arguments)


def main():
    client = OpenAI()
    messages = [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}]
    while True:
        with client.chat.completions.stream(
            model=os.environ["REHEARSAL_MODEL"], messages=messages, tools=TOOLS
        ) as stream:
            message = stream.get_final_completion().choices[0].message
        if not message.tool_calls:
            print(message.content)
            return
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls
        ]
        messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": answer(call)})


main()
