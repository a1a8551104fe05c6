/** Jobs over HTTP, as a client of a test uses them. */
import { createHash } from 'node:crypto';
import type { Job } from '../../../src/protocol/jobs/schemas.js';
import { until } from '../../../testkit/server.js';

export class JobClient {
  constructor(
    public baseUrl: string,
    readonly key: string,
  ) {}

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.key}`, ...(init.headers as Record<string, string>) };
    return fetch(`${this.baseUrl}/jobs/v1/speech${path}`, { ...init, headers });
  }

  post(body: string | Uint8Array, type: string, query = ''): Promise<Response> {
    return this.request(query, { method: 'POST', body: body as string, headers: { 'content-type': type } });
  }

  /** An order that is taken. FLAC takes least to make: no encoder has to be compiled for it. */
  async order(text: string, query = '?format=flac'): Promise<Job> {
    const response = await this.post(text, 'text/markdown', query);
    const answer = (await response.json()) as Job;
    if (response.status !== 202) throw new Error(JSON.stringify(answer));
    return answer;
  }

  async find(id: string): Promise<Job> {
    return (await (await this.request(`/${id}`)).json()) as Job;
  }

  async cancel(id: string): Promise<Job> {
    return (await (await this.request(`/${id}`, { method: 'DELETE' })).json()) as Job;
  }

  async ended(id: string): Promise<Job> {
    let job = await this.find(id);
    await until(async () => {
      job = await this.find(id);
      return job.status !== 'queued' && job.status !== 'running';
    }, `the end of ${id}, which is ${job.status} at ${job.progress?.percent} %,`);
    return job;
  }

  async digest(id: string): Promise<string> {
    const response = await this.request(`/${id}/result`);
    if (!response.ok) throw new Error(await response.text());
    return createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
  }
}

/** A text of chapters whose sentences all differ. */
export const longText = (sentences: number): string =>
  Array.from({ length: sentences }, (_, i) =>
    i % 20 === 0 ? `## Chapter ${i / 20 + 1}\n` : `Sentence number ${i} tells of the weather.`,
  ).join('\n\n');
