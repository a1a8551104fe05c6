/**
 * The simulation behind docs/sizing.md: it must know when a machine is too small, and what waits
 * costs time.
 */
import { describe, expect, it } from 'vitest';
import { type Costs, fewest, simulate } from '../bench/fleet/simulation.js';

const COSTS: Costs = {
  engineCoreS: 0.1,
  frontShare: 0.5,
  gatewayCoreMs: 1,
  gatewayRequestMs: 2,
  brokerMs: 0.2,
  brokerMBs: 500,
  databasePerS: 500,
  admitMs: 5,
};
/**
 * What engines have to do for a stream: a second of audio a second, and a front for every segment.
 */
const CORES_PER_STREAM = 0.1 * (1 + 0.5 / 4);

describe('the simulation of a deployment', () => {
  it('stalls below what the streams cost, and not above it', () => {
    const plan = { streams: 100, gateways: 2, brokers: 1 };
    const enough = simulate({ ...plan, engines: Math.ceil(100 * CORES_PER_STREAM * 1.2) }, COSTS);
    expect(enough.stalled).toBe(0);
    expect(enough.engineLoad).toBeGreaterThan(0.7);
    expect(enough.engineLoad).toBeLessThan(0.9);
    const scarce = simulate({ ...plan, engines: Math.floor(100 * CORES_PER_STREAM * 0.7) }, COSTS);
    expect(scarce.stalled).toBeGreaterThan(0.1);
    expect(scarce.engineLoad).toBeGreaterThan(0.99);
  });

  it('adds every step of the way to the first audio of a lone stream', () => {
    const { firstMs } = simulate({ streams: 1, engines: 4, gateways: 1, brokers: 1 }, COSTS);
    // Admission 5 and request 2, two ways of 0.2, front 50 and a second of audio 100, its gateway
    // 1, the broker's bandwidth 0.1.
    expect(firstMs.p50).toBeCloseTo(158.5, 0);
  });

  it('finds the fewest cores that do', () => {
    const { engines, carried } = fewest(200, COSTS, 2, 1);
    expect(carried.stalled).toBe(0);
    expect(engines).toBeGreaterThanOrEqual(200 * CORES_PER_STREAM);
    expect(engines).toBeLessThan(200 * CORES_PER_STREAM * 1.25);
  });

  it('is slowed by a gateway or a broker that is too small', () => {
    const plan = { streams: 100, engines: 20, gateways: 1, brokers: 1 };
    const roomy = simulate(plan, COSTS);
    expect(simulate(plan, { ...COSTS, gatewayCoreMs: 12 }).firstMs.p50).toBeGreaterThan(2 * roomy.firstMs.p50);
    expect(simulate(plan, { ...COSTS, brokerMBs: 4 }).firstMs.p50).toBeGreaterThan(2 * roomy.firstMs.p50);
  });
});
