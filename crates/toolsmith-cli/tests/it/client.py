"""Lists and calls tools with a Python client, and prints what came of it as one line of JSON.

    client.py sdk|fastmcp legacy|auto URL
    client.py sdk|fastmcp legacy|auto COMMAND ARGUMENT...
"""

import asyncio
import json
import sys

LIMIT = 60


def sdk(mode, target):
    from mcp import Client, StdioServerParameters

    if len(target) > 1:
        target = [StdioServerParameters(command=target[0], args=target[1:])]
    return Client(target[0], mode=mode)


def fastmcp(mode, target):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    if len(target) > 1:
        # The server ends with the client, so that the folder of the test can go.
        target = [StdioTransport(target[0], target[1:], keep_alive=False)]
    return Client(target[0], mode=mode)


async def converse(kind, mode, target):
    is_fast = kind == "fastmcp"
    async with (fastmcp if is_fast else sdk)(mode, target) as client:
        tools = await client.list_tools()
        calm = {"raise_on_error": False} if is_fast else {}
        echo = await client.call_tool("echo", {"message": "hi"})
        wrong = await client.call_tool("calculator", {"expression": "1/0"}, **calm)
        page = await client.read_resource("toolsmith://tools/echo")
        return {
            "revision": client.protocol_version,
            "tools": [tool.name for tool in (tools if is_fast else tools.tools)],
            "echo": echo.structured_content,
            "is_error": wrong.is_error,
            "page": (page if is_fast else page.contents)[0].text.splitlines()[0],
        }


kind, mode, *target = sys.argv[1:]
print(json.dumps(asyncio.run(asyncio.wait_for(converse(kind, mode, target), LIMIT))))
