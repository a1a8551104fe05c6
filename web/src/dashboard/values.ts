/** Values of the dashboard in words. */

export const duration = (ms: number): string =>
  ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms)} ms`;

const ROUTES: Readonly<Record<string, string>> = {
  speech: 'HTTP',
  job: 'Job',
  stream_input: 'WebSocket',
  openai_speech: 'OpenAI HTTP',
  elevenlabs_speech: 'ElevenLabs HTTP',
  elevenlabs_stream_input: 'ElevenLabs WebSocket',
  elevenlabs_multi_stream_input: 'ElevenLabs contexts',
};

/** The API dialect and endpoint of a request. */
export const routeName = (route: string): string => ROUTES[route] ?? route;
