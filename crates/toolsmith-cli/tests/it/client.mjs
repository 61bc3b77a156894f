// Lists and calls tools with a TypeScript client, and prints what came of it as one line of JSON.
//
//     client.mjs FOLDER v1|v2 legacy|auto URL
//     client.mjs FOLDER v1|v2 legacy|auto COMMAND ARGUMENT...

import { createRequire } from "node:module";

const [folder, sdk, mode, ...target] = process.argv.slice(2);
// The packages are not beside this file, where they would be looked for.
const load = createRequire(`${folder}/`);

function parts() {
    if (sdk === "v2") {
        const names = load("@modelcontextprotocol/client");
        return { ...names, ...load("@modelcontextprotocol/client/stdio") };
    }
    const names = load("@modelcontextprotocol/sdk/client/index.js");
    const stdio = load("@modelcontextprotocol/sdk/client/stdio.js");
    return { ...names, ...stdio, ...load("@modelcontextprotocol/sdk/client/streamableHttp.js") };
}

const { Client, StdioClientTransport, StreamableHTTPClientTransport } = parts();
const [command, ...args] = target;
const transport =
    args.length > 0
        ? new StdioClientTransport({ command, args })
        : new StreamableHTTPClientTransport(new URL(command));
// The first SDK tells only its transport what was agreed, and not every transport keeps it.
let agreed = null;
const inherited = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (revision) => {
    agreed = revision;
    inherited?.(revision);
};
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
const { tools } = await client.listTools();
const echo = await client.callTool({ name: "echo", arguments: { message: "hi" } });
const wrong = await client.callTool({ name: "calculator", arguments: { expression: "1/0" } });
const page = await client.readResource({ uri: "toolsmith://tools/echo" });
const revision = client.getNegotiatedProtocolVersion?.() ?? agreed;
console.log(
    JSON.stringify({
        revision,
        tools: tools.map((tool) => tool.name),
        echo: echo.structuredContent,
        is_error: wrong.isError ?? false,
        page: page.contents[0].text.split("\n")[0],
    }),
);
if (args.length === 0 && mode === "legacy") {
    await transport.terminateSession();
}
await client.close();
