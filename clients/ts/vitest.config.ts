import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: the test that starts the real binary should not compete with all others at once.
    maxWorkers: 2,
    // Generous, because the machine may be busy: these bounds end what hangs and measure nothing.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
