import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What is heard in real time wants the machine to itself: these run alone, after the others. */
const HEARD = 'test/heard/**/*.test.ts';

/**
 * Suites that take longest, in seconds of a core (a Neoverse-N1), the processes they start among it.
 * They begin first, so that no core waits at the end for a long suite on the other one. Vitest
 * orders by duration too, but only where it has run before; in a fresh clone it goes by the size of
 * the files, and most of these are short.
 */
const LONGEST_S: Readonly<Record<string, number>> = {
  'test/e2e/newcomer.test.ts': 130,
  'test/engine/intelligibility.test.ts': 70,
  'test/e2e/node-versions.test.ts': 55,
  'test/e2e/pages/pages.test.ts': 50,
  'test/e2e/pages/playground-player.test.ts': 45,
  'test/e2e/pages/dashboard.test.ts': 45,
  'test/jobs/serve.test.ts': 40,
  'test/server/money/money.test.ts': 40,
  'test/engine/gpu/gpu-check.test.ts': 40,
  'test/e2e/book.test.ts': 40,
  'test/e2e/docs-commands.test.ts': 40,
  'test/e2e/pages/voices-page.test.ts': 40,
  'test/e2e/first-hour.test.ts': 35,
  'test/e2e/pages/playground-text.test.ts': 35,
  'test/engine/long-text.test.ts': 35,
  'test/engine/intonation.test.ts': 20,
  'test/engine/joins.test.ts': 20,
  'test/engine/opened-vocoder.test.ts': 20,
  'test/engine/prosody.test.ts': 35,
  'test/models/kokoro.test.ts': 30,
  'test/server/operating/serve.test.ts': 30,
  'test/audio/heard.test.ts': 25,
  'test/engine/kokoro.test.ts': 25,
  'test/engine/speed.test.ts': 25,
  'test/mcp/stdio.test.ts': 20,
  'test/e2e/second-hour.test.ts': 30,
  'test/e2e/speak.test.ts': 20,
  'test/server/money/gateways.test.ts': 20,
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      LONGEST_S[path.relative(import.meta.dirname, moduleId).replaceAll(path.sep, '/')] ?? 0;
    return (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}

/** They count work or handles, of which other suites in the same process would be a part. */
const COUNTED = [
  'test/text/reading/normalize-growth.test.ts',
  'test/text/reading/properties.test.ts',
  'test/server/abuse.test.ts',
];

/**
 * One more than CI has cores: suites wait for processes, sounds and pauses half of the time. With
 * four the cores are never idle, and what is shown in time to a person comes late.
 */
const WORKERS = 3;

const common = {
  // A limit for what hangs. The slowest takes 20 s on a quiet machine, and three times that between
  // builds and other people's tests.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  setupFiles: ['test/support/equal-bytes.ts'],
  // As in an engine's process (src/worker/main.ts), for suites that load onnxruntime themselves.
  env: { ORT_DISABLE_TELEMETRY: '1' },
};

export default defineConfig({
  test: {
    reporters: ['default'],
    globalSetup: ['test/support/build.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'main',
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: [HEARD, ...COUNTED, '**/node_modules/**'],
          maxWorkers: WORKERS,
          // A worker imports the program once for all its suites, so no suite may leave anything
          // behind: what it sets in `process.env` or replaces elsewhere it puts back.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: 'counted', include: COUNTED, maxWorkers: WORKERS, sequence: { groupOrder: 0 } } },
      { test: { ...common, name: 'sound', include: [HEARD], maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
