#!/usr/bin/env node
import '../dist/bundle/tts.js';
