import { mkdtempDisposable } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { once } from "node:events";
import { NacreError } from "@nacre/contracts/plain";
import { expect, test } from "vitest";
import { FrameSocket } from "./frame-socket.ts";
import { encodeFailure } from "./frames.ts";
import { KeeperLink } from "./keeper-link.ts";

test("what a keeper refuses with arrives whole, its details as well", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "nacre-"));
  const socketPath = join(directory.path, "keeper.sock");
  const options = { field: "wire", suggestion: "Wait.", details: { wireVersion: 7 } };
  const error = new NacreError("unsupported", "another wire", options);
  await using server = createServer((socket) =>
    new FrameSocket(socket).refuse(encodeFailure(error)),
  );
  await once(server.listen(socketPath), "listening");
  await expect(KeeperLink.connect({ socketPath, version: "0.0.0-test" })).rejects.toMatchObject({
    code: "unsupported",
    message: "another wire",
    ...options,
  });
});
