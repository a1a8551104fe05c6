#!/usr/bin/env node
import '../dist/bundle/early-engine.js';

// Behind it in time: a static import would be loaded before anything runs.
await import('../dist/bundle/tts.js');
