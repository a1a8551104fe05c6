/**
 * deploy/kubernetes against Kubernetes' own definitions, and against what docs/sizing.md says it
 * has to carry.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Kinds } from './support/kubernetes-kinds.js';

type Deployment = Kinds['apps/v1 Deployment'];
type HorizontalPodAutoscaler = Kinds['autoscaling/v2 HorizontalPodAutoscaler'];
type NetworkPolicy = Kinds['networking.k8s.io/v1 NetworkPolicy'];

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'deploy/kubernetes');
const KINDS = path.join(ROOT, 'test/support/kubernetes-kinds.js');
const NOT_OBJECTS = ['kustomization.yaml', 'prometheus-adapter-values.yaml'];

interface Object {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
const objects = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml') && !NOT_OBJECTS.includes(file))
  .flatMap((file) => parseAllDocuments(readFileSync(path.join(FOLDER, file), 'utf8')))
  .map((document) => document.toJS() as Object);
const find = <T>(kind: string, name: string): T =>
  objects.find((each) => each.kind === kind && each.metadata.name === name) as T;

/**
 * What the compiler says of objects that are written down as literals: unknown fields, wrong types,
 * fields that are missing.
 */
function complaints(written: readonly Object[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-manifests-'));
  try {
    const lines = written.map(
      (each, i) => `export const o${i}: Kinds['${each.apiVersion} ${each.kind}'] = ${JSON.stringify(each)};`,
    );
    const file = path.join(folder, 'manifests.mts');
    writeFileSync(file, [`import type { Kinds } from ${JSON.stringify(KINDS)};`, ...lines].join('\n'));
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext'];
    execFileSync(process.execPath, [compiler, ...strict, file], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('are what Kubernetes defines: no unknown field, no wrong type, nothing missing that has to be there', () => {
  expect(objects.length).toBeGreaterThan(10);
  expect(complaints(objects)).toBe('');
});

it('would be caught where a field were misspelt, had a wrong type or were missing', () => {
  const worker = find<Object>('Deployment', 'worker');
  const broken = (change: (copy: { spec: Record<string, unknown> }) => void) => {
    const copy = structuredClone(worker) as Object & { spec: Record<string, unknown> };
    change(copy);
    return complaints([copy]);
  };
  expect(broken(({ spec }) => Object.assign(spec, { minReadySecond: 10 }))).toContain('minReadySecond');
  expect(broken(({ spec }) => Object.assign(spec, { minReadySeconds: 'ten' }))).toContain('number');
  expect(broken(({ spec }) => delete spec.selector)).toContain('selector');
});

const deployments = objects.filter(({ kind }) => kind === 'Deployment') as (Object & Deployment)[];

it('ask every part whether it is ready, and let workers and gateways be ready for a while before others go', () => {
  for (const { metadata, spec } of deployments) {
    const [container] = spec!.template.spec!.containers;
    const port = container!.readinessProbe!.httpGet!.port;
    expect(container!.ports!.map(({ name }) => name)).toContain(port);
    if (metadata.name === 'nats') continue;
    expect(spec!.minReadySeconds).toBeGreaterThan(0);
    expect(spec!.strategy!.rollingUpdate!.maxUnavailable).toBe(0);
    expect(find('PodDisruptionBudget', metadata.name)).toBeDefined();
  }
});

it('never run two brokers side by side that know nothing of each other', () => {
  const { spec } = find<Deployment>('Deployment', 'nats');
  if (spec!.replicas === 1) expect(spec!.strategy).toEqual({ type: 'Recreate' });
});

it('open what is used and nothing else: every part has a policy, whose ports and partners there are', () => {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as (Object & NetworkPolicy)[];
  expect(find<NetworkPolicy>('NetworkPolicy', 'nobody').spec).toEqual({
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
  });
  const apps = deployments.map(({ spec }) => spec!.template.metadata!.labels!.app!);
  for (const { metadata, spec } of policies) {
    if (metadata.name === 'nobody') continue;
    const app = spec!.podSelector!.matchLabels!.app!;
    const own = deployments.find(({ metadata: { name } }) => name === app)!;
    const names = own.spec!.template.spec!.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
    for (const { ports = [] } of spec!.ingress ?? []) for (const { port } of ports) expect(names).toContain(port);
    const to = (spec!.egress ?? []).flatMap((rule) => (rule.to ?? []).flatMap(({ podSelector }) => podSelector ?? []));
    for (const { matchLabels } of to) expect(apps).toContain(matchLabels!.app);
  }
  expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual([...apps, 'nobody'].sort());
});

it('give the broker what the sizing says that the most workers of the autoscaler send through it', () => {
  const sizing = readFileSync(path.join(ROOT, 'docs/sizing.md'), 'utf8');
  const engineCores = Number(/^\| engine, .*? \| ([\d.]+) \|/m.exec(sizing)?.[1]);
  const natsCoreMs = Number(/^\| NATS server, .*? \| ([\d.]+) \(/m.exec(sizing)?.[1]);
  const mbOfThousand = Number(/^\| audio through a NATS server.*? \| (\d+) MB\/s/m.exec(sizing)?.[1]);
  const { spec: workers } = find<Deployment>('Deployment', 'worker');
  const { spec: scaler } = find<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'worker');
  const cores = Number(workers!.template.spec!.containers[0]!.resources!.requests!.cpu);
  const streams = (scaler!.maxReplicas * cores) / engineCores;
  const [broker] = find<Deployment>('Deployment', 'nats').spec!.template.spec!.containers;
  const { requests, limits } = broker!.resources!;
  expect(Number(requests!.cpu)).toBeGreaterThanOrEqual((streams * natsCoreMs) / 1000);
  const tenSecondsMb = (streams / 1000) * mbOfThousand * 10;
  expect(Number(/^(\d+)Gi$/.exec(limits!.memory!)![1]) * 1073.7).toBeGreaterThanOrEqual(tenSecondsMb);
});
