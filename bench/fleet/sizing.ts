/**
 * What a deployment needs: a discrete-event simulation of listeners, gateways, a broker and
 * engines, with measured costs as its inputs. It looks for the fewest engine cores with which
 * nobody stalls, and tells what everything else then carries.
 *
 *   npm run bench -- sizing [--streams 1000,100000] [--engine-core-s 0.1] [--gateway-core-ms 2] …
 *   npm run bench -- sizing --measure [--seconds 10]     the costs on this machine
 *
 * docs/sizing.md says where the numbers that stand here as defaults come from.
 */
import { parseArgs } from 'node:util';
import { measureEngine, measureGateway } from './measured-costs.js';
import { BYTES_PER_S, type Costs, fewest, REQUEST_S, SEGMENT_S } from './simulation.js';

const MEASURED: Costs = {
  engineCoreS: 0.12,
  frontShare: 0.5,
  gatewayCoreMs: 2.03,
  gatewayRequestMs: 6.2,
  brokerMs: 0.5,
  brokerMBs: 8 * 62,
  databasePerS: 255,
  admitMs: 2,
};
/** What of a thing is used, so that the hour of the day and the loss of one are no news. */
const HEADROOM = { gateway: 0.6, broker: 0.6, database: 0.6, engine: 0.8 };

export async function main(argv: readonly string[]): Promise<void> {
  const flag = (name: string) => name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
  const names = Object.keys(MEASURED) as (keyof Costs)[];
  const { values } = parseArgs({
    args: [...argv],
    options: {
      streams: { type: 'string', default: '1000,100000' },
      measure: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      ...Object.fromEntries(
        names.map((name) => [flag(name), { type: 'string' as const, default: String(MEASURED[name]) }]),
      ),
    },
  });
  if (values.measure) {
    await measureEngine('base-tts-fast', Number(values.seconds));
    return measureGateway(Number(values.seconds));
  }
  const given = values as unknown as Record<string, string>;
  const costs = Object.fromEntries(names.map((name) => [name, Number(given[flag(name)])])) as unknown as Costs;
  const meanS = (REQUEST_S[0] + REQUEST_S[1]) / 2;
  for (const streams of given.streams!.split(',').map(Number)) {
    // Gateways and workers around one broker are a cell. Cells share nothing but the database, so
    // that one of them stands for all.
    const audioMBs = (streams * BYTES_PER_S) / 1e6;
    const cells = Math.max(1, Math.ceil(audioMBs / (costs.brokerMBs * HEADROOM.broker)));
    const inCell = Math.ceil(streams / cells);
    const gatewayCores = (inCell * (costs.gatewayCoreMs + costs.gatewayRequestMs / meanS)) / 1000;
    const gateways = Math.max(2, Math.ceil(gatewayCores / HEADROOM.gateway));
    const requestsPerS = streams / meanS;
    const { engines, carried } = fewest(inCell, costs, gateways, 1);
    const ordered = (inCell * costs.engineCoreS * (1 + costs.frontShare / SEGMENT_S)) / HEADROOM.engine;
    const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
    const lines = [
      `${streams} concurrent streams in ${cells} cells, each around a broker`,
      `  engines    ${engines * cells} cores at ${percent(carried.engineLoad)}; order ${Math.ceil(ordered) * cells} to run them at ${percent(HEADROOM.engine)}`,
      `  gateways   ${gateways * cells} processes at ${percent(carried.gatewayLoad)} of a core, ${Math.ceil(inCell / gateways)} streams each`,
      `  brokers    ${cells}, each ${(audioMBs / cells).toFixed(0)} MB/s of audio in and as much out, ${((audioMBs / cells) * 0.008).toFixed(1)} Gbit/s each way`,
      `  database   ${requestsPerS.toFixed(0)} requests/s: ${(requestsPerS / costs.databasePerS / HEADROOM.database).toFixed(2)} times what was measured, at ${percent(HEADROOM.database)}`,
      `  first audio ${carried.firstMs.p50.toFixed(0)} ms median, ${carried.firstMs.p95.toFixed(0)} p95, ${carried.firstMs.p99.toFixed(0)} p99; stalled ${(carried.stalled * 100).toFixed(3)} %`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}
