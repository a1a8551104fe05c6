/** The live lines of a run: the text as it is spoken, the level, the time, and the speed. */
import { Box, Text } from 'ink';
import type { Preparation } from '../../protocol/preparation.js';
import { displayText } from '../../text/display.js';
import type { Snapshot } from '../progress.js';
import {
  bar,
  clockText,
  durationText,
  headColumns,
  levelChar,
  sizeText,
  speedText,
  tailColumns,
  textColumns,
} from './format.js';

export interface LiveProps {
  readonly state: Snapshot;
  readonly columns: number;
  readonly color: boolean;
  /** Levels of the last moments, newest last. */
  readonly levels: readonly number[];
  readonly spinner: string;
  /** Two lines of text, with the words to come, instead of one line of spoken text. */
  readonly show: boolean;
  /** The text is SSML. */
  readonly ssml: boolean;
}

const METER_WIDTH = 8;
/** From this length on (ms) the time that is left is shown. */
const LONG_MS = 20_000;

/** How many lines are drawn; none of them wraps. */
export const lineCount = ({ preparation, phase, speaker }: Snapshot): number =>
  preparation ? 1 : (speaker ? 1 : 0) + (isWaiting(phase) ? 1 : 2);

const isWaiting = (phase: Snapshot['phase']): boolean => phase === 'starting' || phase === 'waiting';

export function Live(props: LiveProps) {
  const { state, color } = props;
  if (state.preparation) return <Preparing {...props} preparation={state.preparation} />;
  return (
    <Box flexDirection="column">
      {state.speaker ? (
        <Text wrap="truncate" {...dim(color)}>
          {state.speaker}
        </Text>
      ) : null}
      {isWaiting(state.phase) ? <Waiting {...props} /> : <Words {...props} />}
      {isWaiting(state.phase) ? null : <Figures {...props} />}
    </Box>
  );
}

const dim = (color: boolean) => ({ dimColor: color });
const accent = (color: boolean, name: string) => (color ? { color: name } : {});

function Waiting({ state, color, spinner }: LiveProps) {
  return (
    <Spinning
      color={color}
      spinner={spinner}
      what={state.phase === 'starting' ? 'starting the engine' : 'waiting for the first sound'}
    />
  );
}

function Spinning({ color, spinner, what }: { color: boolean; spinner: string; what: string }) {
  return (
    <Text wrap="truncate">
      <Text {...accent(color, 'cyan')}>{spinner}</Text>
      <Text {...dim(color)}> {what}</Text>
    </Text>
  );
}

function Preparing({ preparation, columns, color, spinner }: LiveProps & { preparation: Preparation }) {
  const { model, stage, done, total } = preparation;
  if (stage === 'measure') {
    return <Spinning color={color} spinner={spinner} what="measuring how fast this machine speaks, once" />;
  }
  if (stage === 'wait') {
    return <Spinning color={color} spinner={spinner} what={`waiting for another command that fetches ${model}`} />;
  }
  const verb = stage === 'download' ? 'fetching' : 'preparing';
  const share = total > 0 ? done / total : 0;
  const width = Math.max(8, Math.min(32, columns - model.length - 34));
  const amount =
    stage === 'download' ? `${sizeText(done)}${total > 0 ? ` of ${sizeText(total)}` : ''}` : `${done} of ${total}`;
  return (
    <Text wrap="truncate">
      <Text>{`${verb} ${model} `}</Text>
      <Text {...accent(color, 'cyan')}>{bar(share, width)}</Text>
      <Text>{` ${total > 0 ? `${Math.floor(share * 100)}%  ` : ''}${amount}`}</Text>
    </Text>
  );
}

/** The text without SSML tags. A tag may lie across the moment, so both sides are parsed as one. */
function withoutMarks({ spoken, upcoming }: Snapshot, ssml: boolean): { spoken: string; upcoming: string } {
  const shown = displayText(spoken + upcoming, { ssml });
  const at = [...spoken].length;
  return { spoken: shown.slice(0, at).join(''), upcoming: shown.slice(at).join('') };
}

function Words({ state, columns, color, show, ssml }: LiveProps) {
  const room = Math.max(10, columns - 1);
  const shown = withoutMarks(state, ssml);
  if (!show) {
    return <Text wrap="truncate">{tailColumns(shown.spoken, room) || ' '}</Text>;
  }
  // Where little is known of what comes next, the words behind have the rest of the line.
  const ahead = Math.min(Math.ceil(room * 0.4), textColumns(shown.upcoming));
  const spoken = tailColumns(shown.spoken, room - ahead);
  const upcoming = headColumns(shown.upcoming, room - textColumns(spoken));
  // Without colours, a mark shows where the voice is.
  return (
    <Text wrap="truncate">
      <Text bold={color}>{spoken}</Text>
      <Text {...dim(color)}>{`${color ? '' : upcoming && '▏'}${upcoming}` || ' '}</Text>
    </Text>
  );
}

function Figures({ state, columns, color, levels }: LiveProps) {
  const meter = Array.from({ length: METER_WIDTH }, (_, index) =>
    levelChar(levels[levels.length - METER_WIDTH + index] ?? 0),
  ).join('');
  const { heardMs, totalMs, leftMs, firstAudioMs, realTimeFactor } = state;
  const time = `${clockText(heardMs)} / ${state.totalKnown ? '' : '~'}${clockText(totalMs)}`;
  const long = leftMs !== undefined && leftMs > 0 && totalMs >= LONG_MS;
  const figures = [
    long ? `${Math.floor((100 * heardMs) / totalMs)} %` : '',
    long ? `${durationText(leftMs)} left` : '',
    firstAudioMs === undefined ? '' : `first sound ${Math.round(firstAudioMs)} ms`,
    realTimeFactor === undefined ? '' : speedText(realTimeFactor),
  ];
  let room = columns - METER_WIDTH - 2 - time.length - 1;
  const rest = figures
    .filter(Boolean)
    .map((figure) => ` · ${figure}`)
    .filter((figure) => {
      room -= textColumns(figure);
      return room >= 0;
    })
    .join('');
  return (
    <Text wrap="truncate">
      <Text {...accent(color, 'green')}>{meter}</Text>
      <Text>{`  ${time}`}</Text>
      <Text {...dim(color)}>{rest}</Text>
    </Text>
  );
}
