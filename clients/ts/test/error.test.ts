import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { FieldPathElementSchema, ViolationsSchema } from "../src/gen/buf/validate/validate_pb.js";
import { ProviderService } from "../src/gen/waybill/v1/provider_service_pb.js";
import { createWaybillClient, type ErrorKind, WaybillError } from "../src/index.js";
import { type Handler, routed, serve } from "./server.js";

const account = "dhaka-shop";

function refusing(error: ConnectError): Handler {
  return routed((router) =>
    router.rpc(ProviderService.method.listProviders, () => {
      throw error;
    }),
  );
}

async function failureOf(handler: Handler): Promise<WaybillError> {
  const client = createWaybillClient({ baseUrl: await serve(handler), account, attempts: 1 });
  const thrown: unknown = await client.listProviders().then(
    () => "no error",
    (error: unknown) => error,
  );
  if (!WaybillError.is(thrown)) throw new Error(`not a WaybillError: ${String(thrown)}`);
  return thrown;
}

describe("an error of the server", () => {
  const cases: [Code, ErrorKind, boolean][] = [
    [Code.Canceled, "unavailable", true],
    [Code.Unknown, "unavailable", false],
    [Code.InvalidArgument, "invalid", false],
    [Code.DeadlineExceeded, "timeout", true],
    [Code.NotFound, "not_found", false],
    [Code.AlreadyExists, "conflict", false],
    [Code.PermissionDenied, "forbidden", false],
    [Code.ResourceExhausted, "rate_limited", true],
    [Code.FailedPrecondition, "conflict", false],
    [Code.Aborted, "conflict", true],
    [Code.OutOfRange, "invalid", false],
    [Code.Unimplemented, "outdated_client", false],
    [Code.Internal, "unavailable", false],
    [Code.Unavailable, "unavailable", true],
    [Code.DataLoss, "unavailable", false],
    [Code.Unauthenticated, "unauthenticated", false],
  ];
  it.each(cases)("of code %i is %s, retryable %s", async (code, kind, retryable) => {
    const error = await failureOf(refusing(new ConnectError("the server's words", code, { "X-Request-Id": "req-77" })));
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(WaybillError);
    expect(error).toMatchObject({ name: "WaybillError", kind, retryable, requestId: "req-77", fields: [] });
    expect(error.message).toContain("the server's words");
    expect(error.cause).toBeInstanceOf(ConnectError);
  });

  it("covers every code that there is", () => {
    const codes = Object.values(Code).filter((code) => typeof code === "number");
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(codes));
  });

  it("names the fields of an invalid request", async () => {
    const element = (init: MessageInitShape<typeof FieldPathElementSchema>) => create(FieldPathElementSchema, init);
    const elements = [
      element({ fieldName: "changes", subscript: { case: "index", value: 3n } }),
      element({ fieldName: "headers", subscript: { case: "stringKey", value: 'a "b"' } }),
      element({ fieldName: "status" }),
    ];
    const violation = { field: { elements }, ruleId: "enum.defined_only", message: "is not a status" };
    const detail = { desc: ViolationsSchema, value: { violations: [violation] } };
    const error = await failureOf(refusing(new ConnectError("no", Code.InvalidArgument, undefined, [detail])));
    expect(error.fields).toEqual([
      { path: 'changes[3].headers["a \\"b\\""].status', rule: "enum.defined_only", message: "is not a status" },
    ]);
  });

  it("says when to come back, in seconds or as a date, and no nonsense", async () => {
    vi.useFakeTimers({ now: new Date("2026-11-29T06:00:00Z"), toFake: ["Date"] });
    try {
      const comeBack = async (value: string) => {
        const headers = { "Retry-After": value };
        return (await failureOf(refusing(new ConnectError("", Code.ResourceExhausted, headers)))).retryAt;
      };
      expect(await comeBack("90")).toEqual(new Date("2026-11-29T06:01:30Z"));
      expect(await comeBack("Sun, 29 Nov 2026 07:00:00 GMT")).toEqual(new Date("2026-11-29T07:00:00Z"));
      expect(await comeBack("soon")).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

it("reads the delay that an error carries in its details", async () => {
  vi.useFakeTimers({ now: new Date("2026-11-29T06:00:00Z"), toFake: ["Date"] });
  try {
    // google.rpc.RetryInfo of 1.5 s: field 1, a google.protobuf.Duration of 1 s and 500,000,000 ns.
    const value = Buffer.from("0a0808011080cab5ee01", "hex").toString("base64");
    const error = await failureOf(async () =>
      Response.json(
        { code: "unavailable", message: "", details: [{ type: "google.rpc.RetryInfo", value }] },
        { status: 503 },
      ),
    );
    expect(error.retryAt).toEqual(new Date("2026-11-29T06:00:01.500Z"));
  } finally {
    vi.useRealTimers();
  }
});

describe("an answer that is not Waybill's", () => {
  const page = (status: number) => async () =>
    new Response("<html>", { status, headers: { "Content-Type": "text/html", Location: "http://127.0.0.1:1/" } });

  it.each([
    [404, "outdated_client", false, "check baseUrl"],
    [200, "unavailable", true, "content type"],
    [307, "unavailable", true, "fetch failed"],
    [403, "forbidden", false, "403"],
    [429, "unavailable", true, "429"],
    [502, "unavailable", true, "502"],
  ] as const)("HTTP %i is %s, retryable %s", async (status, kind, retryable, text) => {
    const error = await failureOf(page(status));
    expect(error).toMatchObject({ kind, retryable, requestId: undefined });
    expect(error.message).toContain(text);
  });
});

describe("WaybillError.is", () => {
  it("knows an error of another copy of the package, which instanceof does not", async () => {
    vi.resetModules();
    const copy = await import("../src/error.js");
    const error: unknown = new copy.WaybillError({ kind: "not_found", message: "no such order" });

    expect(error instanceof WaybillError).toBe(false);
    expect(WaybillError.is(error)).toBe(true);
    if (WaybillError.is(error)) expectTypeOf(error.kind).toEqualTypeOf<ErrorKind>();
  });

  it("knows nothing else", () => {
    for (const value of [undefined, null, "x", {}, new Error("x"), { name: "WaybillError", kind: "invalid" }]) {
      expect(WaybillError.is(value)).toBe(false);
    }
  });
});
