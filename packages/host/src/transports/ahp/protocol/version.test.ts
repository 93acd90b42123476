import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { negotiateVersion, SUPPORTED_VERSIONS } from "./version.ts";

describe("the version", () => {
  test.each([
    [["1.0.0"], "1.0.0"],
    [["0.9.0", "1.0.0"], "1.0.0"],
    [["1.0.0", "0.9.0"], "1.0.0"],
    [["1.7.3"], "1.7.3"],
    [["1.2.0", "1.10.0", "1.9.9"], "1.10.0"],
    [["2.0.0", "0.5.2", "0.5.1"], "0.5.2"],
    [["0.10.0", "0.2.0"], "0.2.0"],
    [["0.9.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1"], "0.9.0"],
    [["x", 7, null, "1.0", "v1.0.0", "01.0.0", "1.0.0-dev", "0.5.0"], "0.5.0"],
  ])("of %j is %s", (offered, version) => {
    expect(negotiateVersion(offered).version).toBe(version);
  });

  test("is the same in every order of the offer", () => {
    const part = fc.nat({ max: 12 });
    const offers = fc.array(
      fc.tuple(fc.nat({ max: 2 }), part, part).map((parts) => parts.join(".")),
    );
    fc.assert(
      fc.property(offers, (offered) => {
        const all = ["0.2.0", ...offered];
        expect(negotiateVersion(all)).toEqual(negotiateVersion(all.toReversed()));
      }),
    );
  });

  test.each([[[]], [["1.0"]], [["1.0.0-dev"]], [[null]], [undefined], ["1.0.0"], [{}]])(
    "cannot be found in %j",
    (offered) => {
      expect(() => negotiateVersion(offered)).toThrow(
        expect.objectContaining({
          code: -32602,
          data: expect.objectContaining({ field: "protocolVersions" }),
        }),
      );
    },
  );

  test.each([[["2.0.0"]], [["0.1.0"]], [["0.10.0"]], [["999999999999999.0.0", "0.0.1"]]])(
    "is not spoken here in %j",
    (offered) => {
      expect(() => negotiateVersion(offered)).toThrow(
        expect.objectContaining({ code: -32005, data: { supportedVersions: SUPPORTED_VERSIONS } }),
      );
    },
  );
});

test.each([
  ["0.2.0", "exitCode"],
  ["0.6.4", "exitCode"],
  ["0.7.0", "isPty"],
  ["0.8.9", "isPty"],
  ["0.9.0", "lifecycle"],
  ["1.0.0", "lifecycle"],
  ["1.6.0", "lifecycle"],
])("version %s has the shape %s", (version, shape) => {
  expect(negotiateVersion([version])).toEqual({ version, shape });
});
