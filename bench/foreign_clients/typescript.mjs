// The TypeScript SDK as a client: `stdio COMMAND…` or `http URL TOKEN`; prints what it has seen as JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const found = createRequire(`${process.env.MODULES}/`);
const load = (name) => import(pathToFileURL(found.resolve(`@modelcontextprotocol/sdk/${name}`)).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const [way, first, ...rest] = process.argv.slice(2);
const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: first, args: rest, env: process.env })
    : new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { authorization: `Bearer ${rest[0]}` } } });
const client = new Client({ name: "foreign", version: "1" });
await client.connect(transport);
const called = await client.callTool({ name: "shout", arguments: { words: "hello" } });
const wrong = await client.callTool({ name: "shout", arguments: { word: "hello" } });
const note = await client.readResource({ uri: "note:///shout.md" });
const tools = (await client.listTools()).tools.map((each) => each.name);
console.log(JSON.stringify({ tools, answer: called.content[0].text, refuses: wrong.isError === true, note: note.contents[0].text }));
await client.close();
process.exit(0);
