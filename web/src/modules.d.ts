/** Modules that only the bundler knows how to read. */
declare module '*?worker&url' {
  const url: string;
  export default url;
}
declare module 'wasm-media-encoders/small' {
  export { createEncoder } from 'wasm-media-encoders';
}
declare module 'wasm-media-encoders/wasm/mp3?url' {
  const url: string;
  export default url;
}
