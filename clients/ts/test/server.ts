// A server for tests: @connectrpc/connect's router behind node:http. connect-node would do it too, but wants Node 22.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import { createFetchHandler } from "@connectrpc/connect/protocol";
import { onTestFinished } from "vitest";

/** Answers requests as the routes say. */
export type Handler = (request: Request) => Promise<Response>;

/** Makes a handler of connect routes. What no route knows is 404. */
export function routed(routes: (router: ConnectRouter) => void): Handler {
  const router = createConnectRouter({ grpc: false, grpcWeb: false });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, createFetchHandler(handler)]));
  return async (request) => {
    const handler = handlers.get(new URL(request.url).pathname);
    return handler ? handler(request) : new Response("not here", { status: 404 });
  };
}

/** Serves a handler on a free port until the test ends, and gives its base URL. */
export async function serve(handler: Handler): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch((cause: unknown) => outgoing.destroy(cause as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const response = await handler(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: new Headers(incoming.headers as Record<string, string>),
      ...(chunks.length > 0 && { body: new Uint8Array(Buffer.concat(chunks)) }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
