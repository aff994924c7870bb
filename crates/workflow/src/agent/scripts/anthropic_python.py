"""A small agent on the anthropic package for Python: messages, streamed, one tool."""

import os

from anthropic import Anthropic

import shell_tool

TOOLS = [
    {
        "name": shell_tool.NAME,
        "description": shell_tool.DESCRIPTION,
        "input_schema": shell_tool.PARAMETERS,
    }
]


def main():
    client = Anthropic()
    messages = [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}]
    while True:
        with client.messages.stream(
            model=os.environ["REHEARSAL_MODEL"], max_tokens=4096, messages=messages, tools=TOOLS
        ) as stream:
            message = stream.get_final_message()
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            print("".join(block.text for block in message.content if block.type == "text"))
            return
        messages.append({"role": "assistant", "content": message.content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": shell_tool.answer(call.name, call.input),
            }
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


main()
