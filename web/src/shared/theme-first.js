// Runs before anything is painted: the theme that was chosen here, where it is not the system's.
try {
  const theme = localStorage.getItem('tts-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser may forbid storage.
}
