"""Logs in with the official Python client, calls a tool, and prints what came of it.

    login.py URL
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

LIMIT = 60


class Storage:
    """What a client remembers, for as long as it runs."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def converse(url):
    back, storage = {}, Storage()

    async def agree(address):
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(address)
        place = urlparse(answer.headers["location"])
        back.update({name: values[0] for name, values in parse_qs(place.query).items()})

    async def returned():
        return AuthorizationCodeResult(code=back["code"], state=back["state"])

    about = OAuthClientMetadata(
        client_name="test",
        redirect_uris=["http://127.0.0.1:1/back"],
        grant_types=["authorization_code"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(url, about, storage, agree, returned)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = await client.list_tools()
            echo = await client.call_tool("echo", {"message": "hi"})
            return {
                "tools": [tool.name for tool in tools.tools],
                "echo": echo.structured_content,
                "scope": storage.tokens.scope,
            }


print(json.dumps(asyncio.run(asyncio.wait_for(converse(sys.argv[1]), LIMIT))))
