/** POST /playground/comparisons: the counts of a comparison by ear, for the operator's sum. */
import type { FastifyInstance } from 'fastify';
import { DELIVERY_STYLES } from '../../../protocol/delivery/delivery.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse } from '../../../protocol/http.js';
import { BASE_MODELS } from '../../../protocol/job.js';
import { COMPARED_SPEEDS, MAX_COMPARED_ROUNDS } from '../../../protocol/pages.js';
import { comparedName } from '../../../protocol/playground/compared-name.js';
import { type Compared, ComparisonRun } from '../../../protocol/playground/playground.js';
import type { ServerParts } from '../../door.js';
import { checkBodyHeaders } from '../../json-body.js';

export function addComparisons(
  app: FastifyInstance,
  { admin, catalogue }: ServerParts,
  visitor: ServerParts['authenticate'],
): void {
  /** Only what exists is summed, so that there are no more rows than pairs. */
  const nameOf = ({ model, voice, speed = 1, ...manner }: Compared, param: string): string => {
    const base = BASE_MODELS.find((each) => each === model);
    if (base === undefined) throw new TtsError('model_not_found', `There are ${BASE_MODELS.join(', ')}.`, { param });
    if (!COMPARED_SPEEDS.includes(speed)) {
      throw new TtsError('invalid_value', `Compared are the speeds ${COMPARED_SPEEDS.join(', ')}.`, { param });
    }
    if (manner.style !== undefined && !DELIVERY_STYLES.some((each) => each === manner.style)) {
      throw new TtsError('invalid_value', `There is no style "${manner.style}".`, { param });
    }
    return comparedName({ model: base, voice: catalogue.get(base, voice, param).voice.id, speed, ...manner });
  };
  app.post<{ Body: ComparisonRun }>(
    '/comparisons',
    {
      schema: {
        operationId: 'addComparison',
        summary: 'Adds the counts of a comparison by ear to the sum that the operator sees',
        tags: ['playground'],
        body: ComparisonRun,
        response: { 204: { type: 'null' }, '4xx': ErrorResponse },
      },
      onRequest: [visitor, checkBodyHeaders],
    },
    async ({ body }, reply) => {
      const [a, b] = [nameOf(body.a, 'a'), nameOf(body.b, 'b')];
      const rounds = body.a_preferred + body.b_preferred;
      if (a === b) throw new TtsError('invalid_value', 'The two that are compared must differ.', { param: 'b' });
      if (rounds < 1 || rounds > MAX_COMPARED_ROUNDS) {
        const message = `A comparison has 1 to ${MAX_COMPARED_ROUNDS} rounds.`;
        throw new TtsError('invalid_value', message, { param: 'a_preferred' });
      }
      await admin.store.comparisons.add({ a, b, aPreferred: body.a_preferred, bPreferred: body.b_preferred });
      return reply.code(204).send();
    },
  );
}
