/**
 * The Model Context Protocol (https://modelcontextprotocol.io) over any transport: tools, progress,
 * cancellation, and results as resources.
 */
import { readFile } from 'node:fs/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { publicError, TtsError } from '../protocol/errors.js';
import type { McpHost, ToolCall } from './host.js';
import type { KeptResult, Results } from './results.js';
import { type Tool, toolsOf } from './tools.js';
import { uriOf } from './wording.js';

const INSTRUCTIONS =
  'Speaks text with the voices of a self-hosted speech server. Call speak for anything that should be heard; ' +
  'list_voices before a voice is named; explain_reading when a word is said wrongly.';
/** Of the protocol's specification; the SDK names no constant for it. */
const RESOURCE_NOT_FOUND = -32_002;
/** A larger result is read through its link or file: a message holds it in base64. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
/** Between progress notifications of one call (ms). */
const PROGRESS_MS = 250;

export interface McpServerOptions {
  readonly version: string;
  readonly host: McpHost;
  readonly results: Results;
  /** Whose results are its resources. */
  readonly owner: string;
  /** Called with what a client is not told. */
  readonly onFailure?: (error: unknown) => void;
}

type Extra = Parameters<Parameters<typeof Server.prototype.setRequestHandler>[1]>[1];

/** Connect it to a transport; close it when that closes. */
export function createMcpServer({ version, host, results, owner, onFailure }: McpServerOptions): Server {
  const tools = toolsOf(host, results.keepMs);
  const server = new Server(
    { name: 'selfhosted-tts', title: 'tts', version },
    { capabilities: { tools: {}, resources: { listChanged: true } }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ call: _, ...described }) => described),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `There is no such tool. There are: ${names}.`);
    }
    const answer = await callTool(tool, params.arguments, callOf(extra), (error) => {
      onFailure?.(error);
      // Files of a server are nobody's business elsewhere.
      return host.place === 'here' && error instanceof TtsError ? error : publicError(error);
    });
    if (answer.content.some(({ type }) => type === 'resource_link')) {
      await server.sendResourceListChanged().catch(() => undefined);
    }
    return answer;
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: results.list(owner).map(resourceOf) }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const found = results.list(owner).find(({ id }) => uriOf(id) === uri);
    if (found === undefined) {
      const minutes = Math.round(results.keepMs / 60_000);
      throw new McpError(RESOURCE_NOT_FOUND, `There is no such result. Results are kept for ${minutes} minutes.`);
    }
    return { contents: [await contentOf(found)] };
  });
  return server;
}

const resourceOf = ({ id, name, title, mimeType, bytes }: KeptResult) => ({
  uri: uriOf(id),
  name,
  title,
  mimeType,
  size: bytes,
});

async function contentOf({ id, mimeType, bytes, file }: KeptResult) {
  if (bytes > MAX_READ_BYTES) {
    const message = `The result has ${bytes} bytes, more than the ${MAX_READ_BYTES} of a message. Use its link or file.`;
    throw new McpError(ErrorCode.InvalidRequest, message);
  }
  return { uri: uriOf(id), mimeType, blob: (await readFile(file)).toString('base64') };
}

/** Failures are results that say what is allowed: the model that called reads them. */
async function callTool(
  tool: Tool,
  given: Record<string, unknown> | undefined,
  call: ToolCall,
  toldOf: (error: unknown) => TtsError,
): Promise<CallToolResult> {
  try {
    const { text, made } = await tool.call(given, call);
    const content: CallToolResult['content'] = [{ type: 'text', text }];
    if (made?.result) content.push({ type: 'resource_link', ...resourceOf(made.result) });
    return { content };
  } catch (error) {
    if (call.signal.aborted) throw error;
    const { message, retryAfterS } = toldOf(error);
    const again = retryAfterS === undefined ? '' : ` Try again in ${retryAfterS} s.`;
    return { isError: true, content: [{ type: 'text', text: `${message}${again}` }] };
  }
}

/** Progress only ever grows, as the protocol wants it, and is told a few times a second. */
function callOf({ signal, _meta: meta, sendNotification }: Extra): ToolCall {
  const token = meta?.progressToken;
  let told = -1;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return {
    signal,
    progress(done, total, message) {
      const now = performance.now();
      if (token === undefined || done <= told || (now - toldAtMs < PROGRESS_MS && done < total)) return;
      told = done;
      toldAtMs = now;
      const params = { progressToken: token, progress: done, total, message };
      // A client that has left is noticed elsewhere.
      void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
