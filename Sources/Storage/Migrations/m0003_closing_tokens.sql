-- Bounds how long steady refreshing can keep old refresh tokens in their grace. The release before leaves both columns
-- as they are.

ALTER TABLE session
    -- The successors of tokens below this one had been used by closing_at; they settle once the grace has passed since.
    ADD COLUMN closing bigint NOT NULL DEFAULT 0,
    ADD COLUMN closing_at timestamptz NOT NULL DEFAULT '-infinity';
