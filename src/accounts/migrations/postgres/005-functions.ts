/**
 * Admission and settlement as functions: one statement, one round trip and one transaction each.
 * A function is volatile, so under READ COMMITTED each statement inside it sees what was committed
 * before that statement. That is why a count behind a lock is exact, which it would not be in one
 * statement of common table expressions: those share the snapshot from before the lock.
 *
 * The rules are those of money/statements.ts, and the contract of all stores holds both to them.
 * Gateways of several releases may call the functions at once: a later migration that replaces a
 * function keeps its parameters and results.
 */
export const sql = `
CREATE FUNCTION tts_now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE
  AS $$ SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) $$;

CREATE FUNCTION tts_day(ms BIGINT) RETURNS TEXT LANGUAGE sql STABLE
  AS $$ SELECT to_char(to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') $$;

-- its_credits is null where the balance need not cover them, free_limit null with Partner access,
-- most_open null where any number may be open. refusal is null where it was reserved.
CREATE FUNCTION tts_reserve(
  its_id TEXT, its_key TEXT, its_request TEXT, its_model TEXT, its_voice TEXT, its_characters BIGINT,
  its_credits BIGINT, its_holder TEXT, most_open BIGINT, free_limit BIGINT, again BOOLEAN,
  OUT refusal TEXT, OUT balance BIGINT, OUT counted BIGINT, OUT now_ms BIGINT
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  today TEXT;
  was_revoked BOOLEAN;
  open_now BIGINT;
  pooled BIGINT := 0;
BEGIN
  SELECT credits - reserved, revoked_at IS NOT NULL INTO balance, was_revoked
    FROM keys WHERE id = its_key FOR UPDATE;
  balance := coalesce(balance, 0);
  counted := 0;
  now_ms := tts_now_ms();
  IF was_revoked AND NOT again THEN refusal := 'revoked'; RETURN; END IF;
  IF free_limit IS NOT NULL THEN
    today := tts_day(now_ms);
    SELECT coalesce(sum(requests) FILTER (WHERE model = its_model), 0),
        coalesce(sum(requests) FILTER (WHERE model = ''), 0)
      INTO counted, pooled
      FROM free_requests WHERE key_id = its_key AND day = today AND model IN (its_model, '');
    IF NOT again AND counted + pooled >= free_limit THEN refusal := 'daily_limit'; RETURN; END IF;
  END IF;
  IF most_open IS NOT NULL THEN
    SELECT count(*) INTO open_now FROM reservations
      WHERE key_id = its_key
        AND CASE WHEN free_limit IS NULL THEN free_day IS NULL
            ELSE free_day IS NOT NULL AND model = its_model END;
    IF open_now >= most_open THEN refusal := 'concurrency'; RETURN; END IF;
  END IF;
  IF balance < greatest(1, its_credits) AND its_credits IS NOT NULL THEN
    refusal := 'insufficient_credits';
    RETURN;
  END IF;
  IF again THEN
    counted := 0;
    DELETE FROM ledger WHERE reservation_id = its_id AND outcome = 'interrupted';
  ELSIF free_limit IS NOT NULL THEN
    INSERT INTO free_requests AS f (key_id, day, model, requests) VALUES (its_key, today, its_model, 1)
      ON CONFLICT (key_id, day, model) DO UPDATE SET requests = f.requests + 1
        WHERE f.requests < free_limit - pooled
      RETURNING f.requests + pooled INTO counted;
    -- Only the machine's own key, which has no row to lock, can have been overtaken.
    IF counted IS NULL THEN refusal := 'daily_limit'; RETURN; END IF;
  END IF;
  IF its_credits > 0 THEN UPDATE keys SET reserved = reserved + its_credits WHERE id = its_key; END IF;
  INSERT INTO reservations (id, key_id, request_id, model, voice, characters, credits, free_day, holder)
    VALUES (its_id, its_key, its_request, its_model, its_voice, its_characters,
      coalesce(its_credits, 0), today, its_holder);
END $$;

CREATE FUNCTION tts_extend(
  its_id TEXT, its_key TEXT, more_characters BIGINT, more_credits BIGINT,
  OUT refusal TEXT, OUT balance BIGINT
) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE reservations SET characters = characters + more_characters, credits = credits + more_credits
    WHERE id = its_id;
  IF NOT FOUND THEN refusal := 'lost'; RETURN; END IF;
  IF more_credits = 0 THEN RETURN; END IF;
  UPDATE keys SET reserved = reserved + more_credits
    WHERE id = its_key AND credits - reserved >= more_credits;
  IF FOUND THEN RETURN; END IF;
  UPDATE reservations SET characters = characters - more_characters, credits = credits - more_credits
    WHERE id = its_id;
  refusal := 'insufficient_credits';
  SELECT credits - reserved INTO balance FROM keys WHERE id = its_key;
  balance := coalesce(balance, 0);
END $$;

CREATE FUNCTION tts_end(
  its_id TEXT, its_key TEXT, its_request TEXT, its_model TEXT, its_voice TEXT, its_outcome TEXT, its_time TEXT,
  its_audio_ms BIGINT, its_characters BIGINT, its_delivered BIGINT, its_credits BIGINT
) RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  held reservations%ROWTYPE;
  balance BIGINT;
  booked TEXT;
BEGIN
  DELETE FROM reservations WHERE id = its_id RETURNING * INTO held;
  IF NOT FOUND THEN
    SELECT credits - reserved INTO balance FROM keys WHERE id = its_key FOR UPDATE;
    -- The lock may have waited for a commit whose answer was lost: that of the reservation, made anew.
    DELETE FROM reservations WHERE id = its_id RETURNING * INTO held;
  END IF;
  IF FOUND THEN
    its_characters := least(held.characters, its_characters);
    its_credits := least(held.credits, its_credits);
  ELSE
    SELECT outcome INTO booked FROM ledger WHERE reservation_id = its_id;
    IF booked <> 'interrupted' THEN RETURN 'repeated'; END IF;
    its_credits := least(its_credits, its_characters, coalesce(balance, 0));
  END IF;
  its_delivered := least(its_characters, its_delivered);
  IF booked IS NULL THEN
    INSERT INTO ledger (reservation_id, time, request_id, key_id, model, voice, characters, credits, audio_ms,
        outcome, delivered_characters)
      VALUES (its_id, its_time, its_request, its_key, its_model, its_voice, its_characters, its_credits,
        its_audio_ms, its_outcome, its_delivered);
  ELSE
    UPDATE ledger SET outcome = its_outcome, characters = its_characters, credits = its_credits,
        audio_ms = its_audio_ms, delivered_characters = its_delivered
      WHERE reservation_id = its_id;
  END IF;
  IF held.credits > 0 OR its_credits > 0 THEN
    UPDATE keys SET reserved = reserved - coalesce(held.credits, 0), credits = credits - its_credits
      WHERE id = its_key;
  END IF;
  RETURN CASE WHEN held.id IS NOT NULL THEN 'ended' WHEN booked IS NULL THEN 'unknown' ELSE 'late' END;
END $$;

CREATE FUNCTION tts_drop(its_id TEXT) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  held reservations%ROWTYPE;
BEGIN
  DELETE FROM reservations WHERE id = its_id RETURNING * INTO held;
  IF NOT FOUND THEN
    DELETE FROM ledger WHERE reservation_id = its_id AND outcome = 'interrupted';
    RETURN FALSE;
  END IF;
  IF held.credits > 0 THEN
    UPDATE keys SET reserved = reserved - held.credits WHERE id = held.key_id;
  END IF;
  IF held.free_day IS NOT NULL THEN
    UPDATE free_requests SET requests = requests - 1
      WHERE key_id = held.key_id AND day = held.free_day AND model = held.model AND requests > 0;
  END IF;
  RETURN TRUE;
END $$;
`;
