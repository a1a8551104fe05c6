"""Says a text over HTTP and writes the sound as it arrives: python3 speak.py "Hello there." hello.wav"""
import json
import os
import sys
import urllib.error
import urllib.request
import wave

BASE = os.environ.get("TTS_BASE_URL", "http://127.0.0.1:8787")
KEY = os.environ["TTS_API_KEY"]


def speak(text: str, file: str) -> float:
    """Writes a WAV file and returns its length in seconds."""
    request = urllib.request.Request(
        f"{BASE}/v1/audio/speech",
        data=json.dumps(
            {"model": "base-tts-fast", "input": text, "response_format": "pcm", "stream": True}
        ).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer, wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(24_000)
        # Sound comes while it is made: a player could have each piece at once.
        while piece := answer.read(4_800):
            out.writeframes(piece)
        return out.tell() / out.getframerate()


try:
    print(f"{speak(sys.argv[1], sys.argv[2]):.1f} s in {sys.argv[2]}")
except urllib.error.HTTPError as error:
    sys.exit(json.load(error)["error"]["message"])
