/** The server part of Node's HTTP. An `import` of `node:http` would load Node's `fetch` too: 45 ms of each start. */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');

declare module 'node:http' {
  interface ServerResponse {
    /** Undocumented, and as old as Node: joins the first line and all fields, checked before. */
    _storeHeader(firstLine: string, headers: unknown): void;
  }
}
