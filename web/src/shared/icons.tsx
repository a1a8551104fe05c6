/** Line icons in the colour of the text around them. */
const PATHS = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M7 6h3.5v12H7zM13.5 6H17v12h-3.5z',
  stop: 'M7 7h10v10H7z',
  open: 'M4 19V6h6l2 2.5h8V19z',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  sound: 'M4 10v4M8 7v10M12 4v16M16 8v8M20 11v2',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M12 4v11m0 0l-4.5-4.5M12 15l4.5-4.5M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  star: 'M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z',
  starred: 'M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z',
  dice: 'M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01',
} as const;
const FILLED: ReadonlySet<string> = new Set(['play', 'pause', 'stop', 'starred']);

export function Icon({ name, size = 20 }: { readonly name: keyof typeof PATHS; readonly size?: number }) {
  const filled = FILLED.has(name);
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill={filled ? 'currentColor' : 'none'}
      stroke={filled ? 'none' : 'currentColor'}
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
