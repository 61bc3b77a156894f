"""Calls a tool that needs approval with the official Python client, whose person answers.

    approving.py legacy|auto ANSWER URL
    approving.py legacy|auto ANSWER COMMAND ARGUMENT...

ANSWER is approve, deny, decline or cancel. Prints the question and the result as one line of JSON.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

LIMIT = 60


async def converse(mode, answer, target):
    asked = []

    async def ask(_context, params):
        asked.append(params.message)
        if answer in ("decline", "cancel"):
            return ElicitResult(action=answer)
        return ElicitResult(action="accept", content={"decision": answer})

    server = StdioServerParameters(command=target[0], args=target[1:]) if len(target) > 1 else target[0]
    async with Client(server, mode=mode, elicitation_callback=ask) as client:
        result = await client.call_tool("risky", {"n": 7})
        return {
            "asked": asked,
            "is_error": bool(result.is_error),
            "text": result.content[0].text,
        }


mode, answer, *target = sys.argv[1:]
print(json.dumps(asyncio.run(asyncio.wait_for(converse(mode, answer, target), LIMIT))))
