/** The live lines of a run: the text as it is spoken, the level, the clock, and how fast the sound came. */
import { Box, Text } from 'ink';
import type { Snapshot } from '../progress.js';
import { bar, clockText, headColumns, levelChar, sizeText, tailColumns, textColumns } from './format.js';

export interface LiveProps {
  readonly state: Snapshot;
  readonly columns: number;
  readonly color: boolean;
  /** Levels of the last moments, newest last. */
  readonly levels: readonly number[];
  readonly spinner: string;
  /** Two lines of text with the words to come, instead of one line of what was spoken. */
  readonly show: boolean;
}

const METER_WIDTH = 12;

export function Live(props: LiveProps) {
  const { state } = props;
  if (state.phase === 'downloading' && state.download) return <Downloading {...props} />;
  if (state.phase === 'starting' || state.phase === 'waiting') return <Waiting {...props} />;
  return (
    <Box flexDirection="column">
      <Words {...props} />
      <Figures {...props} />
    </Box>
  );
}

const dim = (color: boolean) => ({ dimColor: color });
const accent = (color: boolean, name: string) => (color ? { color: name } : {});

function Waiting({ state, color, spinner }: LiveProps) {
  return (
    <Text>
      <Text {...accent(color, 'cyan')}>{spinner}</Text>
      <Text {...dim(color)}>
        {state.phase === 'starting' ? ' starting the engine' : ' waiting for the first sound'}
      </Text>
    </Text>
  );
}

function Downloading({ state, columns, color }: LiveProps) {
  const { name, receivedBytes, totalBytes } = state.download!;
  const share = totalBytes ? receivedBytes / totalBytes : 0;
  const width = Math.max(8, Math.min(32, columns - name.length - 34));
  return (
    <Text wrap="truncate">
      <Text>fetching {name} </Text>
      <Text {...accent(color, 'cyan')}>{bar(share, width)}</Text>
      <Text>
        {' '}
        {totalBytes ? `${Math.floor(share * 100)}%  ` : ''}
        {sizeText(receivedBytes)}
        {totalBytes ? ` of ${sizeText(totalBytes)}` : ''}
      </Text>
    </Text>
  );
}

function Words({ state, columns, color, show }: LiveProps) {
  const room = Math.max(10, columns - 1);
  if (!show) {
    return <Text wrap="truncate">{tailColumns(state.spoken, room) || ' '}</Text>;
  }
  const spoken = tailColumns(state.spoken, Math.floor(room * 0.6));
  const upcoming = headColumns(state.upcoming, room - textColumns(spoken));
  // Without colours, a mark stands where the voice is.
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
  const total = `${state.totalKnown ? '' : '~'}${clockText(state.totalMs)}`;
  const figures = [
    state.firstAudioMs === undefined ? '' : `first sound ${Math.round(state.firstAudioMs)} ms`,
    state.realTimeFactor === undefined ? '' : `${state.realTimeFactor.toFixed(2)}× real time`,
  ].filter(Boolean);
  const left = METER_WIDTH + 2;
  const time = `${clockText(state.heardMs)} / ${total}`;
  const rest = headColumns(
    figures.map((figure) => ` · ${figure}`).join(''),
    Math.max(0, columns - left - time.length - 1),
  );
  return (
    <Text wrap="truncate">
      <Text {...accent(color, 'green')}>{meter}</Text>
      <Text>{`  ${time}`}</Text>
      <Text {...dim(color)}>{rest}</Text>
    </Text>
  );
}
