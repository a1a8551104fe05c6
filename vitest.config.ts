import { defineConfig } from 'vitest/config';

/** What is heard in real time wants the machine to itself: these run alone, after the others. */
const SOUND = [
  'test/client/speaker.test.ts',
  'test/client/sinks.test.ts',
  'test/e2e/terminal.test.ts',
  'test/e2e/pages.test.ts',
];

const common = {
  testTimeout: 60_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  // As in an engine's process (src/worker/main.ts): suites that load onnxruntime themselves report nothing either.
  env: { ORT_DISABLE_TELEMETRY: '1' },
};

export default defineConfig({
  test: {
    reporters: ['default'],
    globalSetup: ['test/support/build.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'main',
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: [...SOUND, '**/node_modules/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: 'sound', include: SOUND, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
