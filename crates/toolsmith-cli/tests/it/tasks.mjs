// Lets the official TypeScript client of the revision with sessions make a task of a call, and
// prints what it was told as one line of JSON:
//
//     tasks.mjs PACKAGES URL
import { createRequire } from "node:module";

const [packages, url] = process.argv.slice(2);
// The packages are not beside this file, where they would be looked for.
const load = createRequire(`${packages}/`);
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { CallToolResultSchema } = load("@modelcontextprotocol/sdk/types.js");

const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const tools = (await client.listTools()).tools;
const support = tools.find((tool) => tool.name === "slow").execution?.taskSupport;
const told = [];
let text;
const call = { name: "slow", arguments: {} };
const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60000 } });
for await (const message of stream) {
    if (told.at(-1) !== message.type) told.push(message.type);
    if (message.type === "result") text = message.result.content[0].text;
    if (message.type === "error") throw message.error;
}
const listed = (await client.experimental.tasks.listTasks()).tasks.map((task) => task.status);
await client.close();
console.log(JSON.stringify({ support, told, text, listed }));
