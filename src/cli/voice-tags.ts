/** Voice tags of a plain text as commands read them. */
import type { TextChapter } from '../text/chapters.js';
import { KOKORO_ID } from './names.js';
import { ownCatalogue } from './own-voices.js';

/** Reads voice tags of a plain text, with Kokoro's own ids too. */
export async function openVoiceTags(voicesDir: string) {
  const [{ VoiceTags }, { voiceOfStyle }, { all }] = await Promise.all([
    import('../text/ssml/voice-tags.js'),
    import('../models/catalogue.js'),
    ownCatalogue({ voicesDir }),
  ]);
  return new VoiceTags((name) => (KOKORO_ID.test(name) ? (voiceOfStyle(all, name)?.voice.id ?? name) : name));
}

/** The text by its chapters, where those are asked for, as it is sent. */
export async function sectionsOf(
  text: string,
  title: string | undefined,
  { chapters = false, voiceTags = false }: { readonly chapters?: boolean; readonly voiceTags?: boolean },
  voicesDir: string,
): Promise<readonly TextChapter[]> {
  const sections = chapters
    ? (await import('../text/chapters.js')).chaptersOf(text, title ?? 'Beginning')
    : [{ title: '', text }];
  if (!voiceTags) return sections;
  const tags = await openVoiceTags(voicesDir);
  return sections.map((section) => ({ ...section, text: tags.push(section.text) + tags.end() }));
}
